"""Registers the compactor of `context.compaction`."""

from arc_core import Compactor, Registry, hookimpl
from arc_core.conditions import on_setting
from arc_core.settings import CompactionWay

_COMPACTORS = {
    CompactionWay.CLEARING: "arc_plugins.compactors.clearing:ClearingCompactor",
    CompactionWay.SUMMARY: "arc_plugins.compactors.summary:SummarizingCompactor",
    CompactionWay.DROP: "arc_plugins.compactors.drop:DroppingCompactor",
}


@hookimpl
def arc_register(registry: Registry) -> None:
    """One compactor per value; the setting decides between them."""
    for way, place in _COMPACTORS.items():
        registry.provide(
            Compactor, place, name=way.value, condition=on_setting("context.compaction", way)
        )
