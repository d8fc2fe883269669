"""The database: its connections, and whether it is as Arc needs it."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import (
    Connection,
    Select,
    String,
    column,
    event,
    false,
    inspect,
    select,
    table,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from arc_core import ConfigurationError
from arc_plugins.conversations.sql.address import BUSY_TIMEOUT_S, Address
from arc_plugins.conversations.sql.errors import explain_failures
from arc_plugins.conversations.sql.schema import HEAD, REVISIONS, VERSION_TABLE, sessions

__all__ = ["check_file", "check_not_newer", "engine_of", "open_engine", "revision_of"]


def engine_of(address: Address, **connect_args: Any) -> AsyncEngine:
    """A pool of connections, none of them open yet, for one event loop.

    Errors do not show parameters, since these are what people said.
    """
    engine = create_async_engine(
        address.url,
        connect_args={**address.connect_args, **connect_args},
        hide_parameters=True,
        pool_pre_ping=address.file is None,  # a server may have been restarted in between
        pool_timeout=BUSY_TIMEOUT_S,
    )
    if address.file is not None:
        event.listen(engine.sync_engine, "do_connect", _connect)
        event.listen(engine.sync_engine, "connect", _enforce_foreign_keys)
        event.listen(engine.sync_engine, "invalidate", _let_go)
    return engine


def _connect(dialect: Any, _record: object, args: Any, options: dict[str, Any]) -> Any:
    """Open a connection; if the wait for it is cancelled, it is closed.

    The driver, which opens it in a thread, would leave it to the garbage collector.
    """
    opening = _Opening()
    try:
        return dialect.connect(*args, **options, factory=opening)
    except BaseException:
        opening.give_up()
        raise


class _Opening:
    """Makes one connection, in the driver's thread, for an event loop that may give it up."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._is_given_up = False

    def __call__(self, *args: Any, **options: Any) -> sqlite3.Connection:
        connection = sqlite3.Connection(*args, **options)
        with self._lock:
            if self._is_given_up:
                connection.close()
            self._connection = connection
        return connection

    def give_up(self) -> None:
        """Close the connection, now or as soon as it is open."""
        with self._lock:
            self._is_given_up = True
            if self._connection is not None:
                self._connection.close()


def _enforce_foreign_keys(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _let_go(connection: Any, _record: object, _error: BaseException | None) -> None:
    """End the transaction of a connection that is closed because of a cancellation.

    Closing does not: SQLite holds the lock as long as any cursor lives that was not read to its
    end, which here is until the garbage collector comes.
    """
    connection.rollback()


async def open_engine(address: Address) -> AsyncEngine:
    """The connections of a database that is there, of the right schema, and writable.

    Raises:
        ConfigurationError: It is not.
    """
    engine = engine_of(address, **address.answer_args)
    try:
        with explain_failures(address.place):
            await _check(engine, address)
    except BaseException:
        await engine.dispose()
        raise
    return engine


async def _check(engine: AsyncEngine, address: Address) -> None:
    if _is_missing(address.file):  # connecting would create it
        raise _outdated_error(None, address)
    await check_file(address)
    async with engine.connect() as connection:
        revision = await revision_of(connection)
        check_not_newer(revision, address)
        if revision != HEAD:
            raise _outdated_error(revision, address)
        await connection.execute(update(sessions).where(false()).values(turns=0))
        await connection.rollback()


async def check_file(address: Address) -> None:
    """Open and close an SQLite file, which is created if there is none; leave servers alone.

    The asynchronous driver has a thread per connection, and if it cannot open a file, that thread
    may outlive the event loop.

    Raises:
        sqlite3.Error: The file cannot be opened, or is not a database.
    """
    if address.file is not None:
        await asyncio.to_thread(_open_and_close, address.file)


def _open_and_close(file: Path) -> None:
    with closing(sqlite3.connect(file, timeout=BUSY_TIMEOUT_S)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _is_missing(file: Path | None) -> bool:
    return file is not None and not file.exists()


async def revision_of(connection: AsyncConnection) -> str | None:
    """The revision of the schema; None if there is none."""
    if not await connection.run_sync(_has_revision):
        return None
    found: Select[str] = select(column("version_num", String)).select_from(table(VERSION_TABLE))
    return await connection.scalar(found)


def _has_revision(connection: Connection) -> bool:
    return inspect(connection).has_table(VERSION_TABLE)


def check_not_newer(revision: str | None, address: Address) -> None:
    """Leave alone what a newer Arc has made.

    Raises:
        ConfigurationError: The revision is none that this version knows.
    """
    if revision is not None and revision not in REVISIONS:
        raise ConfigurationError(
            "the schema of conversation.url is newer than this version of Arc",
            evidence=[address.place, f"its revision is {revision}, known are up to {HEAD}"],
            remedy="install a newer version of Arc, or point conversation.url elsewhere",
        )


def _outdated_error(revision: str | None, address: Address) -> ConfigurationError:
    found = f"its revision is {revision}" if revision else "it has no schema yet"
    return ConfigurationError(
        "the schema of conversation.url is older than this version of Arc",
        evidence=[address.place, f"{found}, needed is {HEAD}"],
        remedy="run `arc db upgrade`",
    )
