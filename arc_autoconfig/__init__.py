"""Finds plugins, decides what is wired, builds the application and explains it.

Names are imported when they are used, so that a command that needs little starts quickly;
`__init__.pyi` says the same to type checkers.
"""

from importlib import import_module

_HOMES = {
    "AgentHandle": "arc_autoconfig.runs.agent_application",
    "Application": "arc_autoconfig.application",
    "ArcContainer": "arc_autoconfig.container.container",
    "ArcSettings": "arc_autoconfig.settings",
    "BlockingApplication": "arc_autoconfig.runs.blocking",
    "BlockingRunStream": "arc_autoconfig.runs.blocking",
    "ConditionReport": "arc_autoconfig.explain.report",
    "RunOptions": "arc_autoconfig.runs.options",
    "RunStream": "arc_autoconfig.runs.agent_application",
    "on_component": "arc_core.conditions",
    "on_env": "arc_core.conditions",
    "on_missing": "arc_core.conditions",
    "on_package": "arc_core.conditions",
    "on_profile": "arc_core.conditions",
    "on_setting": "arc_core.conditions",
    "on_winner": "arc_core.conditions",
    "provides": "arc_autoconfig.declare.registration",
}

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll] -- the stub lists them


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
