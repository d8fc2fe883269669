"""Where what is read of a session begins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.messages.sessions import first_turn

counts = st.integers(0, 300)


@given(counts, st.integers(-3, 60), st.integers(1, 60))
def test_never_more_turns_than_asked_for(turns: int, max_turns: int, step: int) -> None:
    """Nor fewer than one, if one was asked for and there is one."""
    read = turns - first_turn(turns, max_turns=max_turns, step=step)

    assert min(turns, max_turns, 1) <= read <= max(max_turns, 0)


@given(counts, st.integers(1, 60))
def test_in_steps_of_half_at_least_half_is_read(turns: int, max_turns: int) -> None:
    """The beginning is a multiple of half of the window."""
    step = max(1, max_turns // 2)

    first = first_turn(turns, max_turns=max_turns, step=step)

    assert first % step == 0
    assert turns - first >= min(turns, max_turns / 2)


@pytest.mark.parametrize(
    ("max_turns", "step", "firsts"),
    [
        (0, 1, [0, 1, 2, 3, 4, 5, 6, 7]),
        (1, 1, [0, 0, 1, 2, 3, 4, 5, 6]),
        (4, 2, [0, 0, 0, 0, 0, 2, 2, 4]),
        (5, 2, [0, 0, 0, 0, 0, 0, 2, 2]),
        (3, 1, [0, 0, 0, 0, 1, 2, 3, 4]),
    ],
)
def test_a_growing_session_begins_alike(max_turns: int, step: int, firsts: list[int]) -> None:
    """For as many turns as a step has."""
    assert [first_turn(turns, max_turns=max_turns, step=step) for turns in range(8)] == firsts


def test_without_a_step_the_last_turns_are_read() -> None:
    """Exactly so many."""
    assert [first_turn(9, max_turns=most) for most in (-1, 0, 1, 5, 9, 10)] == [9, 9, 8, 4, 0, 0]
