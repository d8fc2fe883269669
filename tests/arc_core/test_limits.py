"""Bounds of a run."""

import pytest

from arc_core import Limits


def test_the_smaller_of_both_holds_for_each_bound() -> None:
    """None leaves it open."""
    command = Limits(max_tool_calls=5, deadline_s=2)
    agent = Limits(max_tool_calls=3)

    assert command.within(agent) == Limits(max_tool_calls=3, deadline_s=2)
    assert agent.within(command) == command.within(agent)


@pytest.mark.parametrize("wrong", [{"max_tool_calls": -1}, {"deadline_s": 0}, {"deadline_s": -1}])
def test_a_bound_that_nothing_could_keep_is_refused(wrong: dict[str, int]) -> None:
    """The error names it."""
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Limits(**wrong)
