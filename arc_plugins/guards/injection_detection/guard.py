"""Keeps out prompts that try to take over the agent.

Always on unless `guard.injection_mode` is `off`; costs a fraction of a millisecond for an ordinary
prompt of a thousand characters, and time that grows with the length only, whatever the prompt. It
reads pieces, with the event loop's other work in between. It knows
ways of saying things and no intentions: who quotes an attack in order to ask about it is kept out,
too, and an attack in words of its own comes through. So it is one line of defence and not the only
one; tools still need permissions. Settings: `guard.injection_mode`, `guard.injection_threshold`.
"""

import asyncio
from collections.abc import Iterator
from functools import cache

from arc_core import Allowed, Guard, GuardRequest, GuardResult, Logger, Rejected, RejectionCategory
from arc_plugins.guards.injection_detection.disguises import CipherReader, Look
from arc_plugins.guards.injection_detection.encodings import decode, may_be_encoded
from arc_plugins.guards.injection_detection.patterns import PATTERNS, read_table
from arc_plugins.guards.injection_detection.scoring import PatternFinder, Suspicion, strongest
from arc_plugins.guards.injection_detection.settings import InjectionMode, InjectionSettings
from arc_plugins.guards.injection_detection.words import WordSplitter, japanese_only, vocabulary

_PIECE_CHARS = 3_000
_OVERLAP_CHARS = 500
_ALLOWED = Allowed()
_REJECTED = Rejected(
    "The prompt looks like an attempt to change the assistant's instructions. "
    "Please ask for what you need in other words.",
    RejectionCategory.PROMPT_INJECTION,
)


class InjectionDetectionGuard(Guard):
    """Scores a prompt by patterns of words in ten languages.

    In `monitor` mode a suspicious prompt is logged and let in.
    """

    order = 3
    pure = True

    def __init__(self, *, settings: InjectionSettings, logger: Logger) -> None:
        self._splitter, self._ciphers, self._finder = _readers()
        self._threshold = settings.injection_threshold
        self._lets_in = settings.injection_mode is not InjectionMode.ENFORCE
        self._logger = logger

    async def check(self, request: GuardRequest) -> GuardResult:
        """Reject a prompt whose score reaches the threshold; the log tells score and families."""
        suspicion = Suspicion()
        text, look = _plain(request.text)
        for piece in _pieces(text):
            suspicion = max(suspicion, self._suspicion_of_plain(piece, look), key=_score)
            if len(text) > _PIECE_CHARS:
                await asyncio.sleep(0)  # a piece takes milliseconds; other runs have their turn
        if suspicion.score < self._threshold:
            return _ALLOWED
        self._logger.warning(
            "prompt looks like an injection",
            score=round(suspicion.score, 2),
            families=sorted({pattern.family.value for pattern in suspicion.patterns}),
            let_in=self._lets_in,
        )
        return _ALLOWED if self._lets_in else _REJECTED

    def measure(self, text: str) -> Suspicion:
        """Return the suspicion of an injection in a normalised text, with its reasons."""
        text, look = _plain(text)
        return max((self._suspicion_of_plain(piece, look) for piece in _pieces(text)), key=_score)

    def _suspicion_of_plain(self, text: str, look: Look) -> Suspicion:
        words = self._splitter.split(text, look)
        suspicion = strongest(self._finder.finds_in(words))
        for reading in self._ciphers.read(words):
            suspicion = max(suspicion, strongest(self._finder.finds_in(reading)), key=_score)
        return suspicion


@cache
def _readers() -> tuple[WordSplitter, CipherReader, PatternFinder]:
    """Make the readers of words, once, since it takes long and depends on no setting."""
    words = vocabulary()
    terms = [term for each in words.values() for term in each]
    parts = [part for term in terms for part in term.split()]
    return (
        WordSplitter(terms, japanese_only()),
        CipherReader(parts),
        PatternFinder(PATTERNS, words, read_table("everyday_concepts")),
    )


def _plain(text: str) -> tuple[str, Look]:
    look = Look.at(text)
    if not may_be_encoded(look):
        return text, look
    decoded = decode(text, look=look)
    return decoded, look if decoded == text else Look.at(decoded)


def _score(suspicion: Suspicion) -> float:
    return suspicion.score


def _pieces(text: str) -> Iterator[str]:
    """Parts that overlap by more than the reach of a suspicion, so that none is cut in two."""
    yield text[:_PIECE_CHARS]
    for begin in range(_PIECE_CHARS - _OVERLAP_CHARS, len(text) - _OVERLAP_CHARS, _PIECE_CHARS):
        yield text[begin : begin + _PIECE_CHARS + _OVERLAP_CHARS]
