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
    installed = (
        on_package("sqlalchemy>=2.1.9", install=_EXTRA)
        & on_package("alembic>=1.20", install=_EXTRA)
        & on_package("aiosqlite>=0.22", install=_EXTRA)
    )
    stores, managers = ConversationStore, ConversationManager
    for slot, name, component, condition in (
        (stores, "memory", "in_memory_store:InMemoryConversationStore", ~in_database),
        (stores, "sql", "sql.store:SqlConversationStore", in_database & installed),
        (managers, "window", "managers.window:WindowConversationManager", ~summarized),
        (
            managers,
            "summarizing",
            "managers.summarizing:SummarizingConversationManager",
            summarized,
        ),
    ):
        registry.provide(
            slot, f"arc_plugins.conversations.{component}", name=name, condition=condition
        )
