"""What is wrong with a database is told by the driver's code, and what to do about it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")
from sqlalchemy.exc import InvalidRequestError, OperationalError

from arc_core import ConfigurationError
from arc_core.stores.sql import explain_sql_failures, may_pass, read_sql_address

DATABASE = read_sql_address("sqlite:///talk.db", setting="conversation.url", is_async=False)


def test_a_file_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    """SQLite says so when it writes."""
    file = tmp_path / "talk.db"
    sqlite3.connect(file).close()

    with (
        closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection,
        pytest.raises(ConfigurationError, match="cannot be written to"),
        explain_sql_failures(DATABASE),
    ):
        connection.execute("CREATE TABLE t (c)")


def test_the_cause_is_kept() -> None:
    """It is there for a user who asks for a traceback; its text is not in the explanation."""
    cause = ConnectionRefusedError("no")

    with pytest.raises(ConfigurationError) as caught, explain_sql_failures(DATABASE):
        raise cause

    assert caught.value.__cause__ is cause
    assert caught.value.evidence == ("SQLite talk.db", "the driver raised ConnectionRefusedError")
    assert "start the database" in caught.value.remedy


@pytest.mark.parametrize(
    ("state", "problem"),
    [
        ("28P01", "does not let Arc in"),
        ("3D000", "does not exist"),
        ("25006", "cannot be written to"),
        ("42501", "cannot be written to"),
        ("57P03", "cannot be reached"),
        ("08006", "cannot be reached"),
        ("XX000", "cannot be used"),
    ],
)
def test_a_server_says_what_is_wrong_by_a_code(state: str, problem: str) -> None:
    """The code decides, else its class; texts are the server's language."""
    asyncpg = pytest.importorskip("asyncpg", reason="needs the extra postgres")
    error = asyncpg.PostgresError("egal")
    error.sqlstate = state

    with pytest.raises(ConfigurationError, match=problem), explain_sql_failures(DATABASE):
        raise error


def test_other_errors_of_the_library_are_explained_too() -> None:
    """Without guessing."""
    with pytest.raises(ConfigurationError, match="--traceback"), explain_sql_failures(DATABASE):
        raise InvalidRequestError("something")


def test_bugs_pass() -> None:
    """An error that no database raises is none of its problems."""
    with pytest.raises(KeyError), explain_sql_failures(DATABASE):
        raise KeyError("x")


def of_sqlite(code: int) -> OperationalError:
    """An error with a code of SQLite's."""
    error = sqlite3.OperationalError("hunter2")
    error.sqlite_errorcode = code
    return OperationalError("SELECT 1", {}, error)


def of_postgres(state: str) -> OperationalError:
    """An error with a code of PostgreSQL's."""
    psycopg = pytest.importorskip("psycopg", reason="needs the extra psycopg")
    return OperationalError("", {}, psycopg.errors.lookup(state)("hunter2"))


@pytest.mark.parametrize(
    ("make", "code", "said"),
    [
        (of_sqlite, sqlite3.SQLITE_IOERR_SHMSIZE, "its disk works and has room left"),
        (of_postgres, "53300", "max_connections"),
    ],
)
def test_what_passes_is_waited_for_and_told(make: Any, code: Any, said: str) -> None:
    """A start says what to do about it; the driver's words are not shown."""
    error = make(code)

    with pytest.raises(ConfigurationError, match=said) as told, explain_sql_failures(DATABASE):
        raise error

    assert may_pass(error)
    assert "hunter2" not in str(told.value)
