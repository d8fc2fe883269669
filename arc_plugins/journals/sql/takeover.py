"""Takes over the runs of processes that died.

A process is dead if its lock is found free in two looks, 1.5 s apart: one whose connection broke
has that long to take its lock again. A worker that has lost its own connection judges none of the
others for one lease, since the database may have been away for all.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from arc_core import Logger
from arc_core.interfaces.run_journal import RunState
from arc_plugins.journals.sql.carrier import Carrier
from arc_plugins.journals.sql.executor_lock import ExecutorLocks
from arc_plugins.journals.sql.tables import runs
from arc_plugins.journals.sql.threads import DatabaseThreads, retrieve
from arc_plugins.journals.sql.upkeep import requeue_of_executor

__all__ = ["Takeover"]

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
