"""Keeps payment card numbers away from the model and its vendor."""

import re

from arc_core import Allowed, Guard, GuardRequest, GuardResult, Rejected, RejectionCategory

__all__ = ["CardNumberGuard"]

_CANDIDATE = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")


class CardNumberGuard(Guard):
    """Rejects prompts with a number of 13 to 19 digits whose check digit is right."""

    order = 110

    async def check(self, request: GuardRequest) -> GuardResult:
        """Let the prompt in unless it holds a card number."""
        if any(_has_right_check_digit(match) for match in _CANDIDATE.findall(request.text)):
            return Rejected(
                "Please leave card numbers out of your message.", RejectionCategory.INVALID_INPUT
            )
        return Allowed()


def _has_right_check_digit(number: str) -> bool:
    """Luhn's test: every second digit from the right is doubled, all digits are summed."""
    digits = [int(character) for character in number if character.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
