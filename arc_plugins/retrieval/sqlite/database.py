"""The index of documents: its file, and its queries, which block their thread."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from arc_core import ConfigurationError, Document
from arc_core.text.terms import split_terms
from arc_plugins.retrieval.sqlite.passages import Passage

SCHEMA_VERSION = 1
"""Raised with the schema, and with how texts are split into terms: both must fit the file."""

_APPLICATION_ID = 0x41726344
_LOCK_TIMEOUT_S = 2.0

_SCHEMA = """
CREATE TABLE passages (
  id INTEGER PRIMARY KEY, source TEXT NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX passages_by_source ON passages (source);
CREATE VIRTUAL TABLE passage_terms USING fts5 (heading, text, tokenize = 'ascii');
"""

_LOCKED = ("is locked by another program", "let that program finish, and try again")
_READ_ONLY = ("cannot be written to", "give Arc's user the right to write to it and to its folder")
_NO_FILE = ("cannot be opened", "correct rag.path, or the rights of its folder")
_NO_DATABASE = ("is not an index of documents", "point rag.path at another file")
_OTHER = ("cannot be used", "make it anew: delete it, and run `arc docs add PATH…`")
_PROBLEMS = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: _NO_FILE,
    sqlite3.SQLITE_NOTADB: _NO_DATABASE,
}


def require(path: Path) -> None:
    """See that there is a file."""
    if not path.exists():
        raise ConfigurationError(
            f"the index of documents {str(path)!r} does not exist",
            remedy="run `arc docs add PATH…`, or correct rag.path",
        )


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that only reads, of a file that exists."""
    require(path)
    address = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, timeout=_LOCK_TIMEOUT_S)) as connection:
        _check(connection, path)
        yield connection


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that writes, in transactions begun by hand; a new file gets the schema."""
    connecting = sqlite3.connect(path, timeout=_LOCK_TIMEOUT_S, isolation_level=None)
    with closing(connecting) as connection:
        with transaction(connection):
            if _is_empty(connection):
                for statement in _SCHEMA.strip().split(";\n"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        _check(connection, path)
        yield connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing; the only one at its time."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # SQLite ends it by itself when the disk is full
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@contextmanager
def explain_failures(path: Path) -> Iterator[None]:
    """Turn errors of the database into what is wrong and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)  # errors of the module itself have none
        problem, remedy = _OTHER if code is None else _PROBLEMS.get(code & 0xFF, _OTHER)
        description = f"the index of documents {str(path)!r} {problem}"
        raise ConfigurationError(description, evidence=[str(error)], remedy=remedy) from error


def _check(connection: sqlite3.Connection, path: Path) -> None:
    if _number(connection, "application_id") != _APPLICATION_ID:
        raise ConfigurationError(
            f"{str(path)!r} is a database, but not an index of documents",
            remedy="point rag.path at another file",
        )
    version = _number(connection, "user_version")
    if version != SCHEMA_VERSION:
        is_newer = version > SCHEMA_VERSION
        raise ConfigurationError(
            f"the index of documents {str(path)!r} was made by "
            f"{'a newer' if is_newer else 'an older'} version of Arc",
            evidence=[f"its schema is {version}, this version of Arc reads {SCHEMA_VERSION}"],
            remedy="update Arc" if is_newer else _OTHER[1],
        )


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


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
        terms = list(dict.fromkeys(split_terms(query)))[:_MOST_TERMS]
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
                terms = (" ".join(split_terms(text)) for text in (passage.heading, passage.text))
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
