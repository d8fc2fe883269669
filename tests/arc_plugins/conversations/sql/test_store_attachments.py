"""Attachments stand beside the messages, once a session, and go with it."""

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")
from sqlalchemy import text

from arc_core import Attachment, ConversationOwner, ConversationSummary, UserMessage
from arc_core.testing.conformance.components import running
from arc_plugins.conversations.sql.store import SqlConversationStore
from tests.arc_plugins.conversations.sql.databases import opened_store, store_at

pytestmark = pytest.mark.slow

ANN = ConversationOwner("ann")
PICTURE = Attachment("image/png", data=b"\x89PNG" * 100)


async def count(store: SqlConversationStore, table: str) -> int:
    """The rows of a table."""
    async with store._open.connect() as connection:
        found = await connection.scalar(text(f"select count(*) from {table}"))
    return int(found or 0)


async def test_an_attachment_is_kept_once_a_session(database: str) -> None:
    """However often it is sent."""
    async with await opened_store(database) as store:
        for _ in range(3):
            await store.append("s", [UserMessage((PICTURE, PICTURE))], owner=ANN)
        await store.append("t", [UserMessage((PICTURE,))], owner=ANN)
        kept = await count(store, "arc_attachments")

    assert kept == 2


async def test_nothing_is_left_of_a_deleted_session(database: str) -> None:
    """Messages, attachments, runs and summary are gone."""
    async with await opened_store(database) as store:
        await store.append("s", [UserMessage((PICTURE,))], owner=ANN, run_id="r")
        await store.keep_summary("s", ConversationSummary("told", 1), owner=ANN)
        await store.delete("s")
        tables = ("sessions", "messages", "attachments", "saved_runs", "summaries")
        left = [await count(store, f"arc_{name}") for name in tables]

    assert left == [0] * len(tables)


async def test_attachments_are_read_by_another_store(database: str) -> None:
    """And are the same objects at the second load."""
    message = UserMessage((PICTURE, Attachment("image/png", url="https://example.com/a.png")))
    async with await opened_store(database) as store:
        await store.append("s", [message], owner=ANN)
    async with running(store_at(database)) as store:
        first, second = [await store.load("s", owner=ANN, max_turns=1) for _ in range(2)]

    assert list(first) == [message]
    assert first[0] is second[0]


async def test_a_session_that_is_deleted_while_it_is_read_is_empty(database: str) -> None:
    """Its messages may have been read already, and the bytes that belong to them are gone."""
    async with await opened_store(database) as store:
        await store.append("s", [UserMessage((PICTURE,))], owner=ANN)
        async with store._open.begin() as connection:
            await connection.execute(text("delete from arc_attachments"))
        loaded = await store.load("s", owner=ANN, max_turns=1)

    assert list(loaded) == []
