"""Finds instructions to the model in what tools return.

What tools return is longer than a prompt and full of ordinary instructions to people, so it is read
by words and weights of its own: what counts is who is addressed, and what the model is told to do
with its other instructions, its tools and the conversation. The search for them is that of the
prompts' guard.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from arc_core.plain_text.cleaning import clean, is_clean
from arc_plugins.guards.injection_detection.encodings import USUAL_CODES, decode
from arc_plugins.guards.injection_detection.hidden_letters import show_hidden_letters
from arc_plugins.guards.injection_detection.patterns import Family, Pattern
from arc_plugins.guards.injection_detection.scoring import PatternFinder, Suspicion, strongest
from arc_plugins.guards.injection_detection.tables import result_weights, result_words
from arc_plugins.guards.injection_detection.vocabulary import share_parts
from arc_plugins.guards.injection_detection.words import ROLE_MARKER, WordSplitter, is_found_inside

__all__ = ["ResultReader"]

_PIECE_CHARS = 2_000
_OVERLAP_CHARS = 600
_NO_SUSPICION = Suspicion()
_LINE_BREAK_IN_A_STRING = re.compile(r"\\[nrt]")
_SPACE_FOR_SIGNS = str.maketrans({chr(code): " " for code in range(128) if not chr(code).isalnum()})
_TELLING = (
    "drop", "drop_after", "dropped", "machine", "new_orders", "before_answer",
    "become", "hide", "talk", "comply", "task",
)  # fmt: skip
_ROLES = ("<|", "<<sys", "[inst", "<system", "</system", "### system", '"role"', "human:",
          "assistant:")  # fmt: skip


class ResultReader:
    """Scores texts of tools; the time grows with the length only.

    Most parts of most texts have none of the words by which the model is addressed or led astray,
    so they are only split into words and not read for patterns.
    """

    def __init__(self) -> None:
        self._splitter, self._finder, self._hints = _readers()

    def pieces_of(self, text: str) -> Iterator[str]:
        """The parts of a text that are worth reading, each as it is spelled without disguises."""
        plain = _uncover(text)
        hints = self._hints.among(plain)
        if not hints.are_there:
            return
        step = _PIECE_CHARS - _OVERLAP_CHARS
        for begin in range(0, max(1, len(plain) - _OVERLAP_CHARS), step):
            piece = plain[begin : begin + _PIECE_CHARS]
            if hints.among(piece).are_there:
                yield piece

    def suspicion_of_piece(self, piece: str) -> Suspicion:
        """How much one part looks like an injection, and why."""
        return strongest(self._finder.finds_in(self._splitter.words_of(piece)))

    def suspicion_of(self, text: str) -> Suspicion:
        """How much a text looks like an injection, and why."""
        suspicions = (self.suspicion_of_piece(piece) for piece in self.pieces_of(text))
        return max(suspicions, key=lambda each: each.score, default=_NO_SUSPICION)


@dataclass(frozen=True, slots=True)
class _Hints:
    """What a text has somewhere if any pattern that tells much may be in it.

    Attributes:
        terms: The words of each term that counts as whole words only.
        parts: What counts wherever it stands.
    """

    terms: tuple[frozenset[str], ...]
    parts: tuple[str, ...]

    @property
    def are_there(self) -> bool:
        """Whether there are any."""
        return bool(self.terms or self.parts)

    def among(self, text: str) -> "_Hints":
        """Those that a text has."""
        lowered = text.lower()
        words = set(lowered.translate(_SPACE_FOR_SIGNS).split())
        terms = tuple(term for term in self.terms if term <= words)
        return _Hints(terms, tuple(part for part in self.parts if part in lowered))


def _uncover(text: str) -> str:
    """The text with hidden letters shown, in its normal form, and decoded."""
    if not is_clean(text):
        text, _ = clean(show_hidden_letters(text))
    if "\\" in text:
        text = _LINE_BREAK_IN_A_STRING.sub(" ", text)
    return decode(text, USUAL_CODES)


@cache
def _readers() -> tuple[WordSplitter, PatternFinder, _Hints]:
    """What knows the words; made once, since it takes long and depends on no setting."""
    words = {concept: set(terms) for concept, terms in result_words().items()}
    words["role_marker"] = {ROLE_MARKER}
    share_parts(words)
    patterns = [
        Pattern.parse(Family(family), weight, text)
        for family, weights in result_weights().items()
        for text, weight in weights.items()
    ]
    terms = [term for each in words.values() for term in each]
    return WordSplitter(terms), PatternFinder(patterns, words), _hints(words)


def _hints(words: dict[str, set[str]]) -> _Hints:
    terms = {term for concept in _TELLING for term in words[concept]}
    inside = {term for term in terms if is_found_inside(term)}
    return _Hints(
        tuple(frozenset(term.split()) for term in sorted(terms - inside)),
        (*_ROLES, *sorted({max(term.split(), key=len) for term in inside})),
    )
