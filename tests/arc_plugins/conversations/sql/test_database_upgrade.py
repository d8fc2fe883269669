"""Databases of older versions are brought up to date with all that is in them."""

import asyncio
import hashlib
import json
import sqlite3
from contextlib import closing

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")
from sqlalchemy import make_url, text

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    AgentCommand,
    ConfigurationError,
    ConversationOwner,
    ConversationSummary,
    messages,
)
from arc_core.forms import to_json
from arc_core.stores.async_sql import make_engine
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.components import running
from arc_plugins.conversations.sql.bodies import json_text
from arc_plugins.conversations.sql.database import SCHEMA, conversation_address
from tests.arc_plugins.conversations.sql.databases import migrated, opened_store, store_at

_KEY = "043a718774c572bd8a25adbeb1bfcd5c0256ae11cecf9f9c3f925d0e52beaf89"
"""The hash of `s`."""

_WRITTEN_BY_THE_FIRST_VERSION = f"""
INSERT INTO arc_sessions (id, key, session_id, owner, turns, messages)
VALUES (7, '{_KEY}', '"s"', '["ann",null]', 1, 2);
INSERT INTO arc_messages (session, turn, position, body)
VALUES (7, 1, 1, '{{"role":"user","content":"question"}}');
INSERT INTO arc_messages (session, turn, position, body)
VALUES (7, 1, 2, '{{"role":"assistant","content":"answer"}}')
"""


async def execute(url: str, script: str) -> None:
    """Write what an old version wrote."""
    engine = make_engine(conversation_address(url))
    async with engine.begin() as connection:
        for statement in script.split(";"):
            await connection.exec_driver_sql(statement)
    await engine.dispose()


async def test_an_old_database_keeps_its_data(database: str) -> None:
    """Owner and messages of the first schema are read by the last."""
    await SCHEMA.upgrade(conversation_address(database), to="0001")
    await execute(database, _WRITTEN_BY_THE_FIRST_VERSION)

    done = await store_at(database).upgrade_schema()

    assert (done.before, done.after) == ("0001", SCHEMA.head)
    async with running(store_at(database)) as store:
        found, owner = (
            await store.recall("s", owner=ConversationOwner("ann"), max_turns=9),
            await store.owner_of("s"),
        )
    assert list(found.messages) == [
        messages.UserMessage("question"),
        messages.AssistantMessage("answer"),
    ]
    assert (owner, found.summary) == (ConversationOwner("ann"), None)


async def test_sessions_of_an_old_database_are_listed(database: str) -> None:
    """With the questions that the first version wrote."""
    await SCHEMA.upgrade(conversation_address(database), to="0001")
    await execute(database, _WRITTEN_BY_THE_FIRST_VERSION)

    async with await opened_store(database) as store:
        found = await store.sessions_of(ConversationOwner("ann"), limit=9)

    assert [(each.session_id, each.title) for each in found] == [("s", "question")]


_TENANTS = (None, "acme", "Acme", "", "h\u00e9", "\ud800")


def _owner(tenant: str | None) -> ConversationOwner:
    return ConversationOwner("ann", tenant_id=tenant)


async def database_with_tenants(url: str) -> None:
    """Sessions as the last version wrote them whose keys were the hashes of ids alone."""
    await SCHEMA.upgrade(conversation_address(url), to="0005")
    insert = text(
        "INSERT INTO arc_sessions (key, session_id, owner, turns, messages) "
        "VALUES (:key, :session, :owner, 1, 1) RETURNING id"
    )
    message = text("INSERT INTO arc_messages VALUES (:session, 1, 1, :body, NULL)")
    engine = make_engine(conversation_address(url))
    async with engine.begin() as connection:
        for number, tenant in enumerate(_TENANTS, start=1):
            key = hashlib.sha256(f"s{number}".encode()).hexdigest()
            name = {"utf-8": "eda080"} if tenant == "\ud800" else tenant
            row = {"key": key, "session": f'"s{number}"', "owner": json_text(["ann", name])}
            session = await connection.scalar(insert, row)
            body = to_json(messages.UserMessage(f"question {number}"))
            await connection.execute(message, {"session": session, "body": body})
    await engine.dispose()


async def test_an_old_database_keeps_the_conversations_of_tenants(database: str) -> None:
    """Each is found under its tenant and its id, with its messages, and goes on."""
    await database_with_tenants(database)
    await store_at(database).upgrade_schema()

    async with running(store_at(database)) as store:
        for number, tenant in enumerate(_TENANTS, start=1):
            await store.append(f"s{number}", [messages.UserMessage("more")], owner=_owner(tenant))
        loaded = [
            list(await store.load(f"s{number}", owner=_owner(tenant), max_turns=9))
            for number, tenant in enumerate(_TENANTS, start=1)
        ]

    assert loaded == [
        [messages.UserMessage(f"question {number}"), messages.UserMessage("more")]
        for number in range(1, len(_TENANTS) + 1)
    ]


async def test_a_tenant_of_an_old_database_leaves_ids_to_others(database: str) -> None:
    """After the upgrade, another tenant may use an id that one has used before it."""
    await database_with_tenants(database)
    await store_at(database).upgrade_schema()
    globex = ConversationOwner("ann", tenant_id="globex")

    async with running(store_at(database)) as store:
        owner = await store.owner_of("s2")
        before = await store.load("s2", owner=globex, max_turns=9)
        await store.append("s2", [messages.UserMessage("hello")], owner=globex)
        kept = await store.load("s2", owner=_owner("acme"), max_turns=9)

    assert (owner, list(before)) == (_owner("acme"), [])
    assert list(kept) == [messages.UserMessage("question 2")]


SIGNED = [
    {"type": "thinking", "thinking": "hm", "signature": "Er4B+/=="},
    {"type": "text", "text": "é"},
]
_BODIES_OF_0_1 = (
    r'{"role":"user","content":"\uc9c8\ubb38 \ud800"}',
    (
        r'{"role":"assistant","content":"","tool_calls":[["c1","find","{\"q\": \"x\"}"]],'
        r'"vendor_content":[{"type":"thinking","thinking":"hm","signature":"Er4B+/=="},'
        r'{"type":"text","text":"é"}]}'
    ),
    r'{"role":"tool","results":[["c1","find","none\n","failed"]]}',
    r'{"role":"assistant","content":"answer"}',
    r'{"role":"system","content":"note"}',
)
"""As the code of version 0.1 wrote them."""

MESSAGES_OF_0_1: list[messages.Message] = [
    messages.UserMessage("질문 \ud800"),
    messages.AssistantMessage(
        "", (messages.ToolCall("c1", "find", '{"q": "x"}'),), vendor_content=SIGNED
    ),
    messages.ToolResultMessage(
        (messages.ToolResult("c1", "find", "none\n", messages.ToolOutcome.FAILED),)
    ),
    messages.AssistantMessage("answer"),
    messages.SystemMessage("note"),
]


async def database_of_0_1(url: str) -> None:
    """The tables and rows of a session that version 0.1 has kept, with a summary."""
    await SCHEMA.upgrade(conversation_address(url), to="0002")
    engine = make_engine(conversation_address(url))
    async with engine.begin() as connection:
        await connection.execute(
            text(
                "INSERT INTO arc_sessions (id, key, session_id, owner, turns, messages) "
                "VALUES (7, :key, '\"s\"', '[\"ann\",null]', 1, 5)"
            ),
            {"key": _KEY},
        )
        await connection.execute(text("INSERT INTO arc_summaries VALUES (7, 1, '\"told\"')"))
        for position, body in enumerate(_BODIES_OF_0_1, start=1):
            await connection.execute(
                text("INSERT INTO arc_messages VALUES (7, 1, :position, :body)"),
                {"position": position, "body": body},
            )
    await engine.dispose()


async def test_a_database_of_0_1_is_read(database: str) -> None:
    """Every kind of message, what a vendor signed byte for byte, owner and summary."""
    await database_of_0_1(database)
    await store_at(database).upgrade_schema()

    async with running(store_at(database)) as store:
        found = await store.recall("s", owner=ConversationOwner("ann"), max_turns=9)

    assert list(found.messages) == MESSAGES_OF_0_1
    assert found.summary == ConversationSummary("told", 1)
    signed = found.messages[1]
    assert isinstance(signed, messages.AssistantMessage)
    assert json.dumps(signed.vendor_content) == json.dumps(SIGNED)


async def test_a_conversation_of_0_1_goes_on(database: str) -> None:
    """A run of today reads what was said, and what it says stands behind it."""
    await database_of_0_1(database)
    await store_at(database).upgrade_schema()
    model = ScriptedChatModel(["new answer"])
    settings = ArcSettings(conversation={"url": database})

    async with Application(settings, register=[model]) as app:
        await app.execute(AgentCommand(user_prompt="new", session_id="s", user_id="ann"))
    async with running(store_at(database)) as store:
        loaded = await store.load("s", owner=ConversationOwner("ann"), max_turns=9)

    new = [messages.UserMessage("new"), messages.AssistantMessage("new answer")]
    assert list(model.requests[0].messages) == [*MESSAGES_OF_0_1, new[0]]
    assert list(loaded) == [*MESSAGES_OF_0_1, *new]


async def test_an_upgrade_twice_does_nothing(database: str) -> None:
    """The second one says that nothing was to be done."""
    first = await store_at(database).upgrade_schema()
    second = await store_at(database).upgrade_schema()

    assert (first.before, first.after) == (None, SCHEMA.head)
    assert (second.before, second.after) == (SCHEMA.head, SCHEMA.head)


async def test_two_upgrades_at_once_do_the_work_once(database: str) -> None:
    """As when several machines start a new version."""
    async with asyncio.TaskGroup() as group:
        upgrades = [group.create_task(store_at(database).upgrade_schema()) for _ in range(4)]

    found = [each.result().before for each in upgrades]
    assert sorted(found, key=str) == [SCHEMA.head] * 3 + [None]


async def test_an_upgrade_waits_for_another_program(sqlite_database: str) -> None:
    """Also in a file that is not in the write-ahead mode yet."""
    file = make_url(sqlite_database).database
    assert file is not None
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        upgrade = asyncio.create_task(store_at(sqlite_database).upgrade_schema())
        done, _ = await asyncio.wait([upgrade], timeout=0.2)
        other.execute("COMMIT")

    assert not done
    assert (await upgrade).after == SCHEMA.head


async def test_a_newer_database_is_left_alone(database: str) -> None:
    """The upgrade is refused, with what to do instead."""
    await migrated(database)
    await execute(database, "UPDATE arc_schema SET version_num = '0099'")

    with pytest.raises(ConfigurationError, match="install a newer version of Arc"):
        await store_at(database).upgrade_schema()


async def test_an_upgrade_that_fails_changes_nothing(database: str) -> None:
    """All steps or none: what stood in the way can be removed, and the upgrade run again."""
    await execute(database, "CREATE TABLE arc_summaries (mine INTEGER)")

    with pytest.raises(ConfigurationError):
        await store_at(database).upgrade_schema()

    await execute(database, "DROP TABLE arc_summaries")
    done = await store_at(database).upgrade_schema()
    assert done.before is None


async def test_sqlite_readers_do_not_wait_for_writers(sqlite_database: str) -> None:
    """The file keeps a write-ahead log."""
    engine = make_engine(conversation_address(await migrated(sqlite_database)))
    async with engine.connect() as connection:
        mode = await connection.scalar(text("PRAGMA journal_mode"))
    await engine.dispose()

    assert mode == "wal"
