"""Takes over the runs of processes that died.

A process is dead if its lock is found free in two looks, 1.5 s apart: one whose connection broke
has that long to take its lock again. A worker that has lost its own connection judges none of the
others for one lease, since the database may have been away for all.
"""

import asyncio
import errno
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, TextClause, select, text
from sqlalchemy.exc import SQLAlchemyError

from arc_core import Logger
from arc_core.runs.store import RunState
from arc_plugins.journals.sql.carrier import Carrier
from arc_plugins.journals.sql.database import Database, DatabaseThreads, retrieve
from arc_plugins.journals.sql.tables import runs
from arc_plugins.journals.sql.upkeep import requeue_of_executor

_KEEPALIVES = {
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
}
"""A machine without power holds its lock for eleven seconds, and not for hours."""

_TRY = text("SELECT pg_try_advisory_lock(:key)")
_FREE = text("SELECT pg_advisory_unlock(:key)")


class ExecutorLocks:
    """One connection, with the lock of this process and looks at those of others."""

    def __init__(self, database: Database, *, executor: str) -> None:
        self._database, self._executor = database, executor
        self._schema = database.own_schema()
        self._session: Connection | None = None
        self._holds_own = False

    def keep(self) -> bool:
        """Hold the lock of this process; whether the connection has lasted since the last time.

        Raises:
            SQLAlchemyError: There is no connection.
        """
        has_lasted = self._session is not None
        if self._session is None:
            self._session = self._database.session(**_KEEPALIVES)
            self._holds_own = False
        if self._holds_own:
            self._ask(text("SELECT 1"))
        else:
            self._holds_own = self._try(self._executor)
        return has_lasted

    def take(self, executor: str) -> bool:
        """Take the lock of another process; whether it was free.

        Raises:
            OSError: There is no connection, until `keep` has made one.
            SQLAlchemyError: It has broken.
        """
        return self._try(executor)

    def free(self, executor: str) -> None:
        """Free a lock that was taken; one whose connection is closed is free.

        Raises:
            SQLAlchemyError: The connection has broken.
        """
        if self._session is not None:
            self._ask(_FREE, key=lock_key(self._schema, executor))

    def close(self) -> None:
        """Close the connection, and free all locks with it."""
        session, self._session = self._session, None
        if session is not None:
            session.invalidate()
            session.close()

    def _try(self, executor: str) -> bool:
        return bool(self._ask(_TRY, key=lock_key(self._schema, executor)))

    def _ask(self, statement: TextClause, **values: int) -> object:
        """Ask the server; a connection that has broken is closed, never made again here.

        SQLAlchemy would make it again without a word, and without the locks.
        """
        if self._session is None:
            raise OSError(errno.ENOTCONN, "the connection with the lock of this process is closed")
        try:
            return self._session.scalar(statement, values)
        except BaseException:
            self.close()
            raise


def lock_key(schema: str | None, executor: str) -> int:
    """The number of the lock of a process that works on the runs of a schema."""
    name = f"arc.executor.{schema}.{executor}"
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big", signed=True)


try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]


WORKER = "worker"
"""The lock of the process that works on the runs in a file: one at a time."""


class FileLock:
    """A lock beside the database; the operating system frees it when the process ends.

    Args:
        file: The database.
        name: Of the lock.
    """

    def __init__(self, file: Path, name: str = WORKER) -> None:
        self._file = file.with_name(f"{file.name}-{name}")
        self._held: int | None = None

    def take(self) -> bool:
        """Return true if this process has the lock now."""
        if self._held is None:
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                if fcntl is not None:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                return False
            self._held = descriptor
        return True

    def free(self) -> None:
        """Let another process have it."""
        held, self._held = self._held, None
        if held is not None:
            os.close(held)

    def remove(self) -> None:
        """Free it, and remove its file: no other process takes a lock of this name."""
        if self._held is not None:
            self._file.unlink(missing_ok=True)
        self.free()


def is_held(file: Path, name: str) -> bool:
    """Return whether the process that a lock is named after lives; never so on Windows."""
    lock = FileLock(file, name)
    is_free = lock.take()
    lock.remove()
    return not is_free


T = TypeVar("T")

_LOOK_S = 0.4
_APART_S = 1.5


class Takeover:
    """Keeps the lock of this process, and looks at those of others."""

    def __init__(
        self,
        locks: ExecutorLocks,
        threads: DatabaseThreads,
        *,
        executor: str,
        lease_s: float,
        logger: Logger,
    ) -> None:
        self._locks, self._threads, self._executor = locks, threads, executor
        self._lease_s, self._logger = lease_s, logger
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="arc-runs-lock")
        self._first_looks: dict[str, float] = {}
        self._judges_from = 0.0

    async def start(self) -> None:
        """Take the lock of this process, before it begins any run."""
        await self._call(self._locks.keep)

    async def watch(self, carrier: Carrier, took_over: Callable[[int], None]) -> None:
        """Look at the locks of others until it is cancelled, while `keep` goes on.

        Args:
            carrier: Who brings the tickets of dead processes to living ones.
            took_over: Called when runs were queued again, with their number.
        """
        while True:
            try:
                await self._look(carrier, took_over)
            except (OSError, SQLAlchemyError):
                self._judge_none()
            await asyncio.sleep(_LOOK_S)

    async def keep(self) -> None:
        """Keep the lock of this process until it is cancelled.

        It waits for no look: DBOS asks a database that is away for up to a minute and a half after
        that has come back, and others would take this process for dead meanwhile.
        """
        while True:
            try:
                await self._keep()
            except (OSError, SQLAlchemyError):
                self._judge_none()
            await asyncio.sleep(_LOOK_S)

    async def _keep(self) -> None:
        """Hold the lock of this process; if the connection broke, by another one at once."""
        try:
            has_lasted = await self._call(self._locks.keep)
        except (OSError, SQLAlchemyError):
            has_lasted = await self._call(self._locks.keep)
        if not has_lasted:
            self._judge_none()

    async def _look(self, carrier: Carrier, took_over: Callable[[int], None]) -> None:
        suspects = await self._threads.call(carrier.executors_with_tickets)
        suspects |= await self._threads.query(_executors_with_runs)
        suspects.discard(self._executor)
        self._first_looks = {each: at for each, at in self._first_looks.items() if each in suspects}
        for executor in suspects:
            await self._judge(executor, carrier, took_over)

    async def _judge(
        self, executor: str, carrier: Carrier, took_over: Callable[[int], None]
    ) -> None:
        if not await self._call(partial(self._locks.take, executor)):
            self._first_looks.pop(executor, None)
            return
        try:
            now = asyncio.get_running_loop().time()
            if now < self._judges_from:  # the connection may have broken during this look
                return
            first = self._first_looks.setdefault(executor, now)
            if now - first >= _APART_S:
                took_over(await self._take_over(executor, carrier))
        finally:
            await self._call(partial(self._locks.free, executor))

    async def _take_over(self, executor: str, carrier: Carrier) -> int:
        self._logger.warning("worker_died_runs_taken_over", executor=executor)
        count = await self._threads.write(partial(requeue_of_executor, executor=executor))
        await self._threads.call(partial(carrier.recover, executor))
        self._first_looks.pop(executor, None)
        return count

    def _judge_none(self) -> None:
        self._first_looks.clear()
        self._judges_from = asyncio.get_running_loop().time() + self._lease_s

    async def _call(self, work: Callable[[], T]) -> T:
        """Do something in the thread of the connection; it ends also if this is cancelled."""
        future = asyncio.get_running_loop().run_in_executor(self._pool, work)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            future.add_done_callback(retrieve)
            raise

    async def aclose(self) -> None:
        """Free the lock."""
        await self._call(self._locks.close)
        self._pool.shutdown(wait=True)


def _executors_with_runs(connection: Connection) -> set[str]:
    found = select(runs.c.executor).where(runs.c.state == RunState.RUNNING.value).distinct()
    return {each for each in connection.scalars(found) if each is not None}
