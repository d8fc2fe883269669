"""The arguments of a call that comes in pieces, each with the place where it belongs."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d{1,6})\]|\['([^']*)'\]|\[\"([^\"]*)\"\]")
_MAX_STEPS = 64


class PartialArguments:
    """Puts the arguments of one call together.

    Attributes:
        value: The arguments so far.
    """

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}

    def add(self, piece: Mapping[str, Any]) -> None:
        """Take a piece: texts at one place are appended, other values are set.

        Args:
            piece: With a `jsonPath` such as `$.steps[0].name`, and one value.

        Raises:
            ValueError: There is not such a place, nor can it be the next one.
            TypeError: A name is of something that has no names.
        """
        steps = _read_steps(piece["jsonPath"])
        last = steps[-1]
        container: Any = self.value
        for step, following in pairwise(steps):
            container = _open(container, step, [] if isinstance(following, int) else {})
        text = piece.get("stringValue")
        if isinstance(text, str):
            known = _open(container, last, "")
            container[last] = known + text if isinstance(known, str) else text
        else:
            _open(container, last, None)
            container[last] = piece.get("boolValue", piece.get("numberValue"))


def _open(container: Any, step: str | int, otherwise: Any) -> Any:
    """The value at a place, which is made if it is the next one."""
    if isinstance(step, str):
        if not isinstance(container, dict):
            raise TypeError("a piece of a call is named in what has no names")
        return container.setdefault(step, otherwise)
    if not isinstance(container, list) or step > len(container):
        raise ValueError("a piece of a call is at a place that is not there")
    if step == len(container):
        container.append(otherwise)
    return container[step]


def _read_steps(path: str) -> list[str | int]:
    steps = list(_iterate_steps(path))
    if not steps or len(steps) > _MAX_STEPS:
        raise ValueError("a piece of a call has no place, or a very deep one")
    return steps


def _iterate_steps(path: str) -> Iterator[str | int]:
    position = 1  # behind the $
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            raise ValueError("the place of a piece of a call cannot be read")
        name, index, single, double = step.groups()
        yield (
            int(index)
            if index is not None
            else next(each for each in (name, single, double) if each is not None)
        )
        position = step.end()
