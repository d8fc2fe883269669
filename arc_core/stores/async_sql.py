"""Asynchronous connections to SQLite and PostgreSQL, and schemas that are brought up to date."""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any

import sqlalchemy as sa

from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import SchemaUpgrade
from arc_core.stores import explain_missing_extra
from arc_core.stores.sql import (
    SqlAddress,
    enable_write_ahead_log,
    explain_sql_failures,
    transaction_lock,
)

with explain_missing_extra("sql"):
    import aiosqlite
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from sqlalchemy import event
    from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine


_ROWS_AT_ONCE = 64


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
    return dialect.connect(*args, **options, async_creator_fn=_open_file)


async def _open_file(*args: Any, **options: Any) -> aiosqlite.Connection:
    """Open a connection, which has a thread of its own; if the wait for it ends, it is closed.

    The driver would leave it to the garbage collector.
    """
    opening = _Opening()
    connect = partial(sqlite3.connect, *args, **options, factory=opening)
    connection = _FileConnection(connect, iter_chunk_size=_ROWS_AT_ONCE)
    thread = connection._thread  # noqa: SLF001 -- no other way leads to it
    thread.daemon = True  # an unclosed connection keeps no process alive
    try:
        return await connection
    except BaseException:
        opening.give_up()
        if thread.is_alive():  # it reports to the event loop, which does not close before it ends
            asyncio.get_running_loop().run_in_executor(None, thread.join)
        raise


class _FileConnection(aiosqlite.Connection):
    """A connection that is stopped once.

    A cancelled `close` is followed by another stop, and the driver would wait for a thread that has
    ended: the event loop, which cancels its tasks as it closes, would never end.
    """

    _stopping: "asyncio.Future[Any] | None" = None
    _is_stopped = False

    def stop(self) -> "asyncio.Future[Any] | None":
        """Have the thread close the connection and end; done once it has."""
        if not self._is_stopped:
            self._is_stopped, self._stopping = True, super().stop()
        return self._stopping


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlSchema:
    """The tables of one component, as the newest of their revisions leaves them.

    Attributes:
        version_table: The table that names the revision, as Alembic keeps it.
        revisions: The steps from one revision to the next by their names, oldest first; a step
            never changes once it has been released.
        lock: Any number that is always the same, and of no other schema.
        probe: A statement that changes nothing and needs the rights that the component needs.
        remedy: By what people bring the schema up to date.
    """

    version_table: str
    revisions: Mapping[str, Callable[[Operations], None]]
    lock: int
    probe: sa.Executable
    remedy: str = "run `arc db upgrade`"

    @property
    def head(self) -> str:
        """The name of the newest revision."""
        return max(self.revisions)

    async def open_engine(self, address: SqlAddress) -> AsyncEngine:
        """Open the connections of a database that is there, of the right schema, and writable.

        Raises:
            ConfigurationError: It is not.
        """
        engine = make_engine(address, statement_timeout=True)
        try:
            with explain_sql_failures(address):
                await self._check(engine, address)
        except BaseException:
            await engine.dispose()
            raise
        return engine

    async def upgrade(self, address: SqlAddress, *, to: str | None = None) -> SchemaUpgrade:
        """Run what is missing, all of it or nothing; of two at once the second finds no work.

        Args:
            address: The database; an SQLite file is created if there is none.
            to: The revision to reach; None is the newest one.

        Raises:
            ConfigurationError: The database cannot be used, or its schema is newer.
        """
        after = to or self.head
        engine = make_engine(address)
        try:
            with explain_sql_failures(address):
                if address.file is not None:
                    await asyncio.to_thread(enable_write_ahead_log, address.file)
                async with engine.connect() as connection:
                    await connection.execute(transaction_lock(address, self.lock))
                    before = await connection.run_sync(self._read_revision)
                    self._check_not_newer(before, address)
                    await connection.run_sync(self._migrate, before, after)
                    await connection.commit()
        finally:
            await engine.dispose()
        return SchemaUpgrade(place=address.place, before=before, after=after)

    async def _check(self, engine: AsyncEngine, address: SqlAddress) -> None:
        if address.file is not None and not address.file.exists():  # connecting would create it
            raise self._outdated_error(None, address)
        async with engine.connect() as connection:
            revision = await connection.run_sync(self._read_revision)
            self._check_not_newer(revision, address)
            if revision != self.head:
                raise self._outdated_error(revision, address)
            await connection.execute(self.probe)
            await connection.rollback()

    def _check_not_newer(self, revision: str | None, address: SqlAddress) -> None:
        """Leave alone what a newer Arc has made."""
        if revision is not None and revision not in self.revisions:
            raise ConfigurationError(
                f"the schema of {address.setting} is newer than this version of Arc",
                evidence=[
                    address.place,
                    f"its revision is {revision}, known are up to {self.head}",
                ],
                remedy=f"install a newer version of Arc, or point {address.setting} elsewhere",
            )

    def _outdated_error(self, revision: str | None, address: SqlAddress) -> ConfigurationError:
        found = f"its revision is {revision}" if revision else "it has no schema yet"
        return ConfigurationError(
            f"the schema of {address.setting} is older than this version of Arc",
            evidence=[address.place, f"{found}, needed is {self.head}"],
            remedy=self.remedy,
        )

    def _read_revision(self, connection: sa.Connection) -> str | None:
        """Return the revision of the schema; None if there is none."""
        if not sa.inspect(connection).has_table(self.version_table):
            return None
        return connection.scalar(sa.select(self._versions().c.version_num))

    def _migrate(self, connection: sa.Connection, before: str | None, to: str) -> None:
        """Run the steps behind one revision up to another, and write down where they led."""
        operations = Operations(MigrationContext.configure(connection))
        steps = [name for name in self.revisions if (before or "") < name <= to]
        for name in steps:
            self.revisions[name](operations)
        if steps:
            versions = self._versions()
            versions.create(connection, checkfirst=True)
            connection.execute(sa.delete(versions))
            connection.execute(sa.insert(versions).values(version_num=to))

    def _versions(self) -> sa.Table:
        return sa.Table(
            self.version_table,
            sa.MetaData(),
            sa.Column("version_num", sa.String(32), nullable=False),
            sa.PrimaryKeyConstraint("version_num", name=f"{self.version_table}_pkc"),
        )
