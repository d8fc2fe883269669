"""Keeps out prompts that are far too long before anything else looks at them.

Always on, costs nothing: it only asks for the length. The other guards may then take their time for
every character. Setting: `guard.max_input_chars`.
"""

from arc_core import Allowed, Guard, GuardRequest, GuardResult, Rejected, RejectionCategory
from arc_plugins.guards.settings import LengthSettings

_RAW_CHARS_PER_CHAR = 4
"""Accents, invisible characters and HTML entities make honest text that much longer at most."""


class RawLengthGuard(Guard):
    """Lets in prompts of at most four times `guard.max_input_chars`, not yet normalised.

    It stands before the rate limit, and that before the normalisation: what is rejected here costs
    nothing and counts for no user, and a user over the limit makes no guard work. The limit itself
    is that of the guard of order 2, which knows the length after normalisation.
    """

    order = -2

    def __init__(self, *, settings: LengthSettings) -> None:
        self._max_chars = settings.max_input_chars
        self._max_raw_chars = _RAW_CHARS_PER_CHAR * settings.max_input_chars

    async def check(self, request: GuardRequest) -> GuardResult:
        """Compare the length with the limit; the reason names the limit after normalisation."""
        length = len(request.text)
        if length <= self._max_raw_chars:
            return Allowed()
        subject = "The prompt and its files have" if request.attachments else "The prompt has"
        return Rejected(
            f"{subject} {length} characters, more than the {self._max_chars} allowed. "
            "Please shorten it or send it in parts.",
            RejectionCategory.INVALID_INPUT,
        )
