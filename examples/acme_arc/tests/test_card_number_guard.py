"""Card numbers are recognised; other long numbers are not."""

import pytest
from acme_arc.card_number_guard import CardNumberGuard

from arc_core import Allowed, Guard, GuardRequest, Rejected
from arc_core.testing.conformance.guards.guard import GuardConformance


class TestConformance(GuardConformance):
    """What every guard must do."""

    def make_guard(self) -> Guard:
        """A guard as Arc makes it."""
        return CardNumberGuard()


@pytest.mark.parametrize(
    "text", ["Pay with 4111 1111 1111 1111.", "4111-1111-1111-1111", "card:378282246310005!"]
)
async def test_card_numbers_are_rejected(text: str) -> None:
    """A number with a right check digit is kept out, however it is grouped."""
    verdict = await CardNumberGuard().check(GuardRequest(text=text, user_id="ann"))

    assert isinstance(verdict, Rejected)


@pytest.mark.parametrize(
    "text", ["Order 4111 1111 1111 1112", "Call 010-1234-5678", "What is 2+2?"]
)
async def test_other_numbers_pass(text: str) -> None:
    """A wrong check digit or a shorter number is not a card."""
    verdict = await CardNumberGuard().check(GuardRequest(text=text, user_id="ann"))

    assert isinstance(verdict, Allowed)
