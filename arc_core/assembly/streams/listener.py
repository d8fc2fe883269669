"""Who is told what happens to a stream."""

from collections.abc import Awaitable
from typing import Generic, TypeVar

__all__ = ["StreamListener"]

T_contra = TypeVar("T_contra", contravariant=True)


class StreamListener(Generic[T_contra]):
    """Methods a `StreamHandle` calls, one at a time and in order, outside of any lock.

    Override what you need, with plain or `async` methods; any object that has some of these methods
    will do as well. Async ones are awaited in the event loop that the handle was made in. What a
    method raises ends the stream as a `ListenerError`.
    """

    def on_next(self, delta: T_contra, /) -> Awaitable[None] | None:
        """A delta has been assembled: it is part of `snapshot()` already."""

    def on_error(self, error: BaseException, /) -> Awaitable[None] | None:
        """The source, the assembler or this listener failed; the last call."""

    def on_complete(self) -> Awaitable[None] | None:
        """The source has ended; the last call."""

    def on_cancel(self) -> Awaitable[None] | None:
        """The stream was cancelled; the last call."""
