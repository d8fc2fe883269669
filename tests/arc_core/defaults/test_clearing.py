"""What is cleared and left out first, and what stands in its place."""

from arc_core.defaults.clearing import clear_oldest
from arc_core.testing.conformance.conversations.compactor import count_after, make_view


def test_the_oldest_results_are_cleared_first() -> None:
    """As many as it takes, and no exchange is left out for it."""
    view = make_view([1000] * 10, budget=10_000)

    chosen = clear_oldest(view)

    assert chosen.cleared == tuple(f"tool/{number}" for number in range(6))
    assert chosen.dropped == 0
    assert count_after(view, chosen) <= view.budget // 2


def test_calls_that_are_left_out_are_listed_with_their_keys() -> None:
    """A line each, so that the model knows what it has done, and how to read it again."""
    view = make_view([10] * 100, budget=2000, text="order 7")

    chosen = clear_oldest(view)

    lines = chosen.text.splitlines()
    assert lines[-1] == f'tool/{chosen.dropped - 1}: look {{"text": "order 7"}}'


def test_a_list_without_room_loses_its_oldest_lines() -> None:
    """And says how many."""
    view = make_view([10] * 100, budget=1600)

    chosen = clear_oldest(view)

    _, missing, *lines = chosen.text.splitlines()
    assert missing == f"[{chosen.dropped - len(lines)} older lines are not listed]"
    assert len(chosen.text) <= view.text_tokens


def test_turns_of_a_history_are_listed_by_what_was_asked() -> None:
    """Nothing reads their results again, so they have no key."""
    view = make_view([], budget=4000, turns=["Where is order 7?" + " Really?" * 20] * 40)

    chosen = clear_oldest(view)

    assert "user: Where is order 7?" in chosen.text
    assert "tool/" not in chosen.text
