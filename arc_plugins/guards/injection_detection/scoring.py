"""Finds patterns in words, in one pass, and adds up those that stand near to each other."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import count
from math import exp
from operator import or_

from arc_plugins.guards.injection_detection.patterns import Pattern

_NEAR = 60

Find = tuple[int, Pattern]
"""The place of the word that completes a pattern, and the pattern."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """The likelihood of an injection, from 0 to 1, and the patterns that say so."""

    score: float = 0.0
    patterns: frozenset[Pattern] = frozenset()


_NO_SUSPICION = Suspicion()


def strongest(finds: Sequence[Find]) -> Suspicion:
    """The strongest suspicion that patterns within 60 words raise, of finds in their order.

    Weak signs all over a long document are not a sign of anything, so distant ones do not add up.
    """
    if not finds:
        return _NO_SUSPICION
    near: deque[Find] = deque()
    counts: Counter[Pattern] = Counter()
    evidence, most, patterns = 0.0, 0.0, frozenset[Pattern]()
    for at, pattern in finds:
        near.append((at, pattern))
        counts[pattern] += 1
        evidence += pattern.evidence if counts[pattern] == 1 else 0
        while near[0][0] < at - _NEAR:
            _, gone = near.popleft()
            counts[gone] -= 1
            evidence -= gone.evidence if counts[gone] == 0 else 0
        if evidence > most + 1e-9:
            most, patterns = evidence, frozenset(+counts)
    return Suspicion(1 - exp(-most), patterns)


_Step = tuple[int, int, int, Pattern | None]
"""A concept of a pattern that is not its first: its slot, the slot of the concept before, its gap,
and the pattern if it is its last.

A slot is where it is noted how far into the text a pattern has been found up to this concept;
patterns that begin with the same concept share their first.
"""


@dataclass(slots=True)
class _Advances:
    """The advances of a word: later steps of patterns, patterns it begins, patterns it is all of.

    Two sets of slots are kept as bits of a number, too: `needs` are those that a later step may
    follow, `begins` those that the word itself reaches.
    """

    later_steps: list[_Step] = field(default_factory=list)
    first_slots: set[int] = field(default_factory=set)
    completes: list[Pattern] = field(default_factory=list)
    after: dict[int, list[tuple[int, int, Pattern | None]]] = field(default_factory=dict)
    needs: int = 0
    begins: int = 0

    @classmethod
    def of(cls, concepts: Sequence["_Advances"]) -> "_Advances":
        """Return the advances of a word of several concepts."""
        # Later steps come first, so that one word does not serve two steps of a pattern.
        steps = sorted(
            (step for each in concepts for step in each.later_steps), key=lambda step: step[0]
        )[::-1]
        merged = cls(steps, set[int]().union(*(each.first_slots for each in concepts)))
        merged.completes = [pattern for each in concepts for pattern in each.completes]
        for slot, before, gap, completed in steps:
            merged.after.setdefault(before, []).append((slot, gap, completed))
        merged.needs = _bits(before for _, before, _, _ in steps)
        merged.begins = _bits(merged.first_slots)
        return merged


def _advances_by_concept(patterns: Iterable[Pattern]) -> dict[str, _Advances]:
    slots = count()
    advances = {
        first: _Advances(first_slots={next(slots)})
        for first in {pattern.concepts[0] for pattern in patterns}
    }
    for pattern in patterns:
        first, *later = pattern.concepts
        advances[first].completes += [] if later else [pattern]
        [slot] = advances[first].first_slots
        for place, (concept, gap) in enumerate(zip(later, pattern.gaps, strict=True), 1):
            before, slot = slot, next(slots)
            completed = pattern if place == len(later) else None
            step = (slot, before, gap, completed)
            advances.setdefault(concept, _Advances()).later_steps.append(step)
    return advances


def _concepts_by_term(vocabulary: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    concepts_of: dict[str, list[str]] = {}
    for concept, terms in vocabulary.items():
        for term in terms:
            concepts_of.setdefault(term, []).append(concept)
    return {term: tuple(concepts) for term, concepts in concepts_of.items()}


def _anchors(
    patterns: Iterable[Pattern], vocabulary: Mapping[str, Iterable[str]], everyday: Sequence[str]
) -> frozenset[str]:
    """Of each pattern the words of its rarest concept, of words of several parts the longest."""
    rarity = {concept: place - len(everyday) for place, concept in enumerate(everyday)}
    concepts = {
        max(pattern.concepts, key=lambda concept: rarity.get(concept, 0)) for pattern in patterns
    }
    return frozenset(
        max(term.split(), key=len) for concept in concepts for term in vocabulary[concept]
    )


def _reach(patterns: Iterable[Pattern], vocabulary: Mapping[str, Iterable[str]]) -> int:
    """Return the most words that a pattern and its gaps can span."""
    longest = {
        concept: max((term.count(" ") + 1 for term in terms), default=1)
        for concept, terms in vocabulary.items()
    }
    return max(
        (sum(each.gaps) + sum(longest[concept] for concept in each.concepts) for each in patterns),
        default=0,
    )


def _bits(slots: Iterable[int]) -> int:
    return reduce(or_, (1 << slot for slot in slots), 0)


@dataclass(slots=True)
class _Terms:
    """The terms that begin with one word: the word alone, and longer ones by their second word."""

    alone: list[tuple[int, _Advances]] = field(default_factory=list)
    longer: dict[str, list[tuple[list[str], _Advances]]] = field(default_factory=dict)

    def add(self, rest: list[str], advances: _Advances) -> None:
        """Add the term with these words after the first."""
        if rest:
            self.longer.setdefault(rest[0], []).append((rest, advances))
        else:
            self.alone.append((1, advances))

    def at(self, words: Sequence[str], place: int) -> list[tuple[int, _Advances]]:
        """The terms at a place that a known second word follows, with their numbers of words."""
        begin = place + 1
        return self.alone + [
            (len(rest) + 1, advances)
            for rest, advances in self.longer[words[begin]]
            if words[begin : begin + len(rest)] == rest
        ]


class _TermsByFirstWord(dict[str, _Terms]):
    """The terms by their first words, put together when a text has the word: most are never read.

    Attributes:
        first_words: All of them, with the terms that begin with each.
    """

    def __init__(
        self, patterns: Iterable[Pattern], concepts_of: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.first_words: dict[str, list[str]] = {}
        for term in concepts_of:
            self.first_words.setdefault(term.partition(" ")[0], []).append(term)
        self._by_concept = _advances_by_concept(patterns)
        self._concepts_of = concepts_of
        self._together: dict[tuple[str, ...], _Advances] = {}

    def __missing__(self, word: str) -> _Terms:
        terms = _Terms()
        for term in self.first_words[word]:
            terms.add(term.split()[1:], self._advances(self._concepts_of[term]))
        self[word] = terms
        return terms

    def _advances(self, concepts: tuple[str, ...]) -> _Advances:
        """Return what a term of these concepts advances; terms of the same share it."""
        if concepts not in self._together:
            each = [self._by_concept[concept] for concept in concepts]
            self._together[concepts] = _Advances.of(each)
        return self._together[concepts]


class PatternFinder:
    """Looks for all patterns at once, with one table look-up per word.

    Most words begin patterns or could complete some, and complete none: whether any pattern is open
    near by for a word to go on with is one comparison of bits.

    Of each step only the last place is kept when the text has come so far: it leaves more room for
    the next concept than any earlier one. So the time is the number of words times a constant,
    whatever the words are.

    Before any of that, one look tells whether the text has an anchor: of each pattern, the words of
    its rarest concept. Without one no pattern can be complete, and only near one need be looked.

    Args:
        patterns: What to look for.
        vocabulary: For each concept its words, those of several parts with spaces in between.
        everyday: Concepts that ordinary texts are full of, those that are commonest first; they are
            anchors of the patterns only that have no other concept.
    """

    def __init__(
        self,
        patterns: Sequence[Pattern],
        vocabulary: Mapping[str, Iterable[str]],
        everyday: Sequence[str] = (),
    ) -> None:
        self._anchors = _anchors(patterns, vocabulary, everyday)
        self._reach = _reach(patterns, vocabulary)
        concepts_of = _concepts_by_term(vocabulary)
        self._span = 1 + max((gap for each in patterns for gap in each.gaps), default=0)
        self._span += max((term.count(" ") + 1 for term in concepts_of), default=0)
        self._terms = _TermsByFirstWord(patterns, concepts_of)

    def _places_near_anchors(self, words: Sequence[str]) -> Iterator[range]:
        """Return the ranges in which patterns may be, in their order and apart."""
        anchors, reach, end = self._anchors, self._reach, 0
        begin = 0
        for at, word in enumerate(words):
            if word not in anchors:
                continue
            if at - reach > end:
                yield range(begin, end)
                begin = at - reach
            end = min(at + reach, len(words))
        yield range(begin, end)

    def finds_in(self, words: Sequence[str]) -> list[Find]:
        """Every place where a pattern is complete, in the order of the words."""
        if self._anchors.isdisjoint(words):
            return []
        terms, first_words = self._terms, self._terms.first_words
        hits = [
            (at, terms[words[at]])
            for places in self._places_near_anchors(words)
            for at in places
            if words[at] in first_words
        ]
        reached: dict[int, int] = {}
        finds: list[Find] = []
        older = newer = turn = 0
        last = len(words) - 1
        for at, here in hits:
            if at >= turn:
                older, newer, turn = newer if at < turn + self._span else 0, 0, at + self._span
            following = words[at + 1] if at < last else ""
            terms_here = here.at(words, at) if following in here.longer else here.alone
            for length, advances in terms_here:
                open_slots = advances.needs & (older | newer)
                if open_slots:
                    newer |= _advance(
                        advances, open_slots, at=at, length=length, reached=reached, finds=finds
                    )
                for slot in advances.first_slots:
                    reached[slot] = at + length
                newer |= advances.begins
                for pattern in advances.completes:
                    finds.append((at, pattern))
        return finds


def _advance(
    advances: _Advances,
    open_slots: int,
    *,
    at: int,
    length: int,
    reached: dict[int, int],
    finds: list[Find],
) -> int:
    """Take the later steps that are near enough to the steps before; the slots reached, as bits."""
    bits = 0
    while open_slots:
        before = open_slots.bit_length() - 1  # The highest first, as in `_Advances.of`.
        open_slots ^= 1 << before
        distance = at - reached[before]
        if distance < 0:
            continue
        for slot, gap, completed in advances.after[before]:
            if distance <= gap:
                reached[slot] = at + length
                bits |= 1 << slot
                if completed is not None:
                    finds.append((at, completed))
    return bits
