"""What a conversation costs, by its length: `python -m benchmarks.conversations`.

Appends and loads of pairs, in memory, in SQLite and, where `ARC_BENCH_POSTGRES_URL` is set, in
PostgreSQL, in a schema of its own. Sessions of all lengths are measured in turns in one process;
the last column compares the longest with the one of 100 turns.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import SecretStr
from sqlalchemy import make_url, text

from arc_core import AssistantMessage, ConversationOwner, ConversationStore, Message, UserMessage
from arc_core.stores.async_sql import make_engine
from arc_plugins.conversations.in_memory_store import InMemoryConversationStore
from arc_plugins.conversations.settings import HistorySettings
from arc_plugins.conversations.sql.database import conversation_address
from arc_plugins.conversations.sql.store import SqlConversationStore

LENGTHS = (10, 100, 1_000, 10_000)
OWNER = ConversationOwner("ann")
ANSWER = "Seoul has 21 degrees and a light wind from the west. " * 8
MAX_TURNS = 10
ONE_APPEND = 1_000
"""Turns that are stored at once while a session is filled."""

Work = Callable[[ConversationStore, str], Awaitable[object]]


def pairs(count: int) -> list[Message]:
    """Questions and answers, no two alike."""
    return [
        message
        for number in range(count)
        for message in (UserMessage(f"question {number}"), AssistantMessage(f"{ANSWER}{number}"))
    ]


async def load(store: ConversationStore, session: str) -> object:
    """The last turns."""
    return await store.load(session, owner=OWNER, max_turns=MAX_TURNS)


async def append(store: ConversationStore, session: str) -> object:
    """One more pair."""
    return await store.append(session, pairs(1), owner=OWNER)


async def fill(store: ConversationStore, lengths: tuple[int, ...]) -> None:
    """A session of each length."""
    for length in lengths:
        for start in range(0, length, ONE_APPEND):
            await store.append(str(length), pairs(min(ONE_APPEND, length - start)), owner=OWNER)


async def measure(store: ConversationStore, work: Work, session: str, *, times: int) -> float:
    """Microseconds of one piece of work."""
    began = time.perf_counter()
    for _ in range(times):
        await work(store, session)
    return (time.perf_counter() - began) / times * 1e6


@asynccontextmanager
async def open_store(url: str) -> AsyncIterator[SqlConversationStore]:
    """A store on a database of its own."""
    store = SqlConversationStore(settings=HistorySettings(url=SecretStr(url)))
    await store.upgrade_schema()
    await store.start()
    try:
        yield store
    finally:
        await store.aclose()


@asynccontextmanager
async def schema_at(url: str) -> AsyncIterator[str]:
    """The address of an empty schema that is dropped in the end."""
    name = f"arc_bench_{uuid.uuid4().hex}"
    engine = make_engine(conversation_address(url))
    async with engine.begin() as connection:
        await connection.execute(text(f"CREATE SCHEMA {name}"))
    try:
        with_schema = make_url(url).update_query_dict({"search_path": name})
        yield with_schema.render_as_string(hide_password=False)
    finally:
        async with engine.begin() as connection:
            await connection.execute(text(f"DROP SCHEMA {name} CASCADE"))
        await engine.dispose()


async def report(name: str, store: ConversationStore, asked: argparse.Namespace) -> None:
    """Two lines of the table: loads and appends."""
    lengths: tuple[int, ...] = tuple(asked.turns)
    await fill(store, lengths)
    for work in (load, append):
        figures: dict[int, list[float]] = {length: [] for length in lengths}
        for _ in range(asked.rounds):
            for length, values in figures.items():
                values.append(await measure(store, work, str(length), times=asked.times))
        medians = [statistics.median(values) for values in figures.values()]
        reference = medians[lengths.index(100)] if 100 in lengths else medians[0]
        cells = " ".join(f"{median:9.0f}" for median in medians)
        print(f"{name:12} {work.__name__:7} {cells}   {medians[-1] / reference:5.2f}")


def options() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.conversations", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="measurements of each (9)")
    parser.add_argument("--times", type=int, default=50, help="calls of each measurement (50)")
    parser.add_argument("--turns", type=int, nargs="*", default=list(LENGTHS), metavar="N")
    return parser.parse_args()


async def main() -> None:
    """Measure and report."""
    asked = options()
    columns = " ".join(f"{length:>9}" for length in asked.turns)
    print(f"{'microseconds, at turns':20} {columns}   ratio")
    await report("memory", InMemoryConversationStore(max_messages=10**9), asked)
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(f"sqlite:///{Path(folder, 'talk.db')}") as store:
            await report("SQLite", store, asked)
    if url := os.environ.get("ARC_BENCH_POSTGRES_URL"):
        async with schema_at(url) as own, open_store(own) as store:
            await report("PostgreSQL", store, asked)
    else:
        print("PostgreSQL: set ARC_BENCH_POSTGRES_URL to measure it", file=sys.stderr)


if __name__ == "__main__":
    asyncio.run(main())
