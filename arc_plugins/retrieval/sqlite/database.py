"""The file of the index: its schema, its connections, and its errors as Arc's."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from arc_core import ConfigurationError

SCHEMA_VERSION = 2
"""Raised with the schema, and with how texts are split into terms: both must fit the file."""

_WORDS_ALONE = 1
"""The schema of Arc 0.1, without metadata and vectors."""

_APPLICATION_ID = 0x41726344
_LOCK_TIMEOUT_S = 2.0
"""A search waits no longer for one that writes: its run goes on without documents."""

_WRITE_LOCK_TIMEOUT_S = 30.0
"""Adding documents waits for searches, such as one that loads many vectors, before it gives up."""

_PASSAGES = """
CREATE TABLE passages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source TEXT NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX passages_by_source ON passages (source);
"""
_TERMS = "CREATE VIRTUAL TABLE passage_terms USING fts5 (heading, text, tokenize = 'ascii');"
_SINCE_VECTORS = """
CREATE {temp} TABLE sources (
  source TEXT PRIMARY KEY, title TEXT NOT NULL, digest TEXT NOT NULL
) WITHOUT ROWID;
CREATE {temp} TABLE source_metadata (
  source TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (source, key)
) WITHOUT ROWID;
CREATE INDEX {schema}sources_by_metadata ON source_metadata (key, value);
CREATE {temp} TABLE spaces (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, dimensions INTEGER NOT NULL,
  created TEXT NOT NULL, version TEXT NOT NULL, UNIQUE (name, dimensions)
);
CREATE {temp} TABLE vectors (
  id INTEGER PRIMARY KEY AUTOINCREMENT, space_id INTEGER NOT NULL, passage_id INTEGER NOT NULL,
  vector BLOB NOT NULL, UNIQUE (passage_id, space_id)
);
"""
_MIGRATION = """
DROP INDEX passages_by_source;
ALTER TABLE passages RENAME TO passages_of_words;
{passages}
INSERT INTO passages SELECT id, source, heading, text FROM passages_of_words;
DROP TABLE passages_of_words;
{since_vectors}
INSERT INTO sources SELECT DISTINCT source, '', '' FROM passages;
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
    """A connection that only reads, and sees one state of a file that exists."""
    require(path)
    address = f"{path.absolute().as_uri()}?mode=ro"
    connecting = sqlite3.connect(address, uri=True, timeout=_LOCK_TIMEOUT_S, isolation_level=None)
    with closing(connecting) as connection:
        _check(connection, path)
        if _number(connection, "user_version") == _WORDS_ALONE:
            connection.execute("PRAGMA temp_store = MEMORY")
            _execute(connection, _SINCE_VECTORS.format(temp="TEMP", schema="temp."))
        connection.execute("BEGIN")
        yield connection


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that writes, in transactions begun by hand; the file gets the schema."""
    connecting = sqlite3.connect(path, timeout=_WRITE_LOCK_TIMEOUT_S, isolation_level=None)
    with closing(connecting) as connection:
        with transaction(connection):
            _bring_up_to_date(connection)
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


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    since_vectors = _SINCE_VECTORS.format(temp="", schema="")
    if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None:
        _execute(connection, _PASSAGES + _TERMS + since_vectors)
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    elif _is_index(connection) and _number(connection, "user_version") == _WORDS_ALONE:
        _execute(connection, _MIGRATION.format(passages=_PASSAGES, since_vectors=since_vectors))
    else:
        return
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _execute(connection: sqlite3.Connection, script: str) -> None:
    """Execute statements within the transaction, which `executescript` would end."""
    for statement in script.split(";\n"):
        connection.execute(statement)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    if not _is_index(connection):
        raise ConfigurationError(
            f"{str(path)!r} is a database, but not an index of documents",
            remedy="point rag.path at another file",
        )
    version = _number(connection, "user_version")
    if version not in {_WORDS_ALONE, SCHEMA_VERSION}:
        is_newer = version > SCHEMA_VERSION
        raise ConfigurationError(
            f"the index of documents {str(path)!r} was made by "
            f"{'a newer' if is_newer else 'an older'} version of Arc",
            evidence=[f"its schema is {version}, this version of Arc reads {SCHEMA_VERSION}"],
            remedy="update Arc" if is_newer else _OTHER[1],
        )


def _is_index(connection: sqlite3.Connection) -> bool:
    return _number(connection, "application_id") == _APPLICATION_ID


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
