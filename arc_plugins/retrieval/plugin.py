"""Registers the retriever: `rag.path` or `rag.url` names an index, else nothing is retrieved."""

from arc_core import Registry, Retriever, hookimpl
from arc_core.conditions import on_package, on_setting

_EXTRA = "arc-agents[pgvector]"


@hookimpl
def arc_register(registry: Registry) -> None:
    """An index that is asked for and cannot be used stops start-up: `arc docs add` makes it."""
    in_file, in_database = on_setting("rag.path"), on_setting("rag.url")
    installed = (
        on_package("sqlalchemy>=2.1.9", install=_EXTRA)
        & on_package("alembic>=1.20", install=_EXTRA)
        & on_package("aiosqlite>=0.22", install=_EXTRA)
    )
    for name, component, condition in (
        ("sqlite", "sqlite.retriever:SqliteRetriever", in_file),
        ("pgvector", "pgvector.retriever:PgvectorRetriever", in_database & installed),
        ("none", "no_retriever:NoRetriever", ~in_file & ~in_database),
    ):
        place = f"arc_plugins.retrieval.{component}"
        registry.provide(Retriever, place, name=name, condition=condition)
