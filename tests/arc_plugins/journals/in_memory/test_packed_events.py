"""Events in little memory."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import ReasoningDelta, TextDelta, ToolCall, ToolCallStarted
from arc_plugins.journals.in_memory.packed_events import PackedEvents


def _event(kind: int, text: str, run_id: str, seq: int) -> Any:
    if kind == 2:
        return ToolCallStarted(ToolCall("c1", text, "{}"), run_id=run_id, seq=seq)
    return (TextDelta, ReasoningDelta)[kind](text, run_id=run_id, seq=seq)


EVENTS = st.lists(
    st.builds(
        _event,
        st.integers(0, 2),
        st.text(max_size=3),
        st.sampled_from(["r1", "r2"]),
        st.integers(1, 4),
    )
)


def seen(event: Any) -> tuple[Any, str, int]:
    """Also what does not count when events are compared."""
    return event, event.run_id, event.seq


@given(EVENTS)
def test_packed_events_are_the_same_at_the_same_places(events: list[Any]) -> None:
    """Whatever stands beside what."""
    packed = PackedEvents(events)

    assert list(map(seen, packed)) == list(map(seen, events))
    assert list(map(seen, reversed(packed))) == list(map(seen, reversed(events)))
    assert list(map(seen, packed[1:-1])) == list(map(seen, events[1:-1]))
    with pytest.raises(IndexError):
        packed[len(events)]


def test_pieces_of_one_text_are_kept_as_one() -> None:
    """A text of many pieces takes few objects."""
    packed = PackedEvents(TextDelta("word ", run_id="r1", seq=n) for n in range(1, 1_001))

    assert len(packed) == 1_000
    assert len(packed._items) == 1
    assert (packed[-1], packed[-1].seq) == (TextDelta("word "), 1_000)
