"""The terms of passages and queries, as PostgreSQL's full-text search takes them.

No parser of PostgreSQL's finds words inside of Korean ones, so texts come to it in terms already.
The metadata of a passage stands among its terms, each key with its value as one term that no text
has: the index alone then finds a word in the passages that a filter leaves.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain

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
    """How common the most common terms are, as PostgreSQL has estimated.

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
class WordSearch:
    """The words of a query, and which of them candidates are looked for by.

    Attributes:
        words: Each as a `tsquery`.
        filtered: The same, with the filter.
        limits: How many passages of each word may be candidates; 0 for none.
        shares: Of all passages, as far as is known.
        statistics: By which they were chosen.
    """

    words: Sequence[str]
    filtered: Sequence[str]
    limits: Sequence[int]
    shares: Sequence[float | None]
    statistics: TermStatistics

    @property
    def is_whole(self) -> bool:
        """True if a passage that has any of the words is a candidate."""
        return all(limit == _UNLIMITED for limit in self.limits)


def plan_search(
    query: str, filter: Mapping[str, str], statistics: TermStatistics, *, filling: int = 0
) -> WordSearch:
    """Choose the words by which candidates are looked for: the rarest, as long as they are few.

    What is common tells little, and has many passages to look at. All words count for the rank.

    Args:
        query: A person's words.
        filter: Which the passages pass.
        statistics: Of the index.
        filling: How many passages to look for by each of the common words, too.
    """
    shares = statistics.shares
    terms = sorted(dict.fromkeys(get_terms(query)), key=lambda term: shares.get(term, 0.0))
    terms = terms[:_MOST_TERMS]
    possible = statistics.estimate_rows(filter)
    limits, rows = list[int](), 0.0
    for term in terms:
        rows += shares.get(term, 0.0) * possible
        is_cheap = not limits or rows <= _MOST_ROWS
        limits.append(_UNLIMITED if is_cheap else filling)
    words = [f"'{term}'" for term in terms]
    condition = encode_filter(filter)
    return WordSearch(
        words=words,
        filtered=[f"{word} & {condition}" if condition else word for word in words],
        limits=limits,
        shares=[shares.get(term) for term in terms],
        statistics=statistics,
    )
