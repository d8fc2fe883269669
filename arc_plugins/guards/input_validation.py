"""Keeps out prompts that are empty or too long to be meant.

Always on, costs nothing. Settings: `guard.min_input_chars`, `guard.max_input_chars`.
"""

from arc_core import Allowed, Guard, GuardRequest, GuardResult, Rejected, RejectionCategory
from arc_plugins.guards.settings import LengthSettings


class InputValidationGuard(Guard):
    """Lets in prompts whose length, without surrounding blanks, is between two limits."""

    order = 2

    def __init__(self, *, settings: LengthSettings) -> None:
        self._min_chars, self._max_chars = settings.min_input_chars, settings.max_input_chars

    async def check(self, request: GuardRequest) -> GuardResult:
        """Compare the trimmed length with the limits; the reason names the limit."""
        length = len(request.text.strip())
        if length < self._min_chars:
            return _reject(
                f"The prompt has {length} characters, fewer than the {self._min_chars} it needs. "
                "Please write your question out."
            )
        if length > self._max_chars:
            return _reject(
                f"{_get_subject(request)} {length} characters, more than the {self._max_chars} "
                "allowed. "
                "Please shorten it or send it in parts."
            )
        return Allowed()


def _get_subject(request: GuardRequest) -> str:
    return "The prompt and its files have" if request.attachments else "The prompt has"


def _reject(reason: str) -> Rejected:
    return Rejected(reason, RejectionCategory.INVALID_INPUT)
