"""Makes a run wait for those who read it, so that a slow reader does not make it run ahead."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Pace", "Reading"]

_MAX_BEHIND = 256
_PATIENCE_S = 30.0


class Reading:
    """Where one reader is.

    Attributes:
        place: How many events it has taken.
    """

    def __init__(self, place: int, pace: "Pace") -> None:
        self.place = place
        self._pace = pace

    def take(self) -> None:
        """Go on by one event."""
        self.place += 1
        self._pace.note()


class Pace:
    """Holds up the writer while all readers are far behind, and for no longer than a while.

    Args:
        max_behind: How many events a reader may be behind.
        patience_s: How long the writer waits before it goes on without readers, in seconds.
    """

    def __init__(self, *, max_behind: int = _MAX_BEHIND, patience_s: float = _PATIENCE_S) -> None:
        self._max_behind, self._patience_s = max_behind, patience_s
        self._readings: set[Reading] = set()
        self._news: asyncio.Event | None = None
        self._is_over = False

    @contextmanager
    def reading(self, place: int) -> Iterator[Reading]:
        """A reader that has taken so many events, while it is there."""
        reading = Reading(place, self)
        self._readings.add(reading)
        try:
            yield reading
        finally:
            self._readings.discard(reading)
            self.note()

    def note(self) -> None:
        """Have the writer look again."""
        if self._news is not None:
            self._news.set()

    def end(self) -> None:
        """Hold up nothing any more: the run is to end."""
        self._is_over = True
        self.note()

    async def wait(self, told: int) -> None:
        """Wait until a reader is near.

        Args:
            told: How many events there are.
        """
        if not self._is_far(told):
            return
        self._news = asyncio.Event()
        try:
            async with asyncio.timeout(self._patience_s):
                while self._is_far(told):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            self._is_over = True
        finally:
            self._news = None

    def _is_far(self, told: int) -> bool:
        if self._is_over or not self._readings:
            return False
        return all(told - each.place > self._max_behind for each in self._readings)
