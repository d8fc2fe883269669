"""Connections to the database of runs."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("dbos", reason="needs the extra durable")

import psycopg
from sqlalchemy.exc import DBAPIError

from arc_core import ConfigurationError
from arc_plugins.journals.sql import database as module
from arc_plugins.journals.sql.database import Database, run_address
from arc_plugins.journals.sql.tables import versions


def test_an_old_sqlite_gets_the_function_that_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DBOS asks for parts of a second, which `unixepoch` gives from 3.42 on."""
    monkeypatch.setattr(module, "_OLDEST_WITH_UNIXEPOCH", (99,))
    database = Database(run_address(f"sqlite:///{tmp_path / 'runs.db'}"))
    database.prepare()

    with database.read() as connection:
        exact, whole, mode = (
            connection.exec_driver_sql(statement).scalar_one()
            for statement in (
                "SELECT unixepoch('subsec')",
                "SELECT unixepoch()",
                "PRAGMA journal_mode",
            )
        )
    database.close()

    assert abs(exact - time.time()) < 60
    assert (type(exact), type(whole), mode) == (float, int, "wal")


def test_a_program_that_has_the_file_is_waited_for(tmp_path: Path) -> None:
    """As when a server and a worker come first to a new file."""
    file = tmp_path / "runs.db"
    runs = Database(run_address(f"sqlite:///{file}"))
    with (
        closing(sqlite3.connect(file, isolation_level=None)) as other,
        ThreadPoolExecutor() as thread,
    ):
        other.execute("BEGIN IMMEDIATE")
        preparing = thread.submit(runs.prepare)
        done, _ = wait([preparing], timeout=0.2)
        other.execute("COMMIT")
        preparing.result()
    runs.close()

    assert not done


def test_a_reader_sees_one_moment(database: str) -> None:
    """What is written between two of its questions is not seen by the second one."""
    runs = Database(run_address(database))
    runs.prepare()

    with runs.read() as reading:
        before = reading.scalar(versions.select())
        with runs.write() as writing:
            writing.execute(versions.update().values(version=0))
        after = reading.scalar(versions.select())
    with runs.read() as reading:
        later = reading.scalar(versions.select())
    runs.close()

    assert (before, after, later) == (1, 1, 0)


def test_errors_do_not_show_what_people_said(database: str) -> None:
    """Neither their words nor the password stand in what a driver raises."""
    runs = Database(run_address(database))
    runs.prepare()

    with pytest.raises(DBAPIError) as caught, runs.write() as connection:
        connection.execute(versions.insert().values(version="secret words"))
    runs.close()

    assert "secret words" not in str(caught.value).replace(str(caught.value.orig), "")


def test_a_connection_that_comes_back_after_the_end_is_closed(database: str) -> None:
    """A thread of DBOS may still have one when all others are closed."""
    runs = Database(run_address(database))

    with runs.query() as connection:
        held = connection.connection.dbapi_connection
        assert held is not None
        runs.close()

    with pytest.raises((psycopg.OperationalError, sqlite3.ProgrammingError), match="closed"):
        held.cursor()


@pytest.mark.parametrize(
    ("conversations", "file"),
    [
        (None, "arc-runs.db"),
        ("sqlite:///data/conversations.db", "data/arc-runs.db"),
        ("postgresql://ann:secret@db/arc", "arc-runs.db"),
    ],
)
def test_a_file_stands_beside_the_conversations(conversations: str | None, file: str) -> None:
    """In this folder if these are not in a file."""
    assert run_address(None, conversations=conversations).file == Path(file)


@pytest.mark.parametrize("text", ["sqlite://", "sqlite:///:memory:", "sqlite:///a.db?mode=ro", "x"])
def test_other_addresses_are_refused(text: str) -> None:
    """The message names the setting."""
    with pytest.raises(ConfigurationError, match=r"durable\.url"):
        run_address(text)
