"""Registers durable runs; `durable.enabled` asks for them.

Durable runs that are asked for and cannot be had stop start-up: a run must not be lost quietly.
"""

from arc_core import Registry, hookimpl
from arc_core.conditions import on_package, on_setting
from arc_core.interfaces.run_journal import RunJournals

__all__ = ["arc_register"]

_EXTRA = "arc-agents[durable]"


@hookimpl
def arc_register(registry: Registry) -> None:
    """The journals, if they are asked for and their libraries are installed."""
    registry.provide(
        RunJournals,
        "arc_plugins.journals.dbos.journals:DurableRunJournals",
        name="dbos",
        condition=on_setting("durable.enabled")
        & on_package("dbos>=3.4", install=_EXTRA)
        & on_package("sqlalchemy>=2.1.9", install=_EXTRA),
    )
