"""Wakes those of this process who wait for something in the database."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Wakeups", "wait_briefly"]


class Wakeups:
    """The readers of each run in this process, and the one who hands tickets on."""

    def __init__(self) -> None:
        self._readers: dict[str, set[asyncio.Event]] = {}
        self._look = asyncio.Event()

    def wake_readers(self, run_id: str) -> None:
        """Have the readers of a run look, since something was written of it."""
        for reader in self._readers.get(run_id, ()):
            reader.set()

    @contextmanager
    def reading(self, run_id: str) -> Iterator[asyncio.Event]:
        """An event that is set when something is written of a run here."""
        reader = asyncio.Event()
        readers = self._readers.setdefault(run_id, set())
        readers.add(reader)
        try:
            yield reader
        finally:
            readers.discard(reader)
            if not readers:
                self._readers.pop(run_id, None)

    def look(self) -> None:
        """Have the tickets looked at, since a run may be queued whose ticket is not carried."""
        self._look.set()

    async def wait_to_look(self, seconds: float) -> None:
        """Wait until there is something to look at, or for a while."""
        await wait_briefly(self._look, seconds)
        self._look.clear()


async def wait_briefly(event: asyncio.Event, seconds: float) -> None:
    """Wait until an event is set, or for a while."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
