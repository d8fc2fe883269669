"""The database: its connections, whether it is as Arc needs it, and upgrades of its schema."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import event, false, update
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from arc_core import ConfigurationError, SchemaUpgrade
from arc_core.stores.sql import (
    SQL_TIMEOUT_S,
    SqlAddress,
    enable_write_ahead_log,
    explain_sql_failures,
    read_sql_address,
    transaction_lock,
)
from arc_plugins.conversations.sql.migrations import HEAD, REVISIONS, migrate, read_revision
from arc_plugins.conversations.sql.schema import sessions

_ADVISORY_LOCK = 4_702_394_921  # any number that is always the same


def conversation_address(text: str) -> SqlAddress:
    """Read `conversation.url`; nothing is opened.

    Raises:
        ConfigurationError: The address cannot be used, or its driver is not installed.
    """
    in_memory = "; to keep conversations in memory, remove the setting"
    return read_sql_address(text, setting="conversation.url", is_async=True, remedy=in_memory)


def make_engine(address: SqlAddress, *, statement_timeout: bool = False) -> AsyncEngine:
    """Return a pool of connections, none of them open yet, for one event loop."""
    engine = create_async_engine(
        address.url, **address.engine_options(statement_timeout=statement_timeout)
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


async def open_engine(address: SqlAddress) -> AsyncEngine:
    """Open the connections of a database that is there, of the right schema, and writable.

    Raises:
        ConfigurationError: It is not.
    """
    engine = make_engine(address, statement_timeout=True)
    try:
        with explain_sql_failures(address):
            await _check(engine, address)
    except BaseException:
        await engine.dispose()
        raise
    return engine


async def _check(engine: AsyncEngine, address: SqlAddress) -> None:
    if address.file is not None:
        if not address.file.exists():  # connecting would create it
            raise _outdated_error(None, address)
        await asyncio.to_thread(_check_file, address.file)
    async with engine.connect() as connection:
        revision = await connection.run_sync(read_revision)
        _check_not_newer(revision, address)
        if revision != HEAD:
            raise _outdated_error(revision, address)
        await connection.execute(update(sessions).where(false()).values(turns=0))
        await connection.rollback()


def _check_file(file: Path) -> None:
    """Open and close an SQLite file, which is created if there is none.

    The asynchronous driver has a thread per connection, and if it cannot open a file, that thread
    may outlive the event loop.

    Raises:
        sqlite3.Error: The file cannot be opened, or is not a database.
    """
    with closing(sqlite3.connect(file, timeout=SQL_TIMEOUT_S)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _check_not_newer(revision: str | None, address: SqlAddress) -> None:
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


def _outdated_error(revision: str | None, address: SqlAddress) -> ConfigurationError:
    found = f"its revision is {revision}" if revision else "it has no schema yet"
    return ConfigurationError(
        "the schema of conversation.url is older than this version of Arc",
        evidence=[address.place, f"{found}, needed is {HEAD}"],
        remedy="run `arc db upgrade`",
    )


async def upgrade(address: SqlAddress, *, to: str = HEAD) -> SchemaUpgrade:
    """Run what is missing, all of it or nothing; of two upgrades at once the second finds no work.

    Args:
        address: The database; an SQLite file is created if there is none.
        to: The revision to reach.

    Raises:
        ConfigurationError: The database cannot be used, or its schema is newer.
    """
    engine = make_engine(address)
    try:
        with explain_sql_failures(address):
            if address.file is not None:
                await asyncio.to_thread(_check_file, address.file)
                await asyncio.to_thread(enable_write_ahead_log, address.file)
            async with engine.connect() as connection:
                await connection.execute(transaction_lock(address, _ADVISORY_LOCK))
                before = await connection.run_sync(read_revision)
                _check_not_newer(before, address)
                await connection.run_sync(migrate, before, to)
                await connection.commit()
    finally:
        await engine.dispose()
    return SchemaUpgrade(place=address.place, before=before, after=to)
