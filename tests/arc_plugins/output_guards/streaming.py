"""Answers in pieces, past a guard."""

from collections.abc import Iterable, Sequence

from arc_core.testing.conformance.guards.output_guard import RejectedError, stream
from arc_core.testing.conformance.guards.output_guard import leave as mask

__all__ = ["RejectedError", "cut", "mask", "stream"]


def cut(text: str, places: Iterable[int]) -> Sequence[str]:
    """A text in pieces, cut at some places."""
    ends = [*sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]
