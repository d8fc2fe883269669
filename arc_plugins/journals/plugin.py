"""Registers what keeps runs: memory, or a database if `durable.enabled` asks for it.

A database that is asked for and cannot be used stops start-up: runs must not land in memory.
"""

from arc_core import Registry, hookimpl
from arc_core.conditions import on_package, on_setting
from arc_core.runs.store import RunStore

_EXTRA = "arc-agents[durable]"


@hookimpl
def arc_register(registry: Registry) -> None:
    """Journals, chosen by the setting."""
    durable = on_setting("durable.enabled")
    registry.provide(
        RunStore,
        "arc_plugins.journals.in_memory.journals:InMemoryRunJournals",
        name="in_memory",
        condition=~durable,
    )
    registry.provide(
        RunStore,
        "arc_plugins.journals.sql.journals:DurableRunJournals",
        name="sql",
        condition=durable
        & on_package("croniter>=6.2.4", install=_EXTRA)
        & on_package("sqlalchemy>=2.1.9", install=_EXTRA),
    )
