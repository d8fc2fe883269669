"""Problems of values and texts, with the place, which is found on the way out."""

from collections.abc import Iterator
from contextlib import contextmanager

from arc_core.errors import FormError

__all__ = ["Flaw", "name_place", "show"]

_MAX_SHOWN_CHARS = 60
_MAX_PLACE_CHARS = 200


class Flaw(Exception):  # noqa: N818 -- becomes a FormError as soon as its place is whole
    """Something that cannot be written or read.

    Attributes:
        problem: What is wrong.
        remedy: What to do about it.
    """

    def __init__(self, problem: str, *, remedy: str) -> None:
        super().__init__(problem)
        self.problem, self.remedy = problem, remedy
        self._steps: list[str | int] = []

    def within(self, step: str | int) -> "Flaw":
        """The flaw, seen from the object or the array in which it stands.

        Args:
            step: A key or an index.
        """
        self._steps.append(step)
        return self

    @property
    def place(self) -> str:
        """As in `$.messages[2].content`; cut if it is long."""
        place = "$" + "".join(map(_step, reversed(self._steps)))
        return place if len(place) <= _MAX_PLACE_CHARS else f"{place[:_MAX_PLACE_CHARS]}…"


@contextmanager
def name_place() -> Iterator[None]:
    """Turn a flaw into an error with its whole place.

    Raises:
        FormError: The body raised a flaw.
    """
    try:
        yield
    except Flaw as flaw:
        raise FormError(flaw.problem, place=flaw.place, remedy=flaw.remedy) from flaw.__cause__


def show(name: object) -> str:
    """A name for people; its beginning if it is long."""
    shown = repr(name)
    return shown if len(shown) <= _MAX_SHOWN_CHARS else f"{shown[:_MAX_SHOWN_CHARS]}…"


def _step(step: str | int) -> str:
    if isinstance(step, str) and step.isidentifier() and len(step) <= _MAX_SHOWN_CHARS:
        return f".{step}"
    return f"[{show(step)}]"
