"""Registers the retriever: `rag.path` names an index, without it nothing is retrieved."""

from arc_core import Registry, Retriever, hookimpl
from arc_core.conditions import on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """An index that is asked for and cannot be used stops start-up: `arc docs add` makes it."""
    with_index = on_setting("rag.path")
    registry.provide(
        Retriever,
        "arc_plugins.retrieval.sqlite.retriever:SqliteRetriever",
        name="sqlite",
        condition=with_index,
    )
    registry.provide(
        Retriever,
        "arc_plugins.retrieval.no_retriever:NoRetriever",
        name="none",
        condition=~with_index,
    )
