"""Reads that share a statement: those asked for while one is under way are answered by the next.

Nothing is kept for later: a read begins after it was asked for, and so it sees what any process has
put, renewed or removed before.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class SharedReads(Generic[K, V]):
    """Reads the values of those keys that have one, one statement at a time."""

    def __init__(self, read_many: Callable[[Collection[K]], Awaitable[Mapping[K, V]]]) -> None:
        self._read_many = read_many
        self._one_at_a_time = asyncio.Lock()
        self._keys: set[K] = set()
        self._next: asyncio.Task[Mapping[K, V]] | None = None
        self._running: set[asyncio.Task[Mapping[K, V]]] = set()

    async def read(self, key: K) -> V | None:
        """Return the value of a key; None if there is none."""
        task = self._next
        if task is None:
            task = self._next = asyncio.create_task(self._read_all())
            self._running.add(task)
            task.add_done_callback(self._forget)
        self._keys.add(key)
        return (await asyncio.shield(task)).get(key)

    async def aclose(self) -> None:
        """Wait for what is under way, whose connection would be lost if it was cancelled."""
        if self._running:
            await asyncio.wait(tuple(self._running))

    async def _read_all(self) -> Mapping[K, V]:
        async with self._one_at_a_time:
            keys, self._keys, self._next = self._keys, set(), None
            return await self._read_many(keys)

    def _forget(self, task: asyncio.Task[Mapping[K, V]]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # all who asked may have been cancelled
