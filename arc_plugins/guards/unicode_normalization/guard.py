"""Brings prompts into one form, and keeps out those that hide text in invisible characters.

Always on; costs two microseconds for an ordinary prompt. The cleaned prompt goes to later guards,
and to the model unless `guard.forward_normalized` is false. Setting: `guard.max_zero_width_ratio`.
"""

from arc_core import Allowed, Guard, GuardRequest, GuardResult, Rejected, RejectionCategory
from arc_core.text.cleaning import clean, is_clean
from arc_plugins.guards.unicode_normalization import NormalizationSettings

_HIDDEN_TEXT = Rejected(
    "The prompt contains too many invisible characters. Please type it as plain text.",
    RejectionCategory.INVALID_INPUT,
)

_ALLOWED = Allowed()


class UnicodeNormalizationGuard(Guard):
    """Normalises (NFKC), decodes numeric HTML entities, removes invisible characters.

    Letters of other alphabets that spell Latin words become Latin, see `lookalikes`. What would
    change its meaning stays: superscript digits, fractions and single Korean letters. Invisible
    characters that belong where they are, such as those inside emoji, stay and are not counted.
    """

    order = 0
    pure = True

    def __init__(self, *, settings: NormalizationSettings) -> None:
        self._max_ratio = settings.max_zero_width_ratio

    async def check(self, request: GuardRequest) -> GuardResult:
        """Clean the prompt, or reject it for too large a share of invisible characters."""
        given = request.text
        if is_clean(given):
            return _ALLOWED
        cleaned = clean(given)
        if cleaned.invisible > self._max_ratio * len(given):
            return _HIDDEN_TEXT
        return _ALLOWED if cleaned.text == given else Allowed(cleaned.text)
