"""Arc starts on a database that is there, fits, and can be written to; else it says what to do."""

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")
from sqlalchemy import text

from arc_core import ConfigurationError
from arc_core.stores import sql
from arc_core.stores.async_sql import make_engine
from arc_plugins.conversations.sql.database import SCHEMA, conversation_address
from tests.arc_plugins.conversations.sql.databases import migrated
from tests.ports import free_port


async def refusal(url: str) -> ConfigurationError:
    """Why a database cannot be opened."""
    with pytest.raises(ConfigurationError) as caught:
        await SCHEMA.open_engine(conversation_address(url))
    return caught.value


async def execute(url: str, statement: str) -> None:
    """Change a database behind Arc's back."""
    engine = make_engine(conversation_address(url))
    async with engine.begin() as connection:
        await connection.execute(text(statement))
    await engine.dispose()


async def test_a_database_without_schema_is_refused(database: str) -> None:
    """The remedy is the command that makes it."""
    error = await refusal(database)

    assert error.remedy == "run `arc db upgrade`"
    assert f"it has no schema yet, needed is {SCHEMA.head}" in error.evidence


async def test_opening_does_not_create_a_file(sqlite_database: str, tmp_path: Path) -> None:
    """A mistyped name leaves nothing behind."""
    await refusal(sqlite_database)

    assert os.listdir(tmp_path) == []


async def test_an_older_schema_is_refused(database: str) -> None:
    """It says which revision was found."""
    await SCHEMA.upgrade(conversation_address(database), to="0001")

    error = await refusal(database)

    assert error.remedy == "run `arc db upgrade`"
    assert f"its revision is 0001, needed is {SCHEMA.head}" in error.evidence


async def test_a_newer_schema_is_refused(database: str) -> None:
    """An older Arc does not touch what a newer one has made."""
    await migrated(database)
    await execute(database, "UPDATE arc_schema SET version_num = '0099'")

    error = await refusal(database)

    assert "newer than this version of Arc" in error.description
    assert "install a newer version of Arc" in error.remedy


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg"])
async def test_a_server_that_is_down_is_named(postgres: str, scheme: str) -> None:
    """Place and remedy, and no password."""
    del postgres
    port = free_port()

    error = await refusal(f"{scheme}://ann:s3cret@127.0.0.1:{port}/talk")

    assert "cannot be reached" in error.description
    assert f"PostgreSQL 127.0.0.1:{port}/talk" in error.evidence
    assert "s3cret" not in str(error)


async def test_a_database_that_is_not_there_is_named(postgres: str) -> None:
    """The server answers, and has no such database."""
    address = conversation_address(postgres)
    missing = address.url.set(drivername="postgresql", database="arc_no_such_database")

    error = await refusal(missing.render_as_string(hide_password=False))

    assert "does not exist" in error.description


async def test_psycopg_says_what_may_be_wrong(psycopg_database: str) -> None:
    """It does not tell why a connection failed: the remedy lists what it can be."""
    error = await refusal(f"{psycopg_database}&no_such_option=1")

    assert "refuses the connection" in error.description
    assert "options" in error.remedy


async def test_a_database_that_only_reads_is_refused(postgres_database: str) -> None:
    """At the start, and not with the first answer that is to be kept."""
    await migrated(postgres_database)

    error = await refusal(f"{postgres_database}&default_transaction_read_only=on")

    assert "cannot be written to" in error.description


async def test_an_option_that_the_server_does_not_know_is_named(postgres_database: str) -> None:
    """Options of the address are settings of the server."""
    error = await refusal(f"{postgres_database}&no_such_option=1")

    assert error.remedy == "correct what stands behind the ? of conversation.url"


async def test_a_locked_file_is_refused(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program holds a transaction open for longer than Arc waits."""
    address = conversation_address(await migrated(sqlite_database))
    monkeypatch.setattr(sql, "SQL_TIMEOUT_S", 0.01)
    with closing(sqlite3.connect(str(address.file), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(ConfigurationError, match="locked by another program"):
            await SCHEMA.open_engine(address)


async def test_a_file_of_another_kind_is_refused(sqlite_database: str, tmp_path: Path) -> None:
    """Its content stays as it is."""
    file = tmp_path / "arc.db"
    file.write_text("a shopping list, long enough to be read as a header of a database" * 20)

    error = await refusal(sqlite_database)

    assert "is not a SQLite database" in error.description
    assert file.read_text().startswith("a shopping list")


async def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """An upgrade creates files, and no folders."""
    with pytest.raises(ConfigurationError, match="cannot be opened"):
        await SCHEMA.upgrade(conversation_address(f"sqlite:///{tmp_path}/no/such/talk.db"))


def connections(
    on_open: Callable[[], object], *, closed: threading.Event
) -> type[sqlite3.Connection]:
    """Connections that do something once they are open, and tell when they are closed."""

    class Connection(sqlite3.Connection):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            on_open()

        def close(self) -> None:
            super().close()
            closed.set()

    return Connection


@pytest.mark.parametrize("wait_s", [5, 0])
async def test_a_connection_cancelled_while_it_opens_is_closed(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch, wait_s: int
) -> None:
    """Whether or not the thread that opens it has been told of the cancellation by then."""
    engine = make_engine(conversation_address(sqlite_database))
    loop, given_up, closed = asyncio.get_running_loop(), threading.Event(), threading.Event()

    def cancel() -> None:
        loop.call_soon_threadsafe(connecting.cancel)
        given_up.wait(wait_s)

    monkeypatch.setattr(sqlite3, "Connection", connections(cancel, closed=closed))
    connecting = asyncio.ensure_future(engine.connect().start())
    with pytest.raises(asyncio.CancelledError):
        await connecting
    given_up.set()

    assert await asyncio.to_thread(closed.wait, 5)
    await engine.dispose()


class ClosingLoop(asyncio.SelectorEventLoop):
    """An event loop that tells when it begins to close."""

    def __init__(self, closing: threading.Event) -> None:
        super().__init__()
        self._closing = closing

    async def shutdown_default_executor(self, *limits: Any) -> None:
        self._closing.set()
        await super().shutdown_default_executor(*limits)


def test_a_loop_closes_after_the_thread_of_a_connection_cancelled_while_it_opens(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that reports to a closed loop would print a traceback as the process ends."""
    engine = make_engine(conversation_address(sqlite_database))
    loop_closes, threads = threading.Event(), set(threading.enumerate())

    async def give_up() -> None:
        def cancel() -> None:
            loop.call_soon_threadsafe(connecting.cancel)
            loop_closes.wait(5)

        loop, closed = asyncio.get_running_loop(), threading.Event()
        monkeypatch.setattr(sqlite3, "Connection", connections(cancel, closed=closed))
        connecting = asyncio.ensure_future(engine.connect().start())
        await asyncio.wait([connecting])

    with asyncio.Runner(loop_factory=lambda: ClosingLoop(loop_closes)) as runner:
        runner.run(give_up())

    assert set(threading.enumerate()) <= threads


def close_slowly(is_closing: threading.Event, goes_on: threading.Event) -> type[sqlite3.Connection]:
    """Connections that tell when they close, and wait."""

    class Connection(sqlite3.Connection):
        def close(self) -> None:
            is_closing.set()
            goes_on.wait(30)
            super().close()

    return Connection


async def set_at_end(event: threading.Event) -> None:
    """Set an event as the loop closes, which cancels its tasks then."""
    try:
        await asyncio.Event().wait()
    finally:
        event.set()


def run_to_end(work: Coroutine[Any, Any, object]) -> None:
    """Run something in a loop of its own, and close that."""
    with asyncio.Runner() as runner:
        runner.run(work)


def test_a_loop_closes_while_a_cancelled_connection_is_still_closing(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop cancels the closing, which must not wait for a thread that has ended."""
    engine = make_engine(conversation_address(sqlite_database))
    is_closing, loop_closes = threading.Event(), threading.Event()

    async def give_up() -> asyncio.Task[None]:
        ending = asyncio.create_task(set_at_end(loop_closes))
        async with engine.connect() as connection:
            invalidating = asyncio.ensure_future(connection.invalidate())
            await asyncio.to_thread(is_closing.wait, 30)
            invalidating.cancel()
            await asyncio.wait([invalidating])
        return ending

    monkeypatch.setattr(sqlite3, "Connection", close_slowly(is_closing, loop_closes))
    thread = threading.Thread(target=run_to_end, args=(give_up(),), daemon=True)
    thread.start()
    thread.join(60)

    assert is_closing.is_set()
    assert not thread.is_alive()


async def test_a_connection_given_up_holds_no_lock(sqlite_database: str) -> None:
    """A cancellation leaves a cursor half read, which must not keep other writers out."""
    engine = await SCHEMA.open_engine(conversation_address(await migrated(sqlite_database)))
    write = "INSERT INTO arc_schema VALUES (?) RETURNING version_num"
    async with engine.connect() as connection:
        driver = (await connection.get_raw_connection()).driver_connection
        assert driver is not None
        half_read = await driver.execute(write, ("1",))
        await connection.invalidate()

    with closing(sqlite3.connect(engine.url.database or "", timeout=0)) as other, other:
        assert other.execute(write, ("2",)).fetchall() == [("2",)]
    await engine.dispose()
    del half_read
