"""The event loop on which an application lives, since its locks and connections belong to it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from types import AsyncGeneratorType
from typing import Any, TypeVar
from weakref import WeakSet

from arc_autoconfig.errors import ApplicationStateError

__all__ = ["HomeLoop", "is_in_event_loop", "not_started_error"]

T = TypeVar("T")


class HomeLoop:
    """Remembers the event loop of the start, and refuses all others until it is left."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._streams = WeakSet[AsyncGeneratorType[Any, None]]()

    def enter(self) -> None:
        """From now on, only the running event loop will do."""
        self._loop = asyncio.get_running_loop()

    def leave(self) -> None:
        """From now on, every event loop will do."""
        self._loop = None

    def check(self) -> None:
        """Do nothing on the loop that was entered, or if none was.

        Raises:
            ApplicationStateError: Another event loop is running.
        """
        if self._loop is not None and self._loop is not asyncio.get_running_loop():
            raise ApplicationStateError(
                "the application was started on another event loop",
                evidence=["its locks, permits and connections belong to that loop"],
                remedy="use and close it on the loop that started it, or make another Application",
            )

    def keep(self, stream: AsyncGenerator[T]) -> AsyncGenerator[T]:
        """The stream itself, or, made without a loop, one that checks where it is read.

        It is closed with the application, if it is still open then.

        Raises:
            ApplicationStateError: Another event loop is running.
        """
        if is_in_event_loop():
            self.check()
        else:
            stream = self._read_at_home(stream)
        if isinstance(stream, AsyncGeneratorType):
            self._streams.add(stream)
        return stream

    async def close_streams(self) -> None:
        """Close what is not read any more; event loops cannot, as streams are nested."""
        for stream in tuple(self._streams):
            if not stream.ag_running:
                await stream.aclose()

    async def _read_at_home(self, stream: AsyncGenerator[T]) -> AsyncGenerator[T]:
        self.check()
        async with aclosing(stream):
            async for each in stream:
                yield each


def is_in_event_loop() -> bool:
    """Return whether an event loop is running in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def not_started_error() -> ApplicationStateError:
    """Return the error of a caller that uses an application before its start, or after its end."""
    return ApplicationStateError(
        "the application is not started",
        remedy="use it inside `async with app:`, or call app.run(…) in a script",
    )
