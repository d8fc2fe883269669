"""Registers the protocols of `arc serve`, each if its libraries are installed."""

from arc_core import Registry, Surface, hookimpl
from arc_core.conditions import on_package

__all__ = ["arc_register"]

_SURFACES = {
    "runs": "arc_plugins.surfaces.runs.surface:RunsSurface",
    "conversations": "arc_plugins.surfaces.conversations.surface:ConversationsSurface",
    "explain": "arc_plugins.surfaces.explain.surface:ExplainSurface",
    "health": "arc_plugins.surfaces.health.surface:HealthSurface",
    "page": "arc_plugins.surfaces.page.surface:PageSurface",
}
_SERVER = on_package("starlette>=1.10", install="arc-agents[server]")


@hookimpl
def arc_register(registry: Registry) -> None:
    """The page, and what it needs: runs, conversations, what is wired, and health."""
    for name, reference in _SURFACES.items():
        registry.contribute(Surface, reference, name=name, condition=_SERVER)
