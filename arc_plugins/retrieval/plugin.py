"""Registers the retriever: `rag.path` names an index, without it nothing is retrieved."""

from arc_core import Registry, Retriever, hookimpl
from arc_core.conditions import on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """An index that is asked for and cannot be used stops start-up: `arc docs add` makes it."""
    with_index = on_setting("rag.path")
    for name, component, condition in (
        ("sqlite", "sqlite.retriever:SqliteRetriever", with_index),
        ("none", "no_retriever:NoRetriever", ~with_index),
    ):
        place = f"arc_plugins.retrieval.{component}"
        registry.provide(Retriever, place, name=name, condition=condition)
