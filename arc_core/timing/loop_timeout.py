"""A time-out that does not take a late event loop for a silent component."""

import asyncio
from types import TracebackType

_LOOKS = 20


class LoopTimeout:
    """Bounds what is awaited, in looks at what has come: `async with LoopTimeout(1.0):`.

    A loop that was busy for a second finds the answer and the end of an ordinary time-out in the
    same round, and would throw the answer away. Here a round counts once, however long it took.

    Args:
        seconds: How long, if the loop is on time. If each of its rounds takes longer than a
            twentieth of that, it is twenty rounds. None is for ever.
    """

    __slots__ = ("_alarm", "_left", "_pause_s", "_scope")

    def __init__(self, seconds: float | None) -> None:
        self._left, self._pause_s = _LOOKS, None if seconds is None else seconds / _LOOKS
        self._scope = asyncio.timeout(None)
        self._alarm: asyncio.TimerHandle | None = None

    def expired(self) -> bool:
        """True if the time is over, and the awaited work is or was cancelled for it."""
        return self._scope.expired()

    async def __aenter__(self) -> None:
        await self._scope.__aenter__()
        if self._pause_s is not None:
            self._wait(self._pause_s)

    async def __aexit__(
        self,
        cls: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        await self._scope.__aexit__(cls, error, traceback)

    def _wait(self, pause_s: float) -> None:
        loop = asyncio.get_running_loop()
        if self._left:
            self._left -= 1
            self._alarm = loop.call_later(pause_s, self._wait, pause_s)
        else:
            self._scope.reschedule(loop.time())
