"""The worker of an open application: it carries tickets, takes runs, and watches."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy.exc import SQLAlchemyError

from arc_core import ConfigurationError, Logger
from arc_core.runs.journal import RunBody
from arc_core.stores.sql import SqlAddress
from arc_plugins.journals.settings import (
    DEFAULT_QUEUE,
    DurableSettings,
    QueueSettings,
    ScheduleSettings,
)
from arc_plugins.journals.sql import upkeep
from arc_plugins.journals.sql.carrier import Carrier, Handover
from arc_plugins.journals.sql.database import Database, DatabaseThreads, Wakeups
from arc_plugins.journals.sql.driver import RunDriver
from arc_plugins.journals.sql.sweep import RunCounting, Sweep
from arc_plugins.journals.sql.tables import LAYOUTS
from arc_plugins.journals.sql.takeover import ExecutorLocks, FileLock, Takeover

Submit = Callable[[str, Mapping[str, Any]], Awaitable[None]]
"""Submits the run of a schedule, under an id."""


def all_queues(settings: DurableSettings) -> Mapping[str, QueueSettings]:
    """All queues that there are."""
    return {DEFAULT_QUEUE: QueueSettings(), **settings.queues}


LOCAL = "local"
"""The worker on a file is always called so, and finds its runs again when it is started again."""


def executor_name() -> str:
    """Return a name for this process that no other one has."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:8]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The share of a process in the runs that are submitted.

    Attributes:
        queues: Whose; without any, the process runs only what it begins itself.
        max_running: Of one queue at the same time.
        schedules: Begin runs by the clock; the same in all processes.
    """

    queues: Sequence[str]
    max_running: int
    schedules: Sequence[ScheduleSettings] = ()


class Worker:
    """The part of the journals that works; one a process."""

    def __init__(
        self,
        database: Database,
        threads: DatabaseThreads,
        driver: RunDriver,
        *,
        settings: DurableSettings,
        share: Share,
        counting: RunCounting,
        wakeups: Wakeups,
    ) -> None:
        self._driver, self._executor = driver, driver.executor
        self._database, self._threads, self._settings = database, threads, settings
        self._share, self._counting = share, counting
        self._wakeups, self._logger = wakeups, threads.logger
        self._carrier: Carrier | None = None
        self._takeover: Takeover | None = None
        self._watches: list[asyncio.Task[None]] = []

    async def start(self, submit: Submit) -> None:
        """Take runs from now on.

        Raises:
            ConfigurationError: Another durable application is open in this process, or a schedule
                cannot be.
        """
        handover = Handover(loop=asyncio.get_running_loop(), drive=self._driver.drive, begin=submit)
        carrier = Carrier(self._database, executor=self._executor, handover=handover)
        self._carrier = carrier
        queues = all_queues(self._settings)
        if self._database.is_file:
            self._counting.taken_over += await self._threads.write(
                partial(upkeep.requeue_of_executor, executor=self._executor)
            )
        else:
            await self._start_takeover()
        if self._share.queues:
            await self._threads.write(upkeep.try_held_again)
        removed = await self._threads.call(
            partial(
                carrier.open,
                queues,
                max_running=self._share.max_running,
                listens_to=self._share.queues,
                schedules=self._share.schedules,
            )
        )
        for each in removed:
            self._logger.warning(
                "schedule_removed_that_the_settings_do_not_have",
                cron=each.cron,
                agent=each.agent,
                queue=each.queue,
            )
        self._watch(carrier)
        if not self._share.queues:
            self._logger.info("runs_that_wait_or_are_submitted_need_a_worker", command="arc worker")

    async def _start_takeover(self) -> None:
        locks = await self._threads.call(
            partial(ExecutorLocks, self._database, executor=self._executor)
        )
        self._takeover = Takeover(
            locks,
            self._threads,
            executor=self._executor,
            lease_s=self._settings.lease_s,
            logger=self._logger,
        )
        await self._takeover.start()

    def _watch(self, carrier: Carrier) -> None:
        sweep = Sweep(
            threads=self._threads,
            carrier=carrier,
            driver=self._driver,
            executor=self._executor,
            file=self._database.address.file,
            keep_days=self._settings.keep_days,
            wakeups=self._wakeups,
            logger=self._logger,
        )
        self._watches.append(asyncio.create_task(sweep.watch()))
        self._watches.append(asyncio.create_task(self._counting.watch(self._threads, self._driver)))
        if self._takeover is not None:
            self._watches.append(asyncio.create_task(self._takeover.keep()))
            if self._share.queues:
                watch = self._takeover.watch(carrier, self._note_takeover)
                self._watches.append(asyncio.create_task(watch))

    def _note_takeover(self, count: int) -> None:
        self._counting.taken_over += count
        self._wakeups.look()

    async def aclose(self) -> None:
        """Let go of the runs, and then of the process's name."""
        for watch in self._watches[:1]:
            watch.cancel()
        try:
            await self._driver.let_go(timeout_s=self._settings.handover_timeout_s)
        finally:
            for watch in self._watches:
                watch.cancel()
            if self._watches:
                await asyncio.wait(self._watches)
            if self._carrier is not None:
                await self._threads.call(self._carrier.close)
            if self._takeover is not None:
                await self._takeover.aclose()


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
                "runs_of_another_layout_are_left", layout=layout, known=LAYOUTS, runs=count
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

        One that takes nothing from queues does not wait for that: others could take no runs then.

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
            return
        await self._live_beside_worker(file)
        if share.queues:
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
