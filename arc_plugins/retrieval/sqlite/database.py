"""The file of the index: its schema, and what may be wrong with it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from arc_core import ConfigurationError

__all__ = ["SCHEMA_VERSION", "explain_failures", "reading", "require", "transaction", "writing"]

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
