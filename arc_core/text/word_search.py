"""Finds the lines of texts that have most of some words, the rare words first.

Words are compared by their beginning, in any case and width; Korean, Japanese and Chinese words in
pairs of characters, so that a part of a word is found. Long lines are searched in pieces. Nothing
is a pattern.
"""

import math
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from arc_core.text.excerpts import READ_RESULT, show_number
from arc_core.text.terms import split_terms

_MAX_WORDS = 64
_MAX_QUERY_CHARS = 10_000
_MAX_MATCHES = 20_000  # of one word in all texts; a word that has more tells little
_LEAST_MATCHES = 200  # of one word in one text
_MAX_PASSAGES = 25
_LEAST_SHARE = 0.5  # of the score of the best line
_PIECE_CHARS = 400
_LINES_AROUND = 2
_CONTEXT_CHARS = 300


@dataclass(slots=True)
class _Text:
    """A text while it is searched, folded into the form in which words are compared.

    Its pieces start at places of the folded text. Each that has some has its words, a bit each.
    """

    key: str
    lines: list[str]
    folded: str
    starts: list[int] = field(default_factory=list)
    line_of: list[int] = field(default_factory=list)
    words: dict[int, int] = field(default_factory=dict)


def find_passages(texts: Mapping[str, str], words: str, *, max_chars: int) -> str:
    """Return the best lines with their numbers, and two lines around each.

    Raises:
        ValueError: There are no words; says so for the model.
    """
    terms = _choose_terms(words)
    most = max(_LEAST_MATCHES, _MAX_MATCHES // max(1, len(texts)))
    searched = [_search(key, text, terms, most=most) for key, text in texts.items()]
    ranked = _rank(searched, len(terms))
    if not ranked:
        return f"[none of these words is in {_name_texts(texts)}]"
    return _write(searched, ranked, max_chars=max_chars)


def _choose_terms(words: str) -> Sequence[str]:
    terms = list(dict.fromkeys(split_terms(words[:_MAX_QUERY_CHARS])))
    terms = [each for each in terms if len(each) > 1 or not each.isascii()] or terms
    if not terms:
        raise ValueError('`find` takes words, and no pattern: such as find="order total"')
    return terms[:_MAX_WORDS]


def _fold(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _search(key: str, text: str, terms: Sequence[str], *, most: int) -> _Text:
    searched = _Text(key, text.split("\n"), _fold(text))
    _cut_in_pieces(searched)
    folded, starts = searched.folded, searched.starts
    for number, term in enumerate(terms):
        for at in islice(_find_term(folded, term), most):
            piece = bisect_right(starts, at) - 1
            searched.words[piece] = searched.words.get(piece, 0) | 1 << number
    return searched


def _cut_in_pieces(searched: _Text) -> None:
    at = 0
    for number, line in enumerate(searched.folded.split("\n")):
        pieces = max(1, len(line) // _PIECE_CHARS)
        searched.starts += [at + each * _PIECE_CHARS for each in range(pieces)]
        searched.line_of += [number] * pieces
        at += len(line) + 1


def _find_term(folded: str, term: str) -> Iterator[int]:
    """Return where words begin with a term."""
    is_inside_words = not term.isascii()
    at = folded.find(term)
    while at >= 0:
        if is_inside_words or at == 0 or not folded[at - 1].isalnum():
            yield at
        at = folded.find(term, at + 1)


def _rank(searched: Sequence[_Text], terms: int) -> list[tuple[int, int]]:
    """Return the best pieces, as numbers of a text and a piece, the best first."""
    having = Counter(mask for text in searched for mask in text.words.values())
    pieces = sum(len(text.starts) for text in searched)
    weights = [_weigh(number, having, pieces=pieces) for number in range(terms)]
    worth: dict[int, float] = {}
    scores: list[tuple[float, int, int]] = []
    for place, text in enumerate(searched):
        for piece, mask in text.words.items():
            joined = mask | _words_behind(text, piece)
            if joined not in worth:
                worth[joined] = sum(
                    weights[number] for number in range(terms) if joined >> number & 1
                )
            scores.append((-worth[joined], place, piece))
    scores.sort()
    least = scores[0][0] * _LEAST_SHARE if scores else 0.0
    return [(place, piece) for score, place, piece in scores if score <= least]


def _weigh(word: int, having: Mapping[int, int], *, pieces: int) -> float:
    """Return how much a word tells: the rarer it is, the more."""
    count = sum(times for mask, times in having.items() if mask >> word & 1)
    return math.log(1 + pieces / count) if count else 0.0


def _words_behind(text: _Text, piece: int) -> int:
    """Return the words of the next piece of the same line."""
    follows = piece + 1 < len(text.line_of) and _is_in_one_line(text, piece + 1)
    return text.words.get(piece + 1, 0) if follows else 0


def _is_in_one_line(text: _Text, piece: int) -> bool:
    """Return True if a piece goes on with the line of the one before it."""
    return piece > 0 and text.line_of[piece] == text.line_of[piece - 1]


def _write(searched: Sequence[_Text], ranked: Sequence[tuple[int, int]], *, max_chars: int) -> str:
    """Return the best passages that fit, in the order of their texts and lines."""
    by_text: dict[int, dict[tuple[int, int], str]] = {}
    taken, room = 0, max_chars - 200
    for place, piece in ranked[:_MAX_PASSAGES]:
        if (place, piece - 1) in ranked[:taken] and _is_in_one_line(searched[place], piece):
            continue  # it was shown with the piece before it
        lines = by_text.get(place, {})
        passage = {at: line for at, line in _list_lines(searched[place], piece) if at not in lines}
        size = sum(len(line) + 1 for line in passage.values()) + (0 if lines else 80)
        if size > room and taken:
            break
        by_text.setdefault(place, {}).update(passage)
        room, taken = room - size, taken + 1
    parts = []
    for place in sorted(by_text):
        lines = by_text[place]
        parts.append(f"[{searched[place].key}]\n" + "\n".join(lines[at] for at in sorted(lines)))
    if len(ranked) > taken:
        parts.append(
            f"[{taken} of {show_number(len(ranked))} places, the best; other words may find more]"
        )
    return "\n".join(parts)[:max_chars]


def _list_lines(text: _Text, piece: int) -> Iterator[tuple[tuple[int, int], str]]:
    """Return the line of a piece and those around it; of a long line the part around the piece."""
    number = text.line_of[piece]
    first = max(0, number - _LINES_AROUND)
    for other, line in enumerate(text.lines[first : number + _LINES_AROUND + 1], first):
        if other != number:
            cut = line if len(line) <= _CONTEXT_CHARS else f"{line[:_CONTEXT_CHARS]}…"
            yield (other, 0), f"{other + 1}- {cut}"
        elif len(line) < 2 * _PIECE_CHARS:
            yield (other, 0), f"{other + 1}: {line}"
        else:
            begin, end = _find_in_line(text, piece)
            yield (other, begin), f"{other + 1}:{begin + 1}: …{line[begin:end]}…"


def _find_in_line(text: _Text, piece: int) -> tuple[int, int]:
    """Return where a piece and what is around it stands in its line, as that is."""
    line = text.lines[text.line_of[piece]]
    first = bisect_right(text.line_of, text.line_of[piece] - 1)
    at = text.starts[piece] - text.starts[first]
    behind = bisect_right(text.line_of, text.line_of[piece])
    folded_end = text.starts[behind] - 1 if behind < len(text.starts) else len(text.folded)
    stretch = len(line) / max(1, folded_end - text.starts[first])
    begin, end = int(at * stretch), int((at + 2 * _PIECE_CHARS) * stretch)
    return max(0, begin - _PIECE_CHARS // 2), end + _PIECE_CHARS // 2


def _name_texts(texts: Mapping[str, str]) -> str:
    return next(iter(texts)) if len(texts) == 1 else f"any of {len(texts)} results of {READ_RESULT}"
