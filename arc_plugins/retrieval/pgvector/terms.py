"""The terms of passages and queries, as PostgreSQL's full-text search takes them.

No parser of PostgreSQL's finds words inside of Korean ones, so texts come to it in terms already.
The metadata of a passage stands among its terms, each key with its value as one term that no text
has: the index alone then finds a word in the passages that a filter leaves.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import accumulate, chain

from arc_core import TENANT_KEY
from arc_core.retrieval.passages import Passage
from arc_core.text.terms import split_terms

_MOST_TERMS = 200
"""Of a query; what a person asks has fewer, what they paste tells enough with these."""

_MOST_OF_HEADING = 500
_LONGEST = 200
"""Characters of a term; a lexeme of PostgreSQL's has two kilobytes at most."""

_MOST_ROWS = 1_000
"""Looked at for words alone, and again for pairs of words: some milliseconds."""

MOST_PROBES = 4
"""One is for rare words; the others are for pairs of so many words that are too common alone."""


def get_terms(text: str) -> list[str]:
    """Return the terms of a text in their order, with their repetitions."""
    return [term[:_LONGEST] for term in split_terms(text)]


def count_terms(passage: Passage) -> int:
    """Return the length of a passage in terms."""
    return len(get_terms(passage.heading)) + len(get_terms(passage.text))


def encode_passage(passage: Passage, metadata: Mapping[str, str]) -> str:
    """Return what makes a passage found, as the text of a `tsvector`."""
    places = defaultdict[str, list[str]](list)
    heading = get_terms(passage.heading)[:_MOST_OF_HEADING]
    for place, term in enumerate(heading, 1):
        places[term].append(f"{place}A")
    for place, term in enumerate(get_terms(passage.text), len(heading) + 1):
        places[term].append(f"{place}")
    words = (f"'{term}':{','.join(found)}" for term, found in places.items())
    return " ".join(chain(words, _metadata_terms(metadata)))


def _metadata_terms(metadata: Mapping[str, str]) -> Iterable[str]:
    for key, value in metadata.items():
        yield _metadata_term(key, value)
    if TENANT_KEY not in metadata:
        yield _metadata_term(TENANT_KEY, None)


def _metadata_term(key: str, value: str | None) -> str:
    return f"'={sha256(json.dumps([key, value]).encode()).hexdigest()[:32]}'"


def filter_terms(filter: Mapping[str, str]) -> list[list[str]]:
    """Return the terms that passages must have, at least one of each list."""
    return [
        [_metadata_term(key, value)] + [_metadata_term(key, None)] * (key == TENANT_KEY)
        for key, value in filter.items()
    ]


def encode_filter(filter: Mapping[str, str]) -> str:
    """Return a filter as the text of a `tsquery`; empty if it lets everything through."""
    return _all_of(*map(_any_of, filter_terms(filter)))


@dataclass(frozen=True, slots=True, kw_only=True)
class TermStatistics:
    """The number and mean length of passages, and the shares of terms that are not rare."""

    passages: int
    mean_length: float = 1.0
    shares: Mapping[str, float] = field(default_factory=dict)

    def estimate_rows(self, filter: Mapping[str, str]) -> float:
        """Return how many passages a filter leaves; 0 for few."""
        rows = float(self.passages)
        for terms in filter_terms(filter):
            rows *= min(1.0, sum(self.shares.get(term.strip("'"), 0.0) for term in terms))
        return rows


@dataclass(frozen=True, slots=True, kw_only=True)
class WordSearch:
    """A search by the words of a query: by what passages are looked at, and what ranks them.

    Attributes:
        words: As a `tsquery` each, the rarest first.
        shares: Of all passages that have the word, as far as is known; one for each word.
        probes: A `tsquery` each, at most `MOST_PROBES`; a passage that fits any is looked at.
        fillers: A `tsquery` each, at most two, of the words that are too common to be looked for
            alone; some passages of theirs are looked at if there are not enough without.
    """

    words: Sequence[str]
    shares: Sequence[float | None]
    probes: Sequence[str]
    fillers: Sequence[str]


def plan_search(query: str, filter: Mapping[str, str], statistics: TermStatistics) -> WordSearch:
    """Choose the words by which passages are looked at: the rarest, as long as they are few.

    What is common tells little, and has many passages to look at, unless two such words are looked
    for together. All words count for the rank.
    """
    shares, possible = statistics.shares, statistics.estimate_rows(filter)
    terms = sorted(dict.fromkeys(get_terms(query)), key=lambda term: shares.get(term, 0.0))
    terms = terms[:_MOST_TERMS]
    rows = accumulate(shares.get(term, 0.0) * possible for term in terms)
    rare = sum(not at or count <= _MOST_ROWS for at, count in enumerate(rows))
    words = [f"'{term}'" for term in terms]
    condition = encode_filter(filter)
    probes = [_any_of(words[:rare])] if words else []
    probes += _choose_pairs(terms[rare:], shares, possible)
    common = (words[rare : rare + 1], words[rare + 1 :])
    return WordSearch(
        words=words,
        shares=[shares.get(term) for term in terms],
        probes=[_all_of(probe, condition) for probe in probes],
        fillers=[_all_of(_any_of(each), condition) for each in common if each],
    )


def _choose_pairs(
    terms: Sequence[str], shares: Mapping[str, float], possible: float
) -> Iterator[str]:
    """Choose pairs that few passages have: a word with all that are more common in one probe."""
    rows, paired = 0.0, terms[:MOST_PROBES]
    for at, one in enumerate(paired):
        others = list[str]()
        for other in paired[at + 1 :]:
            rows += shares[one] * shares[other] * possible
            if rows <= _MOST_ROWS:
                others.append(f"'{other}'")
        if others:
            yield _all_of(f"'{one}'", _any_of(others))


def _any_of(conditions: Iterable[str]) -> str:
    return f"({' | '.join(conditions)})"


def _all_of(*conditions: str) -> str:
    return " & ".join(filter(None, conditions))
