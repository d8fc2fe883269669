"""One run does the work that identical runs wait for."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Landed(Generic[T]):
    """The result of the leader of a key.

    Attributes:
        value: What it shares; None if that is for itself alone.
    """

    value: T | None


class SingleFlight(Generic[T]):
    """Lets the first of identical runs lead, and those that come meanwhile wait.

    A leader that fails or is cancelled leaves the lead to exactly one of those who wait.
    """

    def __init__(self) -> None:
        self._flights: dict[str, asyncio.Future[Landed[T]]] = {}

    async def wait_for_leader(self, key: str) -> Landed[T] | None:
        """Wait for the leader of a key; None if there is none, and the caller is to lead at once.

        Between this answer and `lead` nothing may be awaited.
        """
        while (flight := self._flights.get(key)) is not None:
            await asyncio.wait((flight,))
            if not flight.cancelled():
                return flight.result()
        return None

    @contextmanager
    def lead(self, key: str) -> Iterator["asyncio.Future[Landed[T]]"]:
        """Lead: set the result of the future for those who wait, or leave without one."""
        flight = self._flights[key] = asyncio.get_running_loop().create_future()
        try:
            yield flight
        finally:
            del self._flights[key]
            flight.cancel()
