"""The search by words: BM25 by FTS5, in a bounded time however large the index is.

Ranking costs about a microsecond for each passage that has one of the terms, and a question has
terms that nearly all passages have. So the rare terms say which passages are ranked, others only in
which order, and those that tell nothing are left out.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from arc_core import TENANT_KEY
from arc_core.text.terms import split_terms

_MOST_TERMS = 500
"""Of a query; what a person asks has fewer, what they paste tells enough with these."""

_RANKED_PASSAGES = 10_000
"""Of a query, as far as its rarest term has no more: some ten milliseconds."""

_ORDERING_PASSAGES = 50_000
"""The most passages that the terms of a query are in which say anything; some milliseconds."""

_COMMON = 1_000
"""Passages from which on it is kept how many have a term: counting them takes long."""

_TERM_COUNTS = "CREATE VIRTUAL TABLE temp.term_counts USING fts5vocab (main, passage_terms, row)"
_COUNT = "SELECT doc FROM temp.term_counts WHERE term = ?"
_LAST = "SELECT max(id) FROM passages"
_COUNT_PASSAGES = "SELECT count(*) FROM (SELECT 1 FROM passages WHERE {} LIMIT ?)"
_SEARCH = """
SELECT passage_terms.rowid, -rank
FROM passage_terms JOIN passages ON passages.id = passage_terms.rowid
WHERE passage_terms MATCH ? AND rank MATCH 'bm25(2.0, 1.0)' AND {}
ORDER BY rank LIMIT ?
"""
_SEARCH_FEW = """
SELECT rowid, -bm25(passage_terms, 2.0, 1.0) AS score
FROM passage_terms
WHERE passage_terms MATCH ? AND +rowid IN (SELECT id FROM passages WHERE {})
ORDER BY score DESC, rowid LIMIT ?
"""
_IS_OF_TENANT = "source NOT IN (SELECT source FROM source_metadata WHERE key = ? AND value <> ?)"
_HAS = "source IN (SELECT source FROM source_metadata WHERE key = ? AND value = ?)"


def get_condition(filter: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the condition on `source` that a filter is, and its values."""
    conditions, values = ["true"], list[str]()
    for key, value in filter.items():
        conditions.append(_IS_OF_TENANT if key == TENANT_KEY else _HAS)
        values += [key, value]
    return " AND ".join(conditions), values


class TermSearch:
    """Searches one file, and remembers how common its common terms are."""

    def __init__(self) -> None:
        self._counted: tuple[int | None, dict[str, int]] = (None, {})

    def find(
        self, connection: sqlite3.Connection, query: str, *, limit: int, filter: Mapping[str, str]
    ) -> list[tuple[int, float]]:
        """Return the ids of passages with their scores, the best first."""
        counts = self._count_terms(connection, query)
        if not counts:
            return []
        condition, values = get_condition(filter)
        telling = _choose_rarest(counts, _RANKED_PASSAGES)
        match = _match_any(telling)
        if len(telling) < len(counts):
            ordering = _choose_rarest(counts, _ORDERING_PASSAGES)
            match = f"({match}) AND ({_match_any(ordering)})"
        found = connection.execute(_SEARCH.format(condition), (match, *values, limit)).fetchall()
        is_cut = len(found) < limit and len(telling) < len(counts)
        if is_cut and filter and _has_few_passages(connection, condition, values):
            few = _SEARCH_FEW.format(condition)
            return connection.execute(few, (_match_any(counts), *values, limit)).fetchall()
        return found

    def _count_terms(self, connection: sqlite3.Connection, query: str) -> dict[str, int]:
        """Return the terms that passages have, the rarest first, each with their number."""
        connection.execute(_TERM_COUNTS)
        common = self._get_common(connection)
        counts = dict[str, int]()
        for term in list(dict.fromkeys(split_terms(query)))[:_MOST_TERMS]:
            if term in common:
                counts[term] = common[term]
                continue
            for (count,) in connection.execute(_COUNT, (term,)):
                counts[term] = count
                if count >= _COMMON:
                    common[term] = count
        return dict(sorted(counts.items(), key=lambda each: each[1]))

    def _get_common(self, connection: sqlite3.Connection) -> dict[str, int]:
        """Return what is known of the passages that are there now."""
        (last,) = connection.execute(_LAST).fetchone()
        counted, common = self._counted
        if counted != last:
            common = {}
            self._counted = (last, common)
        return common


def _choose_rarest(counts: Mapping[str, int], passages: int) -> list[str]:
    """Return the rarest terms, as many as so many passages have, and at least one."""
    sums = accumulate(counts.values())
    return [
        term
        for place, (term, sum) in enumerate(zip(counts, sums, strict=True))
        if place == 0 or sum <= passages
    ]


def _has_few_passages(
    connection: sqlite3.Connection, condition: str, values: Sequence[str]
) -> bool:
    most = _RANKED_PASSAGES + 1
    rows = connection.execute(_COUNT_PASSAGES.format(condition), (*values, most))
    return bool(0 < rows.fetchone()[0] < most)


def _match_any(terms: Iterable[str]) -> str:
    """Terms as FTS5 asks for any of them; in quotes, since some words are its operators."""
    return " OR ".join(f'"{term}"' for term in terms)
