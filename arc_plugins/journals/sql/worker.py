"""The worker of an open application: it takes runs, begins some by the clock, and watches."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
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
from arc_plugins.journals.sql.database import Database, DatabaseThreads
from arc_plugins.journals.sql.driver import RunDriver
from arc_plugins.journals.sql.queues import QueueRunner, Schedule, Submit, check_schedules
from arc_plugins.journals.sql.session import FileLock, ProcessSession, Wakeups
from arc_plugins.journals.sql.sweep import RunCounting, Sweep, Takeover
from arc_plugins.journals.sql.tables import LAYOUTS


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
    """The part of the journals that works; one a process.

    Args:
        threads: Of the database.
        driver: The attempts of this process.
        settings: Of durable runs.
        share: Of this process in what is submitted.
        counting: Of the runs here.
        wakeups: Say when there is something to look at.
        session: Holds the lock of this process; None on a file.
    """

    def __init__(
        self,
        threads: DatabaseThreads,
        driver: RunDriver,
        *,
        settings: DurableSettings,
        share: Share,
        counting: RunCounting,
        wakeups: Wakeups,
        session: ProcessSession | None,
    ) -> None:
        self._threads, self._driver = threads, driver
        self._settings, self._share, self._counting = settings, share, counting
        self._wakeups, self._session = wakeups, session
        self._watches: list[asyncio.Task[None]] = []

    async def start(self, submit: Submit) -> None:
        """Take runs from now on.

        Raises:
            ConfigurationError: A schedule cannot be.
        """
        queues = all_queues(self._settings)
        check_schedules(self._share.schedules, queues=queues)
        if self._session is None:
            self._counting.taken_over += await self._threads.write(
                partial(upkeep.requeue_of_executor, executor=self._driver.executor)
            )
        if self._share.queues:
            await self._threads.write(upkeep.try_held_again)
        else:
            self._threads.logger.info(
                "runs_that_wait_or_are_submitted_need_a_worker", command="arc worker"
            )
        schedules = [
            Schedule(each, submit=submit, logger=self._threads.logger)
            for each in self._share.schedules
        ]
        sweep = self._make_sweep(queues)
        watches = [sweep.watch(), sweep.watch_old(), *(each.watch() for each in schedules)]
        watches.append(self._counting.watch(self._threads, self._driver))
        self._watches = [asyncio.create_task(each) for each in watches]

    def _make_sweep(self, queues: Mapping[str, QueueSettings]) -> Sweep:
        runner = takeover = None
        if self._share.queues:
            runner = QueueRunner(
                self._threads,
                self._driver,
                queues={name: queues[name] for name in self._share.queues},
                max_running=self._share.max_running,
                has_room=self._wakeups.look_here,
            )
        if runner is not None and self._session is not None:
            takeover = Takeover(
                self._threads,
                self._session,
                lease_s=self._settings.lease_s,
                took_over=self._note_takeover,
            )
            self._session.lost = takeover.judge_none
        return Sweep(
            threads=self._threads,
            driver=self._driver,
            runner=runner,
            takeover=takeover,
            keep_days=self._settings.keep_days,
            wakeups=self._wakeups,
        )

    def _note_takeover(self, count: int) -> None:
        self._counting.taken_over += count
        self._wakeups.look()

    async def aclose(self) -> None:
        """Take no more runs, and let go of those that there are."""
        for watch in self._watches:
            watch.cancel()
        if self._watches:
            await asyncio.wait(self._watches)
        await self._driver.let_go(timeout_s=self._settings.handover_timeout_s)


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
            self.threads, body=body, executor=executor_name(), wakeups=wakeups, logger=logger
        )
        self.worker: Worker | None = None
        self._file_lock: FileLock | None = None
        self._own_lock: FileLock | None = None
        self._session: ProcessSession | None = None
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

        self._wakeups.tell_by(tell)

    @property
    def is_deaf(self) -> bool:
        """True if it was found that no notifications of other processes arrive."""
        return self._session is not None and self._session.is_deaf

    async def take_no_runs(self) -> None:
        """Read, submit and decide only, and end runs that are cancelled here."""
        file = self._database.address.file
        if file is not None:
            await self._live_beside_worker(file)

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
            ConfigurationError: A schedule cannot be.
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
            self.threads,
            self.driver,
            settings=self._settings,
            share=share,
            counting=counting,
            wakeups=self._wakeups,
            session=self._session,
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
            await self._wakeups.drain()
            if self._session is not None:
                await self._session.aclose()
            self.threads.close()
            self._database.close()


async def _end(task: asyncio.Task[None] | None) -> None:
    if task is not None:
        task.cancel()
        await asyncio.wait([task])
