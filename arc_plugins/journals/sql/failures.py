"""What errors of the database mean: to wait for it, or to tell the person who starts Arc."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from arc_core import ConfigurationError

__all__ = ["as_os_error", "cause_of", "explain_failures", "may_pass"]

_UNREACHABLE = ("cannot be reached", "start the database, or correct durable.url")
_NOT_CONNECTED = (
    "cannot be reached, or refuses the connection",
    "start the database, or correct durable.url: host, user, password, database, options",
)
"""Of psycopg, which has neither code nor class for why a connection failed."""
_CROWDED = ("has no connection left", "close other connections, or raise its max_connections")
_NO_SCHEMA = (
    "has no schema of this name",
    "create the schema, or correct search_path in durable.url",
)
_READ_ONLY = (
    "cannot be written to",
    "give Arc's user the right to write, or point durable.url at a writable database",
)
_LOCKED = ("is locked by another program", "let that program finish, and start again")
_FULL = ("has no room left", "make room on its disk; the runs stay where they were, and go on then")
_FAULTY_DISK = ("cannot be read or written", "see that its disk works and has room left")
_NO_FILE = ("cannot be opened", "create its folder and give Arc's user the right to write there")
_NO_DATABASE = ("is not a SQLite database", "point durable.url at another file")
_DENIED = ("does not let Arc in", "correct user and password in durable.url")
_ABSENT = ("does not exist", "create the database, or correct durable.url")
_OTHER = ("cannot be used", "see what the driver says: the traceback has it, `--traceback`")

_PASSING = {_UNREACHABLE, _CROWDED, _LOCKED, _FULL, _FAULTY_DISK, _READ_ONLY, _NO_FILE}

_SQLITE = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: _FAULTY_DISK,
    sqlite3.SQLITE_CANTOPEN: _NO_FILE,
    sqlite3.SQLITE_NOTADB: _NO_DATABASE,
}
_POSTGRES = {
    "08": _UNREACHABLE,
    "25006": _READ_ONLY,
    "28": _DENIED,
    "3D": _ABSENT,
    "3F": _NO_SCHEMA,
    "42501": _READ_ONLY,
    "53": _FULL,
    "53300": _CROWDED,
    "55P03": _LOCKED,
    "57": _UNREACHABLE,
}
"""By a code of PostgreSQL's, else by its class, the first two characters."""


def may_pass(error: BaseException) -> bool:
    """Whether what was tried may work later, with nothing changed but the state of the database."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    is_passing = _meaning(cause_of(error), error) in _PASSING
    return is_passing or _is_serialization(cause_of(error))


def as_os_error(error: BaseException, place: str) -> OSError:
    """What callers are told of a database that is away."""
    problem, remedy = _meaning(cause_of(error), error)
    code = errno.ENOSPC if problem == _FULL[0] else errno.EIO
    return OSError(code, f"the database of durable.url {problem} ({place}): {remedy}")


@contextmanager
def explain_failures(place: str) -> Iterator[None]:
    """Turn errors of the database into what is wrong and what to do.

    Raises:
        ConfigurationError: The body raised an error of the database or of its connection.
    """
    try:
        yield
    except (SQLAlchemyError, OSError, sqlite3.Error) as error:
        cause = cause_of(error)
        problem, remedy = _meaning(cause, error)
        if isinstance(cause, psycopg.OperationalError) and cause.sqlstate is None:
            problem, remedy = _NOT_CONNECTED
        raise ConfigurationError(
            f"the database of durable.url {problem}",
            evidence=[place, f"the driver raised {type(cause).__name__}"],
            remedy=remedy,
        ) from error


def cause_of(error: BaseException) -> BaseException:
    """The driver's own exception, which knows the code."""
    if isinstance(error, OSError) and isinstance(error.__cause__, SQLAlchemyError):
        error = error.__cause__
    if isinstance(error, DBAPIError) and error.orig is not None:
        return error.orig
    return error


def _meaning(cause: BaseException, error: BaseException) -> tuple[str, str]:
    if isinstance(cause, sqlite3.Error):
        return _SQLITE.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF, _OTHER)
    state = getattr(cause, "sqlstate", None)
    if isinstance(state, str):
        return _POSTGRES.get(state) or _POSTGRES.get(state[:2], _OTHER)
    is_away = isinstance(error, OperationalError | OSError | TimeoutError)
    return _UNREACHABLE if is_away else _OTHER


def _is_serialization(cause: BaseException) -> bool:
    return str(getattr(cause, "sqlstate", "") or "").startswith("40")
