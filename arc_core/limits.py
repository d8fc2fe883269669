"""How far a run may go: bounds of a command, of an agent and of the settings."""

from dataclasses import dataclass
from typing import TypeVar

__all__ = ["Limits"]

Bound = TypeVar("Bound", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one run; of several that count for it the smallest holds.

    Attributes:
        max_tool_calls: At most this many tool calls; None leaves it open.
        deadline_s: Seconds from the admission of the run to its answer; None leaves it
            open.

    Raises:
        ValueError: A bound is negative, or the deadline is 0.
    """

    max_tool_calls: int | None = None
    deadline_s: float | None = None

    def __post_init__(self) -> None:
        if self.max_tool_calls is not None and self.max_tool_calls < 0:
            raise ValueError(f"max_tool_calls is {self.max_tool_calls}: give it 0 or more")
        if self.deadline_s is not None and not self.deadline_s > 0:
            raise ValueError(f"deadline_s is {self.deadline_s}: give it more than 0 seconds")

    def within(self, other: "Limits") -> "Limits":
        """The smaller of both for each bound."""
        return Limits(
            max_tool_calls=_smaller(self.max_tool_calls, other.max_tool_calls),
            deadline_s=_smaller(self.deadline_s, other.deadline_s),
        )


def _smaller(one: Bound | None, other: Bound | None) -> Bound | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
