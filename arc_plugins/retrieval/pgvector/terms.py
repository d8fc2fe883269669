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
from itertools import accumulate, chain, combinations
from math import sqrt

from arc_core import TENANT_KEY
from arc_core.retrieval.passages import Passage
from arc_core.text.terms import split_terms

_MOST_TERMS = 200
"""Of a query; what a person asks has fewer, what they paste tells enough with these."""

_MOST_OF_HEADING = 500
_LONGEST = 200
"""Characters of a term; a lexeme of PostgreSQL's has two kilobytes at most."""

_MOST_ROWS = 6_000
"""Of all words that candidates are looked for by: some milliseconds."""

_PAIRED = 3
"""Of the words that are too common to be looked for alone, the rarest."""

_UNLIMITED = 2_000_000_000


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
    return " & ".join(f"({' | '.join(terms)})" for terms in filter_terms(filter))


@dataclass(frozen=True, slots=True, kw_only=True)
class TermStatistics:
    """The shares of the most common terms, as PostgreSQL has estimated them.

    Attributes:
        passages: The number of all passages.
        mean_length: Of passages, in terms.
        shares: The part of the passages that have a term, by the term; other terms are rare.
    """

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
class Probe:
    """A look at the index for candidates: the passages that have a word, or two common words.

    Attributes:
        query: The `tsquery` of the words and the filter.
        word: The `tsquery` of the word, by which candidates are ranked; None for two.
        limit: How many passages may become candidates by this; 0 for none.
        share: Of all passages, as far as is known.
    """

    query: str
    word: str | None
    limit: int
    share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WordSearch:
    """A search by the words of a query.

    Attributes:
        probes: One for each word, and some more.
        statistics: By which they were chosen.
    """

    probes: Sequence[Probe]
    statistics: TermStatistics

    @property
    def words(self) -> int:
        """Their number."""
        return sum(probe.word is not None for probe in self.probes)

    @property
    def is_whole(self) -> bool:
        """True if a passage that has any of the words is a candidate."""
        return all(probe.limit == _UNLIMITED for probe in self.probes)


def plan_search(
    query: str, filter: Mapping[str, str], statistics: TermStatistics, *, filling: int = 0
) -> WordSearch:
    """Choose the words by which candidates are looked for: the rarest, as long as they are few.

    What is common tells little, and has many passages to look at, unless two such words are looked
    for together. All words count for the rank.

    Args:
        query: A person's words.
        filter: Which the passages pass.
        statistics: Of the index.
        filling: How many passages to look for by each of the common words, too.
    """
    shares, possible = statistics.shares, statistics.estimate_rows(filter)
    terms = sorted(dict.fromkeys(get_terms(query)), key=lambda term: shares.get(term, 0.0))
    terms = terms[:_MOST_TERMS]
    counted = accumulate(shares.get(term, 0.0) * possible for term in terms)
    is_cheap = [not at or rows <= _MOST_ROWS for at, rows in enumerate(counted)]
    condition = encode_filter(filter)
    probes = [
        Probe(
            query=_join([f"'{term}'", condition]),
            word=f"'{term}'",
            limit=_UNLIMITED if cheap else filling,
            share=shares.get(term),
        )
        for term, cheap in zip(terms, is_cheap, strict=True)
    ]
    common = [term for term, cheap in zip(terms, is_cheap, strict=True) if not cheap]
    for pair, share in _choose_pairs(common, shares, possible):
        words = [*(f"'{term}'" for term in pair), condition]
        probes.append(Probe(query=_join(words), word=None, limit=_UNLIMITED, share=share))
    return WordSearch(probes=probes, statistics=statistics)


def _choose_pairs(
    terms: Sequence[str], shares: Mapping[str, float], possible: float
) -> Iterator[tuple[tuple[str, str], float]]:
    """Choose pairs that few passages have, each with a share that tells half of both terms.

    What has three terms has each of them in two pairs.
    """
    rows = 0.0
    for one, other in combinations(terms[:_PAIRED], 2):
        rows += shares[one] * shares[other] * possible
        if rows <= _MOST_ROWS:
            odds = shares[one] / (1 - shares[one]) * shares[other] / (1 - shares[other])
            yield (one, other), sqrt(odds) / (1 + sqrt(odds))


def _join(conditions: Iterable[str]) -> str:
    return " & ".join(filter(None, conditions))
