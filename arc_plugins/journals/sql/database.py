"""The database: its connections, its transactions, and its tables, made once."""

import asyncio
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, insert, select, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from arc_core import ConfigurationError, Logger
from arc_core.stores.sql import (
    SqlAddress,
    as_os_error,
    enable_write_ahead_log,
    may_pass,
    read_sql_address,
    transaction_lock,
)
from arc_core.timing.backoff import Backoff
from arc_plugins.journals.sql.tables import METADATA, keys, versions

_FILE = "arc-runs.db"
_VERSION = 1
_ADVISORY_LOCK = 4_702_394_922  # any number that is always the same
_BUSY_TIMEOUT_MS = 10_000
_CONNECTIONS = 4
_CONNECTIONS_AT_REST = 1


def run_address(text: str | None, *, conversations: str | None = None) -> SqlAddress:
    """Read the address of the runs, the setting `durable.url`; nothing is opened.

    Without one, it is a file in the folder of the conversations, or in this one if these are in no
    file.

    Raises:
        ConfigurationError: The address cannot be used.
    """
    if text is not None:
        return read_sql_address(text, setting="durable.url", is_async=False)
    folder = Path()
    with suppress(ConfigurationError):
        if conversations is not None:
            beside = read_sql_address(conversations, setting="conversation.url", is_async=False)
            folder = folder if beside.file is None else beside.file.parent
    url = URL.create("sqlite", database=str(folder / _FILE))
    return read_sql_address(url, setting="durable.url", is_async=False)


class Database:
    """Connections to the database of the runs, for threads.

    Attributes:
        digest_key: The secret under which digests are made; empty until the tables are there.
    """

    def __init__(self, address: SqlAddress) -> None:
        self.address = address
        self.is_file = address.file is not None
        self.digest_key = b""
        self.engine = _make_engine(address)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes; in SQLite, no other one does meanwhile."""
        with self.engine.connect() as connection:
            _begin(connection, "BEGIN IMMEDIATE" if self.is_file else "BEGIN")
            yield connection
            connection.commit()

    @contextmanager
    def query(self) -> Iterator[Connection]:
        """A connection for one statement, a transaction by itself: each sees another moment."""
        with self.engine.connect() as connection:
            yield connection
            connection.commit()  # what a driver has begun by itself

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads, and sees the database as it is at one moment."""
        with self.engine.connect() as connection:
            snapshot = "" if self.is_file else " ISOLATION LEVEL REPEATABLE READ READ ONLY"
            _begin(connection, f"BEGIN{snapshot}")
            yield connection
            connection.commit()  # a driver forgets all that it has prepared when it rolls back

    def session(self, **options: str) -> Connection:
        """A connection of its own for one purpose, with such options; each statement by itself."""
        engine = create_engine(
            self.address.url,
            connect_args=self.address.connect_args(options),
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
        )
        return engine.connect()

    @property
    def driver_error(self) -> type[Exception]:
        """The class of the errors of the driver, as it raises them by itself."""
        driver = self.engine.dialect.loaded_dbapi
        assert driver is not None
        error: type[Exception] = driver.Error
        return error

    def prepare(self) -> None:
        """Make the tables; of several that come at once, one does.

        Raises:
            ConfigurationError: A newer version of Arc has made them.
        """
        if self.address.file is not None:
            enable_write_ahead_log(self.address.file)
        with self.write() as connection:
            if not self.is_file:
                connection.execute(transaction_lock(self.address, _ADVISORY_LOCK))
            METADATA.create_all(connection)
            self.digest_key = _read_key(connection)
            found = connection.scalar(select(versions.c.version))
            if found is None:
                connection.execute(insert(versions).values(version=_VERSION))
            elif found > _VERSION:
                raise ConfigurationError(
                    "the tables of durable.url are newer than this version of Arc",
                    evidence=[
                        self.address.place,
                        f"their version is {found}, known are up to {_VERSION}",
                    ],
                    remedy="install a newer version of Arc, or point durable.url elsewhere",
                )

    def own_schema(self) -> str | None:
        """Return the schema of the tables; only servers have schemas."""
        if self.is_file:
            return None
        with self.query() as connection:
            name: str | None = connection.scalar(text("SELECT current_schema()"))
        return name

    def rest(self) -> None:
        """Close the connections that a rush has left, while no thread has one."""
        pool = self.engine.pool
        if isinstance(pool, QueuePool) and pool.checkedin() > _CONNECTIONS_AT_REST:
            self.engine.dispose()

    def close(self) -> None:
        """Close all connections; those that threads still have, once they give them back."""
        event.listen(self.engine.pool, "checkin", _close)
        self.engine.dispose()
        event.listen(self.engine.pool, "checkin", _close)  # of those that are made from now on


def _read_key(connection: Connection) -> bytes:
    """Return the secret under which digests are made, which the first process has made."""
    key: str | None = connection.scalar(select(keys.c.key))
    if key is None:
        key = secrets.token_hex(32)
        connection.execute(insert(keys).values(key=key))
    return bytes.fromhex(key)


def _begin(connection: Connection, statement: str) -> None:
    """Begin a transaction, if the connection has broken by another one.

    A server may have been restarted since the connection was used.
    """
    try:
        connection.exec_driver_sql(statement)
    except DBAPIError as error:
        if not error.connection_invalidated:
            raise
        connection.rollback()
        connection.exec_driver_sql(statement)


def _close(_connection: object, record: ConnectionPoolEntry) -> None:
    record.close()


def _make_engine(address: SqlAddress) -> Engine:
    options = address.engine_options() | {"pool_pre_ping": False}  # see `_begin`
    options["pool_use_lifo"] = True  # a server knows the statements of what is used often
    if address.file is None:  # whose driver would begin transactions for single statements
        options["isolation_level"] = "AUTOCOMMIT"
    engine = create_engine(
        address.url, pool_size=_CONNECTIONS, max_overflow=_CONNECTIONS, **options
    )
    if address.file is not None:
        event.listen(engine, "connect", _set_up)
    return engine


def _set_up(connection: sqlite3.Connection, _record: object) -> None:
    """Have a connection wait for other writers."""
    connection.isolation_level = "IMMEDIATE"
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}").close()


T = TypeVar("T")

PATIENCE_S = 300.0
"""The seconds that a step waits for the database; its run is left for later then."""

_THREADS = 4
_BACKOFF = Backoff(first_delay_s=0.05, max_delay_s=2.0)


class DatabaseThreads:
    """A few threads with connections to the database of the runs.

    What is done in them raises an `OSError` if the database is away, or full.
    """

    def __init__(self, database: Database, *, logger: Logger) -> None:
        self._database, self.logger = database, logger
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="arc-runs")
        self._is_away = False
        self._calls = 0

    @property
    def file(self) -> Path | None:
        """The database, if it is a file."""
        return self._database.address.file

    @property
    def digest_key(self) -> bytes:
        """The secret of the database under which digests are made."""
        return self._database.digest_key

    async def call(self, work: Callable[[], T]) -> T:
        """Do something that blocks; if it is cancelled, it ends first, so that its end is known."""
        future = asyncio.get_running_loop().run_in_executor(self._pool, work)
        self._calls += 1
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            future.add_done_callback(retrieve)
            await asyncio.wait([future])
            raise
        finally:
            self._calls -= 1

    def rest(self) -> None:
        """Close connections that are not needed, if nothing is asked at this moment."""
        if not self._calls:
            self._database.rest()

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Do a transaction that writes."""
        return await self._try(self._database.write, work, is_repeatable=False)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Read something as it is at one moment, with as many statements as that takes."""
        return await self._try(self._database.read, work)

    async def query(self, work: Callable[[Connection], T]) -> T:
        """Read something with one statement, which costs a server no transaction."""
        return await self._try(self._database.query, work)

    async def persist(
        self,
        work: Callable[[Connection], T],
        *,
        is_single: bool = False,
        patience_s: float = PATIENCE_S,
    ) -> T:
        """Do a transaction that writes, again and again until the database is there.

        The work may have been done already if the connection broke while it was committed: it is
        one that changes nothing then. A single statement of a server is a transaction by itself.
        """
        transaction = self._database.query if is_single else self._database.write
        attempt, ends_at = 0, asyncio.get_running_loop().time() + patience_s
        while True:
            try:
                done = await self._try(transaction, work)
            except OSError as error:
                if asyncio.get_running_loop().time() > ends_at:
                    raise
                if not self._is_away:
                    self.logger.warning("runs_wait_for_database", problem=error.strerror)
                self._is_away = True
            else:
                if self._is_away:
                    self.logger.info("database_of_runs_is_back")
                self._is_away = False
                return done
            attempt += 1
            await asyncio.sleep(_BACKOFF.delay_s(attempt))

    async def _try(
        self,
        transaction: Callable[[], AbstractContextManager[Connection]],
        work: Callable[[Connection], T],
        *,
        is_repeatable: bool = True,
    ) -> T:
        def do() -> T:
            with transaction() as connection:
                return work(connection)

        def do_again() -> T:
            try:
                return do()
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
            return do()  # by another connection: the server was restarted since this one was used

        try:
            return await self.call(do_again if is_repeatable else do)
        except SQLAlchemyError as error:
            if may_pass(error):
                raise as_os_error(error, self._database.address) from error
            raise

    def close(self) -> None:
        """End the threads once they have done what they were given."""
        self._pool.shutdown(wait=True)


def retrieve(future: asyncio.Future[T]) -> None:
    """The error of what was cancelled is not asked for."""
    if not future.cancelled():
        future.exception()
