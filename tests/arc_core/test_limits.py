"""Bounds of a run."""

from decimal import Decimal

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
        Limits(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [0, -1, "nan", "inf", "much"])
def test_a_bound_of_costs_is_a_number_above_nothing(wrong: object) -> None:
    """Any other could not be kept."""
    with pytest.raises(ValueError, match="max_cost"):
        Limits(max_cost=wrong)  # type: ignore[arg-type]


def test_a_bound_of_costs_is_what_it_is_written_as() -> None:
    """A float has no tenth."""
    limits = Limits(max_cost=0.1)  # type: ignore[arg-type]

    assert limits.max_cost == Decimal("0.1")
    assert limits.within(Limits(max_cost=Decimal("0.05"))).max_cost == Decimal("0.05")
