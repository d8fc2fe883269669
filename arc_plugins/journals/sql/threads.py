"""Runs transactions in threads, since their driver blocks, and waits while the database is away."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from arc_core import Logger
from arc_core.timing.backoff import Backoff
from arc_plugins.journals.sql.database import Database
from arc_plugins.journals.sql.failures import as_os_error, may_pass

__all__ = ["PATIENCE_S", "DatabaseThreads", "retrieve"]

T = TypeVar("T")

PATIENCE_S = 300.0
"""How long a step waits for the database; its run is left for later then."""

_THREADS = 4
_BACKOFF = Backoff(first_delay_s=0.05, max_delay_s=2.0)


class DatabaseThreads:
    """A few threads with connections to the database of the runs.

    Attributes:
        logger: Is told when the database is away.
    """

    def __init__(self, database: Database, *, logger: Logger) -> None:
        self._database, self.logger = database, logger
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="arc-runs")
        self._is_away = False

    async def call(self, work: Callable[[], T]) -> T:
        """Do something that blocks; if it is cancelled, it ends first, so that its end is known."""
        future = asyncio.get_running_loop().run_in_executor(self._pool, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            future.add_done_callback(retrieve)
            await asyncio.wait([future])
            raise

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Do a transaction that writes.

        Raises:
            OSError: The database is away, or full.
        """
        return await self._try(self._database.write, work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Read something as it is at one moment, with as many statements as that takes.

        Raises:
            OSError: The database is away.
        """
        return await self._try(self._database.read, work)

    async def query(self, work: Callable[[Connection], T]) -> T:
        """Read something with one statement, which costs a server no transaction.

        Raises:
            OSError: The database is away.
        """
        return await self._try(self._database.query, work)

    async def persist(
        self, work: Callable[[Connection], T], *, patience_s: float = PATIENCE_S
    ) -> T:
        """Do a transaction that writes, again and again until the database is there.

        The work may have been done already if the connection broke while it was committed: it is
        one that changes nothing then.

        Raises:
            OSError: The database was away for all that time.
        """
        attempt, ends_at = 0, asyncio.get_running_loop().time() + patience_s
        while True:
            try:
                done = await self.write(work)
            except OSError as error:
                if asyncio.get_running_loop().time() > ends_at:
                    raise
                self._note_away(error)
            else:
                self._note_back()
                return done
            attempt += 1
            await asyncio.sleep(_BACKOFF.delay_s(attempt))

    async def _try(
        self,
        transaction: Callable[[], AbstractContextManager[Connection]],
        work: Callable[[Connection], T],
    ) -> T:
        def do() -> T:
            with transaction() as connection:
                return work(connection)

        try:
            return await self.call(do)
        except SQLAlchemyError as error:
            if may_pass(error):
                raise as_os_error(error, self._database.address.place) from error
            raise

    def _note_away(self, error: OSError) -> None:
        if not self._is_away:
            self._is_away = True
            self.logger.warning("runs_wait_for_database", problem=error.strerror)

    def _note_back(self) -> None:
        if self._is_away:
            self._is_away = False
            self.logger.info("database_of_runs_is_back")

    def close(self) -> None:
        """End the threads once they have done what they were given."""
        self._pool.shutdown(wait=True)


def retrieve(future: asyncio.Future[T]) -> None:
    """The error of what was cancelled is not asked for."""
    if not future.cancelled():
        future.exception()
