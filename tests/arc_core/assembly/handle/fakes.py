"""Sources, assemblers and listeners that work, fail or wait as a test wants."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from arc_core.assembly import StreamHandle

__all__ = [
    "BOOM",
    "END",
    "AsyncRecorder",
    "Handle",
    "Joining",
    "Recorder",
    "Source",
    "ends",
    "source_of",
]

BOOM = ConnectionError("boom")
Handle = StreamHandle[str, str]
END: dict[str, Callable[[Handle], Any]] = {
    "complete": lambda handle: handle.complete(),
    "fail": lambda handle: handle.fail(BOOM),
    "cancel": lambda handle: handle.cancel(),
}
"""The ways to end a stream by hand."""


class Joining:
    """Joins texts; raises what it is told to, at one delta or in every `build`."""

    def __init__(
        self,
        *,
        bad_delta: str | None = None,
        error: Exception | None = None,
        build_error: Exception | None = None,
    ) -> None:
        self._bad_delta, self._error = bad_delta, error or ValueError("bad delta")
        self._build_error = build_error
        self._texts: list[str] = []

    def apply_delta(self, delta: str, /) -> None:
        """Append a text."""
        if delta == self._bad_delta:
            raise self._error
        self._texts.append(delta)

    def build(self) -> str:
        """All texts."""
        if self._build_error is not None:
            raise self._build_error
        return "".join(self._texts)


class Source:
    """Gives texts, then waits, ends or fails; knows whether it was closed.

    Attributes:
        closed: How often it was closed.
        is_waiting: Set once everything was given and it waits.
    """

    def __init__(
        self,
        texts: str = "",
        *,
        error: BaseException | None = None,
        waits: bool = False,
        close_error: Exception | None = None,
    ) -> None:
        self.closed = 0
        self.is_waiting = asyncio.Event()
        self._texts = list(texts)
        self._error = error
        self._waits = waits
        self._close_error = close_error

    def __aiter__(self) -> "Source":
        return self

    async def __anext__(self) -> str:
        if self._texts:
            return self._texts.pop(0)
        if self._waits:
            self.is_waiting.set()
            await asyncio.Event().wait()
        if self._error is not None:
            raise self._error
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Close it."""
        self.closed += 1
        if self._close_error is not None:
            raise self._close_error


async def source_of(texts: str) -> AsyncIterator[str]:
    """A generator of texts."""
    for text in texts:
        yield text


class Recorder:
    """Writes down every call; raises in the one it is told to.

    Attributes:
        calls: The calls, `next a` or `complete`.
        error: What `on_error` was told.
    """

    def __init__(self, *, raises_in: str | None = None) -> None:
        self.calls: list[str] = []
        self.error: BaseException | None = None
        self._raises_in = raises_in

    def on_next(self, delta: str) -> None:
        """Record it."""
        self._record("next", f" {delta}")

    def on_error(self, error: BaseException) -> None:
        """Record it."""
        self.error = error
        self._record("error")

    def on_complete(self) -> None:
        """Record it."""
        self._record("complete")

    def on_cancel(self) -> None:
        """Record it."""
        self._record("cancel")

    def _record(self, call: str, detail: str = "") -> None:
        self.calls.append(call + detail)
        if self._raises_in == call:
            raise RuntimeError(f"listener fails in {call}")


class AsyncRecorder(Recorder):
    """The same with async methods, each of which waits for its turn."""

    async def on_next(self, delta: str) -> None:  # type: ignore[override]
        """Record it."""
        await asyncio.sleep(0)
        super().on_next(delta)

    async def on_error(self, error: BaseException) -> None:  # type: ignore[override]
        """Record it."""
        await asyncio.sleep(0)
        super().on_error(error)

    async def on_complete(self) -> None:  # type: ignore[override]
        """Record it."""
        await asyncio.sleep(0)
        super().on_complete()

    async def on_cancel(self) -> None:  # type: ignore[override]
        """Record it."""
        await asyncio.sleep(0)
        super().on_cancel()


def ends(handle: Any) -> tuple[bool, bool, bool]:
    """Whether a handle is done, failed and cancelled."""
    return handle.is_done, handle.is_error, handle.is_cancelled
