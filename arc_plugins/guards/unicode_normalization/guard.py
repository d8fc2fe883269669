"""Brings prompts into one form, and keeps out those that hide text in invisible characters.

Always on; costs two microseconds for an ordinary prompt. The cleaned prompt goes to later guards,
and to the model unless `guard.forward_normalized` is false. Setting: `guard.max_zero_width_ratio`.
"""

import re
from unicodedata import normalize

from arc_core import Allowed, GuardRequest, GuardResult, Rejected, RejectionCategory
from arc_core.settings import GuardSettings
from arc_plugins.guards.unicode_normalization.character_classes import (
    CONTROLS,
    INVISIBLE,
    long_stacks,
)
from arc_plugins.guards.unicode_normalization.lookalikes import fold_lookalikes

__all__ = ["UnicodeNormalizationGuard"]

_ENTITY = re.compile(r"&(?:#0{0,9}38;|#[xX]0{0,9}26;)*#(?:[xX]([0-9a-fA-F]{1,9})|([0-9]{1,9}));?")
_LAST_CHARACTER = 0x10FFFF
_MAX_PASSES = 4
_HIDDEN_TEXT = Rejected(
    "The prompt contains too many invisible characters. Please type it as plain text.",
    RejectionCategory.INVALID_INPUT,
)


class UnicodeNormalizationGuard:
    """Normalises (NFKC), decodes numeric HTML entities, removes invisible characters.

    Letters of other alphabets that spell Latin words become Latin, see `lookalikes`. Invisible
    characters that belong where they are, such as those inside emoji, stay and are not counted.
    """

    order = 0

    def __init__(self, *, settings: GuardSettings) -> None:
        self._max_ratio = settings.max_zero_width_ratio

    async def check(self, request: GuardRequest) -> GuardResult:
        """Clean the prompt, or reject it for too large a share of invisible characters."""
        given = request.text
        if given.isascii() and "&#" not in given and not CONTROLS.search(given):
            return Allowed()
        text, invisible = _cleaned(given)
        if invisible > self._max_ratio * len(given):
            return _HIDDEN_TEXT
        text = fold_lookalikes(text)
        return Allowed() if text == given else Allowed(text)


def _cleaned(text: str) -> tuple[str, int]:
    """The text in its normal form, and how many invisible characters it had.

    What a pass decodes may need another one; the passes are bounded, so that nesting cannot cost
    more than length.
    """
    invisible = 0
    for _ in range(_MAX_PASSES):
        before = text
        text = normalize("NFKC", long_stacks().sub("", text))
        visible = INVISIBLE.sub(_in_place, text)
        invisible += len(text) - len(visible)
        text = _ENTITY.sub(_decoded, visible)
        if text == before:
            break
    return text, invisible


def _in_place(match: re.Match[str]) -> str:
    return "" if match[1] is None else match[0]


def _decoded(entity: re.Match[str]) -> str:
    hexadecimal, decimal = entity.groups()
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    return chr(code) if code <= _LAST_CHARACTER else ""
