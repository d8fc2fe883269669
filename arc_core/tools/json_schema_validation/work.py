"""The cost of a check, counted instead of timed, so that it ends the same everywhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["TooMuchWorkError", "bounded_work", "spend"]

_left: ContextVar[list[int]] = ContextVar("arc_json_schema_work")


class TooMuchWorkError(Exception):
    """A check was given up, since it would have taken more work than it may."""


@contextmanager
def bounded_work(steps: int) -> Iterator[None]:
    """Bound what is spent inside.

    Args:
        steps: A step is about what one keyword of a schema takes for one value: microseconds.
    """
    token = _left.set([steps])
    try:
        yield
    finally:
        _left.reset(token)


def spend(steps: int) -> None:
    """Take from what is left.

    Raises:
        TooMuchWorkError: Less is left.
        LookupError: Nothing bounds the work.
    """
    left = _left.get()
    left[0] -= steps
    if left[0] < 0:
        raise TooMuchWorkError
