"""The process of an open application: it takes runs, begins some by the clock, and watches."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from uuid import uuid4

from sqlalchemy.exc import SQLAlchemyError

from arc_core import ConfigurationError, Logger
from arc_core.runs.journal import RunBody
from arc_core.stores.sql import SqlAddress
from arc_plugins.journals.settings import DurableSettings
from arc_plugins.journals.sql import upkeep
from arc_plugins.journals.sql.database import Database, DatabaseThreads
from arc_plugins.journals.sql.driver import RunDriver
from arc_plugins.journals.sql.queues import (
    Share,
    Submit,
    all_queues,
    check_schedules,
    watch_schedule,
)
from arc_plugins.journals.sql.session import FileLock, ProcessSession, Wakeups
from arc_plugins.journals.sql.sweep import RunCounting, Sweep
from arc_plugins.journals.sql.tables import LAYOUTS

LOCAL = "local"
"""The worker on a file is always called so, and finds its runs again when it is started again."""


def executor_name() -> str:
    """Return a name for this process that no other one has."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:8]}"


_TRY_S = 0.5


class RunProcess:
    """This process, as far as it has to do with the runs of a database.

    Attributes:
        threads: Of the database.
        driver: The attempts of this process.
        is_working: Whether it takes runs, and no other process does so on the same file.
    """

    def __init__(
        self,
        address: SqlAddress,
        *,
        settings: DurableSettings,
        body: RunBody,
        wakeups: Wakeups,
        logger: Logger,
    ) -> None:
        self._settings, self._wakeups, self._logger = settings, wakeups, logger
        self._database = Database(address)
        self.threads = DatabaseThreads(self._database, logger=logger)
        self.driver = RunDriver(
            self.threads, body=body, executor=executor_name(), wakeups=wakeups, logger=logger
        )
        self.is_working = False
        self._watches: list[asyncio.Task[None]] = []
        self._file_lock: FileLock | None = None
        self._own_lock: FileLock | None = None
        self._session: ProcessSession | None = None
        self._waiting_for_file: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Make the tables if there are none, and tell of runs that are left alone."""
        await self.threads.call(self._database.prepare)
        for layout, count in (await self.threads.query(upkeep.other_layouts)).items():
            self._logger.warning(
                "runs_of_another_layout_are_left", layout=layout, known=LAYOUTS, runs=count
            )
        if not self._database.is_file:
            await self._open_session()

    async def _open_session(self) -> None:
        """Take the lock of this process, and hear other processes and be heard."""
        session = self._session = ProcessSession(
            self._database,
            executor=self.driver.executor,
            wakeups=self._wakeups,
            logger=self._logger,
        )
        await session.start()

        async def tell(names: Sequence[str]) -> None:
            await self.threads.query(partial(session.notify, names=names))

        self._wakeups.send = tell

    @property
    def is_deaf(self) -> bool:
        """True if it was found that no notifications of other processes arrive."""
        return self._session is not None and self._session.is_deaf

    async def take_no_runs(self) -> None:
        """Read, submit and decide only, and end runs that are cancelled here.

        The worker on a file is let know that this process lives.
        """
        if self.threads.file is not None:
            self._own_lock = FileLock(self.threads.file, self.driver.executor)
            await self.threads.call(self._own_lock.take)

    async def take_runs(self, share: Share, *, counting: RunCounting, submit: Submit) -> None:
        """Work; if another process works on the file, once that has ended.

        One that takes nothing from queues does not wait for that: others could take no runs then.
        """
        work = partial(self._work, share, counting, submit)
        if self.threads.file is None:
            await work()
            return
        self._file_lock = FileLock(self.threads.file)
        if self._file_lock.take():
            await work()
            return
        await self.take_no_runs()
        if share.queues:
            self._waiting_for_file = asyncio.create_task(self._wait_for(self._file_lock, work))

    async def _work(self, share: Share, counting: RunCounting, submit: Submit) -> None:
        own = self.driver.executor
        if self._database.is_file:
            self.driver.executor = LOCAL
        try:
            await self._prepare(share, counting)
        except BaseException:
            await self.driver.let_go(timeout_s=self._settings.handover_timeout_s)
            self.driver.executor = own
            raise
        sweep = Sweep(
            threads=self.threads,
            driver=self.driver,
            session=self._session,
            settings=self._settings,
            share=share,
            counting=counting,
            wakeups=self._wakeups,
        )
        if self._session is not None and sweep.takes_over:
            self._session.lost = sweep.judge_none
        watches = [sweep.watch(), sweep.watch_old(), counting.watch(self.threads, self.driver)]
        for each in share.schedules:
            watches.append(watch_schedule(each, submit=submit, logger=self._logger))
        self._watches = [asyncio.create_task(each) for each in watches]
        self.is_working = True

    async def _prepare(self, share: Share, counting: RunCounting) -> None:
        check_schedules(share.schedules, queues=all_queues(self._settings))
        if self._session is None:
            requeue = partial(upkeep.requeue_of_executor, executor=self.driver.executor)
            counting.taken_over += await self.threads.write(requeue)
        if share.queues:
            await self.threads.write(upkeep.try_held_again)
        else:
            self._logger.info("runs_that_wait_or_are_submitted_need_a_worker", command="arc worker")

    async def _wait_for(self, lock: FileLock, work: Callable[[], Awaitable[None]]) -> None:
        while not lock.take():  # noqa: ASYNC110 -- another process frees it
            await asyncio.sleep(_TRY_S)
        try:
            await work()
        except (OSError, SQLAlchemyError, ConfigurationError):
            self._logger.exception("work_on_runs_cannot_begin")
            lock.free()

    async def aclose(self) -> None:
        """Let go of all runs, and close what was opened."""
        await _end(self._waiting_for_file)
        self.is_working = False
        try:
            await _end(*self._watches)
            await self.driver.let_go(timeout_s=self._settings.handover_timeout_s)
        finally:
            if self._file_lock is not None:
                self._file_lock.free()
            if self._own_lock is not None:
                self._own_lock.remove()
            await self._wakeups.drain()
            if self._session is not None:
                await self._session.aclose()
            self.threads.close()
            self._database.close()


async def _end(*tasks: asyncio.Task[None] | None) -> None:
    ending = [task for task in tasks if task is not None]
    for task in ending:
        task.cancel()
    if ending:
        await asyncio.wait(ending)
