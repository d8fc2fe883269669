"""A text in another spelling, and where each part of it stands in the one that was given."""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

__all__ = ["CleanText"]


@dataclass(frozen=True, slots=True)
class _Changes:
    """The changes of one pass, from the beginning to the end.

    Attributes:
        old_starts: Where each change begins in the text before.
        old_ends: Where it ends there.
        new_starts: Where it begins in the text after.
        new_ends: Where it ends there.
    """

    old_starts: list[int] = field(default_factory=list)
    old_ends: list[int] = field(default_factory=list)
    new_starts: list[int] = field(default_factory=list)
    new_ends: list[int] = field(default_factory=list)

    def add(self, *, old: tuple[int, int], new: tuple[int, int]) -> None:
        self.old_starts.append(old[0])
        self.old_ends.append(old[1])
        self.new_starts.append(new[0])
        self.new_ends.append(new[1])

    def start_before(self, place: int) -> int:
        """Return the origin of the character at a place, without what was left out before it."""
        change = bisect_right(self.new_starts, place) - 1
        if change < 0:
            return place
        if place < self.new_ends[change]:
            return self.old_starts[change]
        return self.old_ends[change] + place - self.new_ends[change]

    def end_before(self, place: int) -> int:
        """Behind where the last character before a place has come from."""
        change = bisect_right(self.new_starts, place - 1) - 1
        if change < 0:
            return place
        if place <= self.new_ends[change]:
            return self.old_ends[change]
        return self.old_ends[change] + place - self.new_ends[change]

    def place_after(self, place: int) -> int:
        """Return the place in the text after of one in the text before."""
        change = bisect_right(self.old_starts, place) - 1
        if change < 0:
            return place
        if place < self.old_ends[change]:
            return self.new_starts[change]
        return self.new_ends[change] + place - self.old_ends[change]


class CleanText:
    """A text that is rewritten in passes and knows where every part of it has come from.

    Args:
        text: As it was given.

    Attributes:
        text: As it reads now.
        invisible: How many invisible characters it had.
    """

    __slots__ = ("_passes", "invisible", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.invisible = 0
        self._passes: list[_Changes] = []

    @classmethod
    def of(cls, text: str, *, is_final: bool = True) -> Self:
        """The text as it was given, whether it goes on or not."""
        return cls(text)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """From where to where a part of the text stood in the one that was given."""
        is_empty = start >= end
        for changes in reversed(self._passes):
            start = changes.start_before(start)
            end = start if is_empty else changes.end_before(end)
        return start, end

    def place(self, given: int) -> int:
        """Return the place in this text of one in the text that was given."""
        for changes in self._passes:
            given = changes.place_after(given)
        return min(given, len(self.text))

    def replace(self, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> None:
        """Put something else wherever a pattern matches."""
        text, changes, pieces = self.text, _Changes(), list[str]()
        shown = length = 0
        for match in pattern.finditer(text):
            instead = new(match)
            if instead == match[0]:
                continue
            start, end = match.span()
            length += start - shown
            changes.add(old=(start, end), new=(length, length + len(instead)))
            length += len(instead)
            pieces += (text[shown:start], instead)
            shown = end
        if pieces:
            self.text = "".join((*pieces, text[shown:]))
            self._passes.append(changes)
