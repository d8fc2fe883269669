"""Registers what keeps conversations and what remembers them.

`conversation.url` moves conversations from memory to a database. A database that is asked for and
cannot be used stops start-up: what people said must not land in memory quietly.
"""

from arc_core import ConversationManager, ConversationStore, Registry, hookimpl
from arc_core.conditions import on_package, on_setting

_EXTRA = "arc-agents[sql]"


@hookimpl
def arc_register(registry: Registry) -> None:
    """A store and a manager, each chosen by its setting."""
    in_database, summarized = on_setting("conversation.url"), on_setting("conversation.summarize")
    registry.provide(
        ConversationStore,
        "arc_plugins.conversations.in_memory_store:InMemoryConversationStore",
        name="memory",
        condition=~in_database,
    )
    registry.provide(
        ConversationStore,
        "arc_plugins.conversations.sql.store:SqlConversationStore",
        name="sql",
        condition=in_database
        & on_package("sqlalchemy>=2.1.9", install=_EXTRA)
        & on_package("alembic>=1.20", install=_EXTRA)
        & on_package("aiosqlite>=0.22", install=_EXTRA),
    )
    registry.provide(
        ConversationManager,
        "arc_plugins.conversations.managers.window:WindowConversationManager",
        name="window",
        condition=~summarized,
    )
    registry.provide(
        ConversationManager,
        "arc_plugins.conversations.managers.summarizing:SummarizingConversationManager",
        name="summarizing",
        condition=summarized,
    )
