"""What is wrong with a database is told by the driver's code, and what to do about it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")
from sqlalchemy.exc import InvalidRequestError

from arc_core import ConfigurationError
from arc_plugins.conversations.sql.errors import explain_failures


def test_a_file_that_cannot_be_written_is_explained(tmp_path: Path) -> None:
    """SQLite says so when it writes."""
    file = tmp_path / "talk.db"
    sqlite3.connect(file).close()

    with (
        closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection,
        pytest.raises(ConfigurationError, match="cannot be written to"),
        explain_failures("SQLite"),
    ):
        connection.execute("CREATE TABLE t (c)")


def test_the_cause_is_kept() -> None:
    """It is there for a user who asks for a traceback; its text is not in the explanation."""
    cause = ConnectionRefusedError("no")

    with pytest.raises(ConfigurationError) as caught, explain_failures("db:5432"):
        raise cause

    assert caught.value.__cause__ is cause
    assert caught.value.evidence == ("db:5432", "the driver raised ConnectionRefusedError")
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

    with pytest.raises(ConfigurationError, match=problem), explain_failures("db"):
        raise error


def test_other_errors_of_the_library_are_explained_too() -> None:
    """Without guessing."""
    with pytest.raises(ConfigurationError, match="--traceback"), explain_failures("db"):
        raise InvalidRequestError("something")


def test_bugs_pass() -> None:
    """An error that no database raises is none of its problems."""
    with pytest.raises(KeyError), explain_failures("db"):
        raise KeyError("x")
