"""The boundary to code of others: whatever a component or a plugin raises is its own failure."""

import asyncio
from typing import Self

__all__ = ["Contained"]


class Contained:
    """Keeps what the code inside raises, whatever class it has, and goes on behind it.

        with Contained() as attempt:
            component = reference.load()
        if attempt.error is not None:
            ...

    Ctrl-C leaves, and so does the cancellation of the caller's own task.

    Args:
        passing: Errors that leave, too.

    Attributes:
        error: What was raised; None if nothing was.
    """

    def __init__(self, *, passing: tuple[type[BaseException], ...] = ()) -> None:
        self.error: BaseException | None = None
        self._passing = passing

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if (
            error is None
            or isinstance(error, (KeyboardInterrupt, *self._passing))
            or _is_own_cancellation(error)
        ):
            return False
        self.error = error
        return True


def _is_own_cancellation(error: BaseException) -> bool:
    """Return True if the caller's task was cancelled, and not the component's own."""
    if not isinstance(error, asyncio.CancelledError):
        return False
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no event loop is running
        return False
    return task is not None and task.cancelling() > 0
