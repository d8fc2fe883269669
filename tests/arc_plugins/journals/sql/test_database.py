"""Connections to the database of runs."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

import psycopg
from sqlalchemy.exc import DBAPIError

from arc_core import ConfigurationError
from arc_core.log import get_logger
from arc_plugins.journals.sql.database import Database, DatabaseThreads, run_address
from arc_plugins.journals.sql.tables import versions
from tests.arc_plugins.journals.sql.databases import execute


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


@pytest.mark.slow
async def test_a_server_that_was_restarted_is_not_noticed(postgres_database: str) -> None:
    """Connections that have broken meanwhile are replaced, by reading and by writing."""
    named = f"{postgres_database}&application_name=restarted-{id(postgres_database)}"
    cut = f"""SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'restarted-{id(postgres_database)}'"""
    database, change = Database(run_address(named)), versions.update().values(version=1)
    database.prepare()
    threads = DatabaseThreads(database, logger=get_logger("test"))
    execute(postgres_database, cut)
    read = await threads.query(lambda connection: connection.scalar(versions.select()))
    execute(postgres_database, cut)
    await threads.write(lambda connection: connection.execute(change))
    execute(postgres_database, cut)
    await threads.persist(lambda connection: connection.execute(change), is_single=True)
    threads.close()
    database.close()

    assert read == 1


def test_a_connection_that_comes_back_after_the_end_is_closed(database: str) -> None:
    """A thread may still have one when all others are closed."""
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
