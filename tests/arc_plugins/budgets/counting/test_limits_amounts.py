"""Amounts are whole numbers, rounded up once."""

from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import Amount
from arc_plugins.budgets.counting.limits import Counts, nano_units

COSTS = st.decimals(min_value=0, max_value=10**6, allow_nan=False, allow_infinity=False)


@given(cost=COSTS)
def test_a_cost_is_never_counted_as_less(cost: Decimal) -> None:
    """It is rounded up to a billionth, and by less than one."""
    with localcontext(prec=60):
        counted = Decimal(nano_units(cost)).scaleb(-9)

        assert cost <= counted < cost + Decimal("1e-9")


@given(costs=st.lists(COSTS.map(lambda cost: round(cost, 9)), max_size=9))
def test_costs_of_billionths_add_up_exactly(costs: list[Decimal]) -> None:
    """Whatever the caller's decimal context does."""
    with localcontext(prec=60):
        total = sum(costs, Decimal(0))
    with localcontext(prec=2):
        counted = sum(nano_units(cost) for cost in costs)

        assert counted == nano_units(total)


def test_what_is_negative_counts_as_nothing() -> None:
    """No caller can give a budget back more than there was."""
    assert Counts.of(Amount(tokens=-5, cost=Decimal(-1))) == (0, 0)


@pytest.mark.parametrize(("cost", "error"), [("NaN", ValueError), ("Infinity", OverflowError)])
def test_what_is_not_a_number_is_an_error(cost: str, error: type[Exception]) -> None:
    """It is not counted as anything."""
    with pytest.raises(error):
        nano_units(Decimal(cost))
