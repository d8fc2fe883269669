"""Reads share a statement, and each begins after it was asked for."""

import asyncio
from collections.abc import Collection

import pytest

from arc_plugins.credentials.keeping.shared_reads import SharedReads


class Table:
    """Rows that are read when the test lets a statement end.

    Attributes:
        rows: By their keys.
        asked: The keys of each statement, sorted.
        may_end: Holds statements.
    """

    def __init__(self) -> None:
        self.rows = {"a": 1, "b": 1}
        self.asked: list[list[str]] = []
        self.begun, self.may_end = asyncio.Event(), asyncio.Event()

    async def read_many(self, keys: Collection[str]) -> dict[str, int]:
        """Read what there is at the beginning."""
        self.asked.append(sorted(keys))
        found = {key: self.rows[key] for key in keys if key in self.rows}
        self.begun.set()
        await self.may_end.wait()
        return found


async def test_those_who_ask_meanwhile_share_the_next_statement() -> None:
    """Which sees what has changed since the one before began."""
    table = Table()
    reads = SharedReads(table.read_many)
    first = asyncio.create_task(reads.read("a"))
    await table.begun.wait()
    table.rows = {"a": 2}
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        later = [group.create_task(reads.read(key)) for key in ("a", "b", "a")]
        group.create_task(asyncio.sleep(0)).add_done_callback(lambda _: table.may_end.set())

    assert await first == 1
    assert [each.result() for each in later] == [2, None, 2]
    assert table.asked == [["a"], ["a", "b"]]


async def test_a_cancellation_leaves_the_others_their_statement() -> None:
    """Also that of the one who was first to ask."""
    table = Table()
    reads = SharedReads(table.read_many)
    first, second = (asyncio.create_task(reads.read("a")) for _ in range(2))
    await table.begun.wait()
    first.cancel()
    table.may_end.set()

    assert await second == 1
    with pytest.raises(asyncio.CancelledError):
        await first
    assert table.asked == [["a"]]


async def test_a_failure_is_that_of_all_who_asked() -> None:
    """And the next ones are not kept from asking."""
    failures = [OSError("away")]

    async def read_many(keys: Collection[str]) -> dict[str, int]:
        if failures:
            raise failures.pop()
        return dict.fromkeys(keys, 1)

    reads = SharedReads(read_many)
    asked = [asyncio.create_task(reads.read(key)) for key in "ab"]
    await asyncio.wait(asked)

    assert [type(each.exception()) for each in asked] == [OSError, OSError]
    assert await reads.read("a") == 1
