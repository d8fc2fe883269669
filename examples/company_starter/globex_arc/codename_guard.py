"""Keeps the names of secret projects away from models and their vendors."""

import re

from arc_core import Allowed, Guard, GuardRequest, GuardResult, Rejected, RejectionCategory
from globex_arc.settings import GlobexSettings

__all__ = ["CodenameGuard"]


class CodenameGuard(Guard):
    """Rejects prompts with a codename, in capitals or not."""

    order = 110
    pure = True

    def __init__(self, settings: GlobexSettings) -> None:
        words = "|".join(map(re.escape, filter(None, settings.codenames)))
        self._codename = re.compile(rf"\b(?:{words})\b" if words else r"(?!)", re.IGNORECASE)

    async def check(self, request: GuardRequest) -> GuardResult:
        """Let the prompt in unless it holds a codename."""
        if self._codename.search(request.text):
            return Rejected(
                "Please write about this project without its codename.",
                RejectionCategory.INVALID_INPUT,
            )
        return Allowed()
