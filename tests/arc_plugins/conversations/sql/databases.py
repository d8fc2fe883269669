"""Stores on databases, for tests."""

from contextlib import AbstractAsyncContextManager

from pydantic import SecretStr

from arc_core.testing.conformance.components import running
from arc_plugins.conversations.settings import HistorySettings
from arc_plugins.conversations.sql.store import SqlConversationStore

__all__ = ["migrated", "opened_store", "store_at"]


def store_at(url: str) -> SqlConversationStore:
    """A store, not started."""
    return SqlConversationStore(settings=HistorySettings(url=SecretStr(url)))


async def migrated(url: str) -> str:
    """The database, with the schema in it."""
    await store_at(url).upgrade_schema()
    return url


async def opened_store(url: str) -> AbstractAsyncContextManager[SqlConversationStore]:
    """A store that starts as a context manager, on a database that has its schema."""
    return running(store_at(await migrated(url)))
