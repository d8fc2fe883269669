"""SQLite and PostgreSQL: addresses, options of connections, locks, and errors as Arc's.

Time-outs: SQLite waits 4 seconds for another writer, PostgreSQL 4 for a connection or an answer.
"""

import errno
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

from arc_core.errors import ConfigurationError
from arc_core.stores import explain_missing_extra

with explain_missing_extra("sql"):
    from sqlalchemy import URL, TextClause, make_url, text
    from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError


SQL_TIMEOUT_S = 4

_BUSY_TIMEOUT_S = 10.0
_RETRY_S = 0.02
_BLANK_OR_BACKSLASH = re.compile(r"[\\\s]")
_ESCAPED = r"\\\g<0>"
_SSL_MODES = {"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}
_EXTRAS = {"asyncpg": "postgres", "psycopg": "psycopg"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlAddress:
    """A database.

    Attributes:
        url: For SQLAlchemy, with its driver; holds the password.
        place: For people; holds no password.
        setting: The name of the setting that has it.
        file: The file of an SQLite database, None for a server.
        options: Of the server or of the driver, for each connection.
    """

    url: URL = field(repr=False)
    place: str
    setting: str
    file: Path | None = None
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    def engine_options(self, *, statement_timeout: bool = False) -> dict[str, Any]:
        """Options of an engine, whose errors do not show parameters: these are what people said.

        Args:
            statement_timeout: Whether no statement may take long.
        """
        return {
            "connect_args": self.connect_args(statement_timeout=statement_timeout),
            "hide_parameters": True,
            "pool_pre_ping": self.file is None,  # a server may have been restarted in between
            "pool_timeout": SQL_TIMEOUT_S,
        }

    def connect_args(
        self, options: Mapping[str, str] | None = None, *, statement_timeout: bool = False
    ) -> dict[str, Any]:
        """Arguments for the driver.

        Args:
            options: Of the server, for these connections alone.
            statement_timeout: Whether no statement may take long.
        """
        if self.file is not None:
            return {"timeout": SQL_TIMEOUT_S}
        given = {"application_name": "arc", **self.options, **(options or {})}
        if self.url.drivername.endswith("asyncpg"):
            return _asyncpg_args(given, statement_timeout=statement_timeout)
        return _psycopg_args(given, statement_timeout=statement_timeout)


def _asyncpg_args(options: dict[str, str], *, statement_timeout: bool) -> dict[str, Any]:
    ssl = options.pop("sslmode", None) or options.pop("ssl", None)
    args: dict[str, Any] = {"timeout": SQL_TIMEOUT_S, "server_settings": options}
    if ssl:
        args["ssl"] = ssl
    if statement_timeout:
        args["command_timeout"] = SQL_TIMEOUT_S
    return args


def _psycopg_args(options: dict[str, str], *, statement_timeout: bool) -> dict[str, Any]:
    if options.get("ssl") in _SSL_MODES:  # as asyncpg calls it
        options.setdefault("sslmode", options.pop("ssl"))
    milliseconds = SQL_TIMEOUT_S * 1_000
    if statement_timeout:
        options.setdefault("statement_timeout", str(milliseconds))
    of_client = {name: options.pop(name) for name in _client_options() & options.keys()}
    words = [options.pop("options", "")]
    words += [
        f"-c {name}={_BLANK_OR_BACKSLASH.sub(_ESCAPED, value)}" for name, value in options.items()
    ]
    return {
        "connect_timeout": SQL_TIMEOUT_S,
        "tcp_user_timeout": milliseconds,
        **of_client,
        "options": " ".join(filter(None, words)),
    }


def _client_options() -> set[str]:
    """Return the options that libpq reads, as `sslrootcert`; it hands no others to the server."""
    from psycopg import pq  # noqa: PLC0415 -- of an extra of its own

    names = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    return names - {"application_name", "options"}


def read_sql_address(
    address: str | URL, *, setting: str, is_async: bool, remedy: str = ""
) -> SqlAddress:
    """Read an address; nothing is opened.

    Args:
        address: As it stands in the setting.
        setting: Its name.
        is_async: Whether the driver is an asynchronous one: aiosqlite, and asyncpg unless the
            address names psycopg; else sqlite3 and psycopg.
        remedy: More to do about a database of SQLite that is in memory.

    Raises:
        ConfigurationError: The address cannot be used, or its driver is not installed; the error
            does not repeat the address.
    """
    url = _parse(address)
    if url is None:  # raised here, so that no error of a parser, which repeats it, is the context
        raise ConfigurationError(
            f"{setting} cannot be read",
            remedy="write it as sqlite:///file.db or postgresql://user:password@host/database, "
            "special characters of a password as %XX",
        )
    if url.get_backend_name() == "sqlite":
        name = url.database or ""
        if name in {"", ":memory:"} or url.query:
            raise ConfigurationError(
                f"{setting} names no file for SQLite",
                remedy=f"write it as sqlite:///file.db, without options{remedy}",
            )
        driver = "sqlite+aiosqlite" if is_async else "sqlite"
        url = url.set(drivername=driver)
        return SqlAddress(url=url, place=f"SQLite {name}", setting=setting, file=Path(name))
    named = url.drivername == "postgresql+psycopg"
    return _server_address(url, setting, driver="psycopg" if named or not is_async else "asyncpg")


def _parse(address: str | URL) -> URL | None:
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        return None
    is_server = url.get_backend_name() != "sqlite"
    # The rest of a password with an @, which would be taken for the host or the database.
    return None if is_server and "@" in f"{url.host}{url.database}" else url


def _server_address(url: URL, setting: str, *, driver: Literal["asyncpg", "psycopg"]) -> SqlAddress:
    if find_spec(driver) is None:
        raise ConfigurationError(
            f"{setting} names a PostgreSQL, which cannot be reached from here",
            evidence=[f"the package {driver} is not installed"],
            remedy=f'pip install "arc-agents[{_EXTRAS[driver]}]"',
        )
    host = url.host or url.query.get("host") or "localhost"
    return SqlAddress(
        url=url.set(drivername=f"postgresql+{driver}", query={}),
        place=f"PostgreSQL {host}:{url.port or 5432}/{url.database or ''}",
        setting=setting,
        options={name: str(value) for name, value in url.query.items()},
    )


def transaction_lock(address: SqlAddress, number: int) -> TextClause:
    """Return a statement that begins a transaction in which no other one of this number is.

    Args:
        address: Of the database; in a file, no other transaction writes at all.
        number: Any that is always the same.
    """
    if address.file is not None:
        return text("BEGIN IMMEDIATE")
    return text(f"SELECT pg_advisory_xact_lock({number:d})")


def enable_write_ahead_log(file: Path) -> None:
    """Let one writer and many readers work at once; for this, SQLite waits for no other program.

    Raises:
        sqlite3.Error: The file cannot be opened, is not a database, or is locked for 10 seconds.
    """
    ends = time.monotonic() + _BUSY_TIMEOUT_S
    with closing(sqlite3.connect(file)) as connection:
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
            except sqlite3.OperationalError as error:
                is_locked = _problem(error) is _LOCKED
                if not is_locked or time.monotonic() > ends:
                    raise
                time.sleep(_RETRY_S)
            else:
                return


class _Problem(NamedTuple):
    """A problem of a database: what to do about it, and whether it may pass by itself."""

    text: str
    remedy: str
    may_pass: bool = False


_UNREACHABLE = _Problem("cannot be reached", "start the database, or correct {}", may_pass=True)
_NOT_CONNECTED = _Problem(
    "cannot be reached, or refuses the connection",
    "start the database, or correct {}: host, user, password, database, options",
)
"""Of psycopg, which has neither code nor class for why a connection failed."""
_CROWDED = _Problem(
    "has no connection left", "close other connections, or raise its max_connections", may_pass=True
)
_NO_SCHEMA = _Problem(
    "has no schema of this name", "create the schema, or correct search_path in {}"
)
_READ_ONLY = _Problem(
    "cannot be written to",
    "give Arc's user the right to write, or point {} at a writable database",
    may_pass=True,
)
_LOCKED = _Problem(
    "is locked by another program",
    "let that program finish its transaction, and start again",
    may_pass=True,
)
_FULL = _Problem(
    "has no room left",
    "make room on its disk; what is kept stays as it is, and work goes on then",
    may_pass=True,
)
_FAULTY_DISK = _Problem(
    "cannot be read or written", "see that its disk works and has room left", may_pass=True
)
_NO_FILE = _Problem(
    "cannot be opened",
    "create its folder and give Arc's user the right to write there",
    may_pass=True,
)
_NO_DATABASE = _Problem("is not a SQLite database", "point {} at another file")
_DENIED = _Problem("does not let Arc in", "correct user and password in {}")
_ABSENT = _Problem("does not exist", "create the database, or correct {}")
_OPTION = _Problem("refuses an option", "correct what stands behind the ? of {}")
_OTHER = _Problem("cannot be used", "see what the driver says: the traceback has it, `--traceback`")

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
    "22023": _OPTION,
    "25006": _READ_ONLY,
    "28": _DENIED,
    "3D": _ABSENT,
    "3F": _NO_SCHEMA,
    "42501": _READ_ONLY,
    "42704": _OPTION,
    "53": _FULL,
    "53300": _CROWDED,
    "55P03": _LOCKED,
    "57": _UNREACHABLE,
}
"""By a code of PostgreSQL's, else by its class, the first two characters."""

_SERIALIZATION = "40"


def may_pass(error: BaseException) -> bool:
    """Return true if it may work later, with nothing changed but the state of the database."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return _problem(error).may_pass or (_sqlstate(error) or "").startswith(_SERIALIZATION)


def as_os_error(error: BaseException, address: SqlAddress) -> OSError:
    """Return an error for callers, of a database that is away."""
    problem = _problem(error)
    code = errno.ENOSPC if problem is _FULL else errno.EIO
    remedy = problem.remedy.format(address.setting)
    return OSError(
        code, f"the database of {address.setting} {problem.text} ({address.place}): {remedy}"
    )


@contextmanager
def explain_sql_failures(address: SqlAddress) -> Iterator[None]:
    """Turn errors of the database into what is wrong and what to do.

    Raises:
        ConfigurationError: The body raised an error of the database or of its connection.
    """
    try:
        yield
    except Exception as error:
        is_of_database = isinstance(error, SQLAlchemyError | OSError | sqlite3.Error)
        if not is_of_database and _sqlstate(error) is None:
            raise
        cause, problem = driver_error(error), _problem(error)
        has_code = isinstance(cause, sqlite3.Error) or _sqlstate(error) is not None
        if isinstance(error, OperationalError) and not has_code:
            problem = _NOT_CONNECTED
        raise ConfigurationError(
            f"the database of {address.setting} {problem.text}",
            evidence=[address.place, f"the driver raised {type(cause).__name__}"],
            remedy=problem.remedy.format(address.setting),
        ) from error


def driver_error(error: BaseException) -> BaseException:
    """Return the driver's own exception, which knows the code."""
    if isinstance(error, OSError) and isinstance(error.__cause__, SQLAlchemyError):
        error = error.__cause__
    if isinstance(error, DBAPIError) and error.orig is not None:
        return error.orig.__cause__ or error.orig  # asyncpg's stands behind that of an adapter
    return error


def _sqlstate(error: BaseException) -> str | None:
    state = getattr(driver_error(error), "sqlstate", None)
    return state if isinstance(state, str) else None


def _problem(error: BaseException) -> _Problem:
    cause = driver_error(error)
    if isinstance(cause, sqlite3.Error):
        return _SQLITE.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF, _OTHER)
    state = _sqlstate(error)
    if state is not None:
        return _POSTGRES.get(state) or _POSTGRES.get(state[:2], _OTHER)
    is_away = isinstance(error, OperationalError | OSError) or isinstance(cause, OSError)
    return _UNREACHABLE if is_away else _OTHER
