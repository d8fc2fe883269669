"""What is open while the journals are: the database, the attempts here, and what takes runs."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from arc_core import ConfigurationError, Logger
from arc_core.interfaces.run_journal import RunBody
from arc_plugins.journals.settings import DurableSettings
from arc_plugins.journals.sql import upkeep
from arc_plugins.journals.sql.address import Address
from arc_plugins.journals.sql.counting import RunCounting
from arc_plugins.journals.sql.database import Database
from arc_plugins.journals.sql.driver import RunDriver
from arc_plugins.journals.sql.executor_lock import ExecutorLocks
from arc_plugins.journals.sql.file_lock import FileLock
from arc_plugins.journals.sql.tables import LAYOUT
from arc_plugins.journals.sql.takeover import Takeover
from arc_plugins.journals.sql.threads import DatabaseThreads
from arc_plugins.journals.sql.wakeups import Wakeups
from arc_plugins.journals.sql.worker import LOCAL, Share, Submit, Worker, executor_name

__all__ = ["RunProcess"]

_TRY_S = 0.5


class RunProcess:
    """This process, as far as it has to do with the runs of a database.

    Args:
        address: Of the database.
        settings: Of durable runs.
        body: Runs one.
        wakeups: Told of what is written here.
        logger: Told of what fails.

    Attributes:
        threads: Of the database.
        driver: The attempts of this process.
        worker: Takes runs; None if another process does.
    """

    def __init__(
        self,
        address: Address,
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
            self.threads,
            body=body,
            executor=executor_name(),
            wakeups=wakeups,
            logger=logger,
        )
        self.worker: Worker | None = None
        self._file_lock: FileLock | None = None
        self._own_lock: FileLock | None = None
        self._own_session: Takeover | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._waiting_for_file: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Make the tables if there are none, and tell of runs that are left alone.

        Raises:
            ConfigurationError: A newer version of Arc has made them.
        """
        await self.threads.call(self._database.prepare)
        for layout, count in (await self.threads.query(upkeep.other_layouts)).items():
            self._logger.warning(
                "runs_of_another_layout_are_left", layout=layout, known=LAYOUT, runs=count
            )

    async def take_no_runs(self) -> None:
        """Read, submit and decide only, and end runs that are cancelled here."""
        file = self._database.address.file
        if file is not None:
            await self._live_beside_worker(file)
            return
        executor = self.driver.executor
        locks = await self.threads.call(partial(ExecutorLocks, self._database, executor=executor))
        self._own_session = Takeover(
            locks,
            self.threads,
            executor=executor,
            lease_s=self._settings.lease_s,
            logger=self._logger,
        )
        await self._own_session.start()
        self._keeping = asyncio.create_task(self._own_session.keep())

    async def _live_beside_worker(self, file: Path) -> None:
        """Let the worker on a file know that this process lives, and ends its runs by itself."""
        self._own_lock = FileLock(file, self.driver.executor)
        await self.threads.call(self._own_lock.take)

    async def take_runs(self, share: Share, *, counting: RunCounting, submit: Submit) -> None:
        """Work; if another process works on the file, once that has ended.

        Args:
            share: Of the runs that are submitted.
            counting: Of the runs here.
            submit: Submits the runs of schedules.

        Raises:
            ConfigurationError: Another durable application is open in this process, or a schedule
                cannot be.
        """
        file = self._database.address.file
        if file is None:
            await self._work(share, counting, submit)
            return
        self._file_lock = FileLock(file)
        if self._file_lock.take():
            await self._work(share, counting, submit)
        else:
            await self._live_beside_worker(file)
            work = partial(self._work, share, counting, submit)
            self._waiting_for_file = asyncio.create_task(self._wait_for(self._file_lock, work))

    async def _work(self, share: Share, counting: RunCounting, submit: Submit) -> None:
        own = self.driver.executor
        if self._database.is_file:
            self.driver.executor = LOCAL
        worker = Worker(
            self._database,
            self.threads,
            self.driver,
            settings=self._settings,
            share=share,
            counting=counting,
            wakeups=self._wakeups,
        )
        try:
            await worker.start(submit)
        except BaseException:
            await worker.aclose()
            self.driver.executor = own
            raise
        self.worker = worker

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
        worker, self.worker = self.worker, None
        try:
            if worker is not None:
                await worker.aclose()
            else:
                await self.driver.let_go(timeout_s=self._settings.handover_timeout_s)
        finally:
            if self._file_lock is not None:
                self._file_lock.free()
            if self._own_lock is not None:
                self._own_lock.remove()
            if self._own_session is not None:
                await _end(self._keeping)
                await self._own_session.aclose()
            self.threads.close()
            self._database.close()


async def _end(task: asyncio.Task[None] | None) -> None:
    if task is not None:
        task.cancel()
        await asyncio.wait([task])
