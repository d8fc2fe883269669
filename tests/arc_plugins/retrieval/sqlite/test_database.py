"""A file that is not a usable index is explained."""

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from arc_core import ConfigurationError
from arc_plugins.retrieval.sqlite.database import explain_failures, reading, transaction, writing


def test_an_index_that_is_missing_names_the_command(tmp_path: Path) -> None:
    """Reading makes no file."""
    opening = reading(tmp_path / "i.db")

    with pytest.raises(ConfigurationError, match="does not exist") as caught, opening:
        pass

    assert "arc docs add" in caught.value.remedy
    assert not (tmp_path / "i.db").exists()


@pytest.mark.parametrize(("version", "word"), [(3, "a newer"), (0, "an older")])
def test_another_schema_is_refused(tmp_path: Path, version: int, word: str) -> None:
    """For reading and for writing."""
    path = tmp_path / "i.db"
    with writing(path) as connection:
        connection.execute(f"PRAGMA user_version = {version}")

    for opened in (reading, writing):
        with pytest.raises(ConfigurationError, match=f"made by {word} version"), opened(path):
            pass


def test_another_database_is_left_alone(tmp_path: Path) -> None:
    """A wrong path costs no user their data."""
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE precious (x)")

    with pytest.raises(ConfigurationError, match="not an index of documents"), writing(path):
        pass

    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("precious",)]


def test_what_is_not_a_database_is_said(tmp_path: Path) -> None:
    """A text, a folder, and a place that is not there."""
    (tmp_path / "text.db").write_text("hello " * 1000)

    for name, cause in (
        ("text.db", "is not an index"),
        (".", "cannot be"),
        ("no/i.db", "cannot be"),
    ):
        path = tmp_path / name
        with pytest.raises(ConfigurationError, match=cause), explain_failures(path), writing(path):
            pass


def test_a_locked_index_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a bounded wait."""
    monkeypatch.setattr("arc_plugins.retrieval.sqlite.database._WRITE_LOCK_TIMEOUT_S", 0.01)
    path = tmp_path / "i.db"
    with writing(path) as holder, transaction(holder):
        opening = writing(path)
        with pytest.raises(ConfigurationError, match="is locked"), explain_failures(path), opening:
            pass


def test_a_broken_transaction_leaves_nothing(tmp_path: Path) -> None:
    """All of it or nothing."""
    path = tmp_path / "i.db"
    with writing(path) as connection:
        with pytest.raises(sqlite3.IntegrityError), transaction(connection):
            connection.executemany(
                "INSERT INTO passages (source, heading, text) VALUES ('', '', ?)", [("",), (None,)]
            )

        count = connection.execute("SELECT count(*) FROM passages").fetchone()
    assert count == (0,)


async def test_adding_waits_for_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that takes longer than a search would wait does not break off what is written."""
    monkeypatch.setattr("arc_plugins.retrieval.sqlite.database._LOCK_TIMEOUT_S", 0.01)
    path, is_writing = tmp_path / "i.db", threading.Event()

    def write() -> None:
        with writing(path) as connection, transaction(connection):
            connection.execute("INSERT INTO passages (source, heading, text) VALUES ('', '', '')")
            is_writing.set()

    with writing(path):
        pass
    with reading(path) as search:
        search.execute("SELECT count(*) FROM passages").fetchone()
        task = asyncio.create_task(asyncio.to_thread(write))
        await asyncio.to_thread(is_writing.wait, 30)
        assert not task.done()
    await task

    with reading(path) as connection:
        assert connection.execute("SELECT count(*) FROM passages").fetchone() == (1,)
