"""Conversations in real databases."""

import asyncio
import json
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")
from sqlalchemy import insert, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import QueuePool

from arc_core import (
    AssistantMessage,
    ConfigurationError,
    ConversationOwner,
    ConversationStore,
    HandoffStore,
    ListsSessions,
    Message,
    OfferedToolsStore,
    SummaryStore,
    UserMessage,
)
from arc_core.interfaces.optional import HealthStatus
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.conversations.conversation_store import (
    ConversationStoreConformance,
)
from arc_core.testing.conformance.conversations.handoff_store import HandoffStoreConformance
from arc_core.testing.conformance.conversations.lists_sessions import ListsSessionsConformance
from arc_core.testing.conformance.conversations.offered_tools_store import (
    OfferedToolsStoreConformance,
)
from arc_core.testing.conformance.conversations.summary_store import SummaryStoreConformance
from arc_plugins.conversations.settings import HistorySettings
from arc_plugins.conversations.sql import statements
from arc_plugins.conversations.sql.database import messages, sessions
from arc_plugins.conversations.sql.store import SqlConversationStore
from tests.arc_plugins.conversations.sql.databases import migrated, opened_store, store_at
from tests.arc_plugins.ready_processes import go, ready_process

pytestmark = pytest.mark.slow

ANN = ConversationOwner("ann")

_PROCESS = """
import asyncio, sys
from pydantic import SecretStr
from arc_core import AssistantMessage, ConversationOwner, UserMessage
from arc_plugins.conversations.settings import HistorySettings
from arc_plugins.conversations.sql.store import SqlConversationStore

async def main(url, name, pairs):
    store = SqlConversationStore(settings=HistorySettings(url=SecretStr(url)))
    await store.start()
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(pairs):
        pair = [UserMessage(f"{name} {number}"), AssistantMessage(f"re {name} {number}")]
        await store.append("s", pair, owner=ConversationOwner("ann"), run_id=f"{name} {number}")
        print(f"{name} {number}", flush=True)
    await store.aclose()

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


class TestConformance(
    ConversationStoreConformance,
    SummaryStoreConformance,
    HandoffStoreConformance,
    OfferedToolsStoreConformance,
    ListsSessionsConformance,
):
    """It is a store like any other, on both databases."""

    @pytest.fixture(autouse=True)
    def _database(self, migrated_database: str) -> None:
        self._url = migrated_database

    def make_store(self) -> ConversationStore:
        return store_at(self._url)

    def make_handoff_store(self) -> HandoffStore:
        return store_at(self._url)

    def make_offered_tools_store(self) -> OfferedToolsStore:
        return store_at(self._url)

    def make_listing_store(self) -> ListsSessions:
        return store_at(self._url)

    def make_summary_store(self) -> SummaryStore:
        return store_at(self._url)


def turn(number: int) -> list[Message]:
    """A question and its answer."""
    return [UserMessage(f"question {number}"), AssistantMessage(f"answer {number}")]


async def fill(store: SqlConversationStore, turns: int) -> None:
    """Append so many turns at once."""
    everything = [message for number in range(turns) for message in turn(number)]
    await store.append("s", everything, owner=ANN)


async def test_what_says_the_same_is_the_same_object(database: str) -> None:
    """Chat models keep what they make of a message, so a second load gives the same ones."""
    async with await opened_store(database) as store:
        await fill(store, 2)
        first, second = [await store.load("s", owner=ANN, max_turns=2) for _ in range(2)]

    assert list(map(id, first)) == list(map(id, second))


async def test_another_store_sees_what_was_appended(database: str) -> None:
    """Conversations outlive the store, and its process."""
    async with await opened_store(database) as store:
        await fill(store, 1)
    async with running(store_at(database)) as store:
        loaded, owner = await store.load("s", owner=ANN, max_turns=9), await store.owner_of("s")

    assert list(loaded) == turn(0)
    assert owner == ANN


def test_it_works_on_another_event_loop(database: str) -> None:
    """Connections belong to a loop: the next start opens new ones."""
    store = store_at(database)

    async def live() -> int:
        await store.upgrade_schema()
        async with running(store):
            await store.append("s", turn(1), owner=ANN)
            return len(await store.load("s", owner=ANN, max_turns=9))

    lengths = []
    for _ in range(2):
        with asyncio.Runner() as runner:
            lengths.append(runner.run(live()))

    assert lengths == [2, 4]


async def test_a_store_that_is_not_started_says_so(sqlite_database: str) -> None:
    """Instead of an error about a missing attribute."""
    with pytest.raises(RuntimeError, match="not started"):
        await store_at(sqlite_database).load("s", owner=ANN, max_turns=1)


def test_a_store_without_an_address_says_what_to_set() -> None:
    """It may have been chosen by `components.conversation_store` alone."""
    with pytest.raises(ConfigurationError, match=r"set conversation\.url"):
        SqlConversationStore(settings=HistorySettings())


async def test_a_cancellation_at_any_moment_leaves_pairs(database: str) -> None:
    """Appends are whole or not there, no connection stays taken, and the store goes on."""
    async with await opened_store(database) as store:
        for moments in range(40):
            await store.owner_of("s")  # connects: the drivers forget what is cancelled then
            append = asyncio.ensure_future(store.append("s", turn(moments), owner=ANN))
            for _ in range(moments):
                await asyncio.sleep(0)
            append.cancel()
            await asyncio.wait([append])
        await store.append("s", turn(99), owner=ANN)
        loaded = list(await store.load("s", owner=ANN, max_turns=99))
        pool = store._open.pool
        assert isinstance(pool, QueuePool)
        taken = pool.checkedout()

    questions = [message.text for message in loaded if isinstance(message, UserMessage)]
    numbers = [int(question.split()[1]) for question in questions]
    assert loaded == [message for number in numbers for message in turn(number)]
    assert (numbers[-1], taken) == (99, 0)


async def test_errors_do_not_show_what_people_said(sqlite_database: str) -> None:
    """They get into logs, so they hold no parameters of statements."""
    async with await opened_store(sqlite_database) as store:
        async with store._open.begin() as connection:
            await connection.execute(text("DROP TABLE arc_messages"))
        with pytest.raises(OperationalError) as caught:
            await store.append("s", [UserMessage("my secret")], owner=ANN)

    assert "my secret" not in str(caught.value)


async def test_half_an_append_is_taken_back(database: str) -> None:
    """If the messages cannot be written, the session is not there either."""
    async with await opened_store(database) as store:
        async with store._open.begin() as connection:
            await connection.execute(text("ALTER TABLE arc_messages RENAME TO away"))
        with pytest.raises(Exception, match="arc_messages"):
            await store.append("s", turn(1), owner=ANN)
        owner = await store.owner_of("s")

    assert owner is None


async def test_forty_appends_at_once_all_arrive(database: str) -> None:
    """They wait for each other, in the database, and none of them gives up."""
    async with await opened_store(database) as store:
        async with asyncio.TaskGroup() as group:
            for number in range(40):
                group.create_task(store.append("s", turn(number), owner=ANN))
        loaded = await store.load("s", owner=ANN, max_turns=99)

    assert len(loaded) == 80


async def test_a_number_of_a_session_is_never_used_again(database: str) -> None:
    """A deleted session's number does not come back, and with it nothing of the session."""
    async with await opened_store(database) as store:
        numbers = []
        for _ in range(2):
            await store.append("s", turn(1), owner=ANN)
            async with store._open.connect() as connection:
                row = (await connection.execute(statements.session_row("s", ANN))).one()
            numbers.append(row[0])
            await store.delete("s")

    assert numbers[0] < numbers[1]


async def with_long_session(store: SqlConversationStore, turns: int) -> int:
    """The number of a session of so many turns, written without detours."""
    await store.append("s", [], owner=ANN)
    async with store._open.begin() as connection:
        session = (await connection.execute(statements.session_row("s", ANN))).one()[0]
        body = '{"role":"user","content":"q"}'
        rows = [
            {"session": session, "turn": number, "position": number, "body": body}
            for number in range(1, turns + 1)
        ]
        await connection.execute(insert(messages), rows)
        counts = {"turns": turns, "messages": turns}
        await connection.execute(sessions.update().values(counts))
    return session


async def test_sqlite_reads_the_last_turns_along_the_key(sqlite_database: str) -> None:
    """The plan is one search for session and turns; nothing is scanned or sorted."""
    async with await opened_store(sqlite_database) as store:
        session = await with_long_session(store, 10_000)
        statement = statements.turns_between(session, 9_991, 10_000).compile(
            store._open.sync_engine, compile_kwargs={"literal_binds": True}
        )
        async with store._open.connect() as connection:
            plan = [
                row[3] for row in await connection.execute(text(f"EXPLAIN QUERY PLAN {statement}"))
            ]

    assert len(plan) == 1
    assert plan[0].startswith("SEARCH arc_messages USING INDEX")
    assert plan[0].endswith("(session=? AND turn>? AND turn<?)")


async def rows_read(store: SqlConversationStore, session: int, last: int) -> tuple[str, int]:
    """How PostgreSQL reads ten turns, and how many rows it touches for it."""
    statement = statements.turns_between(session, last - 9, last).compile(
        store._open.sync_engine, compile_kwargs={"literal_binds": True}
    )
    async with store._open.connect() as connection:
        await connection.execute(text("ANALYZE arc_messages"))
        explained: Any = await connection.scalar(
            text(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}")
        )
    plan = (explained if isinstance(explained, list) else json.loads(explained))[0]["Plan"]
    return plan["Node Type"], plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)


async def test_postgres_reads_as_many_rows_as_it_returns(postgres_database: str) -> None:
    """An index scan of ten rows, of a session of ten thousand turns."""
    async with await opened_store(postgres_database) as store:
        session = await with_long_session(store, 10_000)
        found = await rows_read(store, session, 10_000)

    assert found == ("Index Scan", 10)


@contextmanager
def writing(url: str, *writers: tuple[str, int]) -> Iterator[Sequence[subprocess.Popen[str]]]:
    """Processes that append so many pairs of a name, and print each one they were promised."""
    with ExitStack() as stack:
        processes = [
            stack.enter_context(ready_process(_PROCESS, url, name, str(pairs)))
            for name, pairs in writers
        ]
        for process in processes:
            go(process)
        yield processes


def lines_of(process: subprocess.Popen[str], count: int) -> list[str]:
    """The next lines that it prints."""
    assert process.stdout is not None
    return [process.stdout.readline().strip() for _ in range(count)]


async def test_a_killed_process_loses_nothing_it_was_promised(database: str) -> None:
    """Two processes append to one session, one is killed: pairs adjacent, owner kept, all there."""
    url = await migrated(database)
    with writing(url, ("lives", 60), ("dies", 100_000)) as (lives, dies):
        promised = lines_of(dies, 30)
        dies.send_signal(signal.SIGKILL)
        promised += dies.communicate()[0].split("\n")[:-1]
        promised += lives.communicate()[0].split("\n")[:-1]

    async with running(store_at(url)) as store:
        loaded, owner = await store.load("s", owner=ANN, max_turns=10**6), await store.owner_of("s")

    questions = [message.text for message in loaded if isinstance(message, UserMessage)]
    assert owner == ANN
    assert set(promised) <= set(questions)
    assert {"lives 59", "dies 29"} <= set(promised)
    assert list(loaded) == [
        message
        for each in questions
        for message in (UserMessage(each), AssistantMessage(f"re {each}"))
    ]


async def test_processes_that_save_the_same_runs_save_them_once(database: str) -> None:
    """Two at once, of which one is killed and begun again: each run is there once, and whole."""
    url = await migrated(database)
    with writing(url, ("run", 60), ("run", 60)) as (first, second):
        lines_of(second, 20)
        second.send_signal(signal.SIGKILL)
        with writing(url, ("run", 60)) as (third,):
            third.communicate()
        first.communicate()

    async with running(store_at(url)) as store:
        loaded = list(await store.load("s", owner=ANN, max_turns=10**6))

    questions = [message.text for message in loaded[::2]]  # type: ignore[union-attr]
    assert sorted(questions) == sorted(f"run {number}" for number in range(60))
    assert [message.text for message in loaded[1::2]] == [  # type: ignore[union-attr]
        f"re {each}" for each in questions
    ]


async def test_it_checks_its_health(database: str) -> None:
    """By keeping a conversation for a moment, of which nothing is left."""
    await migrated(database)
    async with running(store_at(database)) as store:
        health = await store.check_health()
        async with store._open.connect() as connection:
            left = await connection.scalar(text("select count(*) from arc_sessions"))

    assert (health.status, left) == (HealthStatus.OK, 0)
    assert health.summary == "sql keeps what is written, and deletes it"
