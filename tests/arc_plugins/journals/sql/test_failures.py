"""What errors of the database mean."""

import sqlite3

import pytest

pytest.importorskip("dbos", reason="needs the extra durable")
import psycopg
from sqlalchemy.exc import OperationalError

from arc_core import ConfigurationError
from arc_plugins.journals.sql.failures import explain_failures, may_pass


def of_sqlite(code: int) -> OperationalError:
    """An error with a code of SQLite's."""
    error = sqlite3.OperationalError("hunter2")
    error.sqlite_errorcode = code
    return OperationalError("SELECT 1", {}, error)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (of_sqlite(sqlite3.SQLITE_IOERR_SHMSIZE), "its disk works and has room left"),
        (OperationalError("", {}, psycopg.errors.TooManyConnections("hunter2")), "max_connections"),
    ],
)
def test_what_passes_is_waited_for_and_told(error: OperationalError, said: str) -> None:
    """A start says what to do about it; the driver's words are not shown."""
    with pytest.raises(ConfigurationError, match=said) as told, explain_failures("SQLite runs.db"):
        raise error

    assert may_pass(error)
    assert "hunter2" not in str(told.value)
