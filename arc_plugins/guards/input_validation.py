"""Keeps out prompts that are empty or too long to be meant.

Always on, costs nothing. The raw length comes first, before anything else looks at a prompt, so
that the other guards may take their time for every character. Settings: `guard.min_input_chars`,
`guard.max_input_chars`.
"""

from typing import Self

from pydantic import Field, model_validator

from arc_core import Allowed, Guard, GuardRequest, GuardResult, Rejected, RejectionCategory
from arc_core.settings import GuardSettings

_RAW_CHARS_PER_CHAR = 4
"""Accents, invisible characters and HTML entities make honest text that much longer at most."""

_ALLOWED = Allowed()


class LengthSettings(GuardSettings):
    """The bounds of a prompt's length."""

    min_input_chars: int = Field(default=1, ge=0)
    max_input_chars: int = Field(default=10_000, ge=1)

    @model_validator(mode="after")
    def _range_is_not_empty(self) -> Self:
        if self.min_input_chars > self.max_input_chars:
            msg = (
                f"min_input_chars ({self.min_input_chars}) must not exceed "
                f"max_input_chars ({self.max_input_chars})"
            )
            raise ValueError(msg)
        return self


class InputValidationGuard(Guard):
    """Lets in prompts whose length, without surrounding blanks, is between two limits."""

    order = 2
    pure = True

    def __init__(self, *, settings: LengthSettings) -> None:
        self._min_chars, self._max_chars = settings.min_input_chars, settings.max_input_chars

    async def check(self, request: GuardRequest) -> GuardResult:
        """Compare the trimmed length with the limits; the reason names the limit."""
        length = len(request.text.strip())
        if length < self._min_chars:
            return Rejected(
                f"The prompt has {length} characters, fewer than the {self._min_chars} it needs. "
                "Please write your question out.",
                RejectionCategory.INVALID_INPUT,
            )
        if length > self._max_chars:
            return _reject_too_long(request, length, max_chars=self._max_chars)
        return _ALLOWED


class RawLengthGuard(Guard):
    """Lets in prompts of at most four times `guard.max_input_chars`, not yet normalised.

    It stands before the rate limit, and that before the normalisation: what is rejected here costs
    nothing and counts for no user, and a user over the limit makes no guard work. The limit itself
    is that of the guard of order 2, which knows the length after normalisation.
    """

    order = -2
    pure = True

    def __init__(self, *, settings: LengthSettings) -> None:
        self._max_chars = settings.max_input_chars
        self._max_raw_chars = _RAW_CHARS_PER_CHAR * settings.max_input_chars

    async def check(self, request: GuardRequest) -> GuardResult:
        """Compare the length with the limit; the reason names the limit after normalisation."""
        length = len(request.text)
        if length <= self._max_raw_chars:
            return _ALLOWED
        return _reject_too_long(request, length, max_chars=self._max_chars)


def _reject_too_long(request: GuardRequest, length: int, *, max_chars: int) -> Rejected:
    """Reject a prompt; the reason names the limit."""
    subject = "The prompt and its files have" if request.attachments else "The prompt has"
    return Rejected(
        f"{subject} {length} characters, more than the {max_chars} allowed. "
        "Please shorten it or send it in parts.",
        RejectionCategory.INVALID_INPUT,
    )
