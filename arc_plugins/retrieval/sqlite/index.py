"""Queries of the index: blocking calls, for a thread that may wait."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from arc_core import Document
from arc_core.text.terms import terms_of
from arc_plugins.retrieval.sqlite.database import reading, require, transaction, writing
from arc_plugins.retrieval.sqlite.passages import Passage

__all__ = ["DocumentIndex"]

_MOST_TERMS = 500
"""Of a query; what a person asks has fewer, what they paste tells enough with these."""

_SEARCH = """
SELECT text, source, heading, score
FROM (
  SELECT rowid AS id, -bm25(passage_terms, 2.0, 1.0) AS score
  FROM passage_terms WHERE passage_terms MATCH ? ORDER BY score DESC, rowid LIMIT ?
)
JOIN passages USING (id)
ORDER BY score DESC, id
"""
_FORGET_TERMS = (
    "DELETE FROM passage_terms WHERE rowid IN (SELECT id FROM passages WHERE source = ?)"
)
_FORGET = "DELETE FROM passages WHERE source = ?"
_KEEP = "INSERT INTO passages (source, heading, text) VALUES (?, ?, ?)"
_KEEP_TERMS = "INSERT INTO passage_terms (rowid, heading, text) VALUES (?, ?, ?)"
_SOURCES = "SELECT source, count(*) FROM passages GROUP BY source ORDER BY source"


class DocumentIndex:
    """Passages by the terms in them; each call opens the file anew, so any thread may call.

    FTS5 ranks, and splits nothing: no tokenizer of SQLite's finds words inside of Korean ones.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def best(self, query: str, limit: int) -> list[Document]:
        """The passages that share the most telling terms with a text, best first."""
        terms = list(dict.fromkeys(terms_of(query)))[:_MOST_TERMS]
        with reading(self._path) as connection:
            if not terms or limit < 1:
                return []
            rows = connection.execute(_SEARCH, (_match_any(terms), limit)).fetchall()
        return [_document(row) for row in rows]

    def replace(self, source: str, passages: Sequence[Passage]) -> bool:
        """Keep these passages of a source and no others; whether there were any before."""
        with writing(self._path) as connection, transaction(connection):
            was_there = _forget(connection, source)
            for passage in passages:
                values = (source, passage.heading, passage.text)
                number = connection.execute(_KEEP, values).lastrowid
                terms = (" ".join(terms_of(text)) for text in (passage.heading, passage.text))
                connection.execute(_KEEP_TERMS, (number, *terms))
        return was_there

    def remove(self, sources: Sequence[str]) -> list[str]:
        """Forget sources, all or none; those that were there."""
        require(self._path)
        with writing(self._path) as connection, transaction(connection):
            return [source for source in sources if _forget(connection, source)]

    def sources(self) -> dict[str, int]:
        """The number of passages by source."""
        with reading(self._path) as connection:
            return dict(connection.execute(_SOURCES).fetchall())


def _match_any(terms: Sequence[str]) -> str:
    """Terms as FTS5 asks for any of them; in quotes, since some words are its operators."""
    return " OR ".join(f'"{term}"' for term in terms)


def _forget(connection: sqlite3.Connection, source: str) -> bool:
    connection.execute(_FORGET_TERMS, (source,))
    return connection.execute(_FORGET, (source,)).rowcount > 0


def _document(row: tuple[str, str, str, float]) -> Document:
    text, source, heading, score = row
    shown = f"{heading}\n{text}" if heading else text
    return Document(shown, source, score, {"heading": heading})
