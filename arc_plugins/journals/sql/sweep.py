"""Looks for all that a process has to see to: by one question, when it is woken and now and then.

Runs that are due, that are to end or that no attempt has, approvals that were not given in time,
processes that have died, and, every hour, what ended long ago.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError

from arc_core import KeptRunCounts
from arc_core.runs.store import RunState
from arc_plugins.journals.settings import DurableSettings
from arc_plugins.journals.sql import approval_store, upkeep
from arc_plugins.journals.sql.database import DatabaseThreads
from arc_plugins.journals.sql.driver import RunDriver
from arc_plugins.journals.sql.queues import Share, all_queues, claim
from arc_plugins.journals.sql.session import ProcessSession, Wakeups, is_free, is_held
from arc_plugins.journals.sql.tables import LAYOUTS, from_moment, runs

_COUNT_EVERY_S = 2.0
"""Metrics are read every few seconds at most."""


@dataclass(slots=True)
class RunCounting:
    """Counts while a process works on runs.

    Attributes:
        record: Is told the counts at each look, since what exports them may be set up only after
            the first one; None if they are not asked for.
        taken_over: Runs that came from a process that has died, and were not told yet.
    """

    record: Callable[[KeptRunCounts], None] | None = None
    taken_over: int = 0

    async def watch(self, threads: DatabaseThreads, driver: RunDriver) -> None:
        """Look until it is cancelled."""
        while self.record is not None:
            try:
                by_state = await threads.query(_count)
            except (OSError, SQLAlchemyError):  # other parts say that the database is away
                by_state = None
            if by_state is not None:
                taken_over, self.taken_over = self.taken_over, 0
                self.record(
                    KeptRunCounts(running=driver.running, taken_over=taken_over, **by_state)
                )
            await asyncio.sleep(_COUNT_EVERY_S)


def _count(connection: Connection) -> dict[str, int]:
    """Return the number of runs that are waiting and queued, by the names of these states."""
    columns = select(runs.c.state, func.count()).group_by(runs.c.state)
    unfinished = (RunState.WAITING.value, RunState.QUEUED.value)
    found = columns.where(runs.c.layout.in_(LAYOUTS), runs.c.state.in_(unfinished))
    return {state: count for state, count in connection.execute(found)}  # noqa: C416 -- typed


def _find_free(connection: Connection, keys: Mapping[str, int]) -> Sequence[str]:
    """Return the processes whose locks are free."""
    return [executor for executor, key in keys.items() if is_free(connection, key)]


def _requeue(connection: Connection, *, executor: str, key: int) -> int:
    """Queue the runs of a process unless it has its lock again; how many."""
    if not is_free(connection, key):
        return 0
    return upkeep.requeue_of_executor(connection, executor=executor)


_LOOK_S = 0.5
"""The seconds between two looks of a process that hears no others, as with SQLite."""

_QUIET_S, _IDLE_S = 1.0, 5.0
"""Between those of one that hears others: if it takes runs over, and if it does not."""

_SUSPECT_S = 0.4
"""While other processes have runs, which may die with them."""

_APART_S = 1.5
"""Between two looks at the lock of a process that may be dead."""

_REMOVAL_S = 3_600.0
_RELEASE_S = 30.0
_LOST_AFTER_S = 5.0
"""An attempt takes its run in the database first, and is known here a moment after."""


@dataclass(slots=True, kw_only=True)
class Sweep:
    """One a process; the worker on a file looks after the runs of all processes.

    It takes over the runs of processes that died. A process is dead if its lock is found free in
    two looks, 1.5 s apart: one whose connection broke has that long to take its lock again. A
    worker that has lost its own connection judges none of the others for one lease, since the
    database may have been away for all.

    Attributes:
        session: Knows the locks of processes; None on a file.
        share: Of this process in the runs that are submitted.
        is_blind: Whether the last look has failed; the first of several is told.
        lost: Runs that no attempt has, as far as is known here, and since when.
    """

    threads: DatabaseThreads
    driver: RunDriver
    session: ProcessSession | None
    settings: DurableSettings
    share: Share
    counting: RunCounting
    wakeups: Wakeups
    is_blind: bool = False
    lost: dict[str, float] = field(default_factory=dict)
    _running: Counter[str] = field(default_factory=Counter)
    _first_looks: dict[str, float] = field(default_factory=dict)
    _judges_from: float = 0.0

    @property
    def takes_over(self) -> bool:
        """True if this process takes runs, and others may die."""
        return self.session is not None and bool(self.share.queues)

    async def watch(self) -> None:
        """Look until it is cancelled."""
        clock, releases_at = asyncio.get_running_loop().time, 0.0
        while True:
            if self.share.queues and clock() >= releases_at:
                releases_at = clock() + _RELEASE_S
                await self._try(self._release)
            await self.wakeups.wait_to_look(await self._try(self._look))

    async def watch_old(self) -> None:
        """Remove what ended long ago until it is cancelled; however much it is, no run waits."""
        while True:
            await self._try(self._remove_old)
            await asyncio.sleep(_REMOVAL_S)

    async def _try(self, look: Callable[[], Awaitable[float]]) -> float:
        """Return the seconds until the next look, soon after a failure."""
        try:
            pause_s = await look()
        except Exception as error:  # noqa: BLE001 -- without looks, no run is taken any more
            if not self.is_blind:
                problem = type(error).__name__
                self.threads.logger.warning("look_at_runs_failed", error_type=problem)
            self.is_blind = True
            if self.takes_over and isinstance(error, OSError | SQLAlchemyError):
                self.judge_none()
            return _LOOK_S
        self.is_blind = False
        return pause_s

    async def _look(self) -> float:
        most = self.share.max_running
        found = await self.threads.query(
            partial(
                upkeep.look,
                executor=self.driver.executor,
                is_file=self.threads.file is not None,
                queues=[name for name in self.share.queues if self._running[name] < most],
            )
        )
        for run_id in found.cancelled:
            if found.running[run_id] == self.driver.executor:
                self.driver.stop(run_id)
        await self._queue_lost(found.running)
        for queue in found.queues:
            await self._begin(queue)
        if self.session is not None and self.takes_over:
            await self._judge(self.session, found.others)
        if found.has_expired:  # at last: a request that cannot be read holds up nothing else
            await self.threads.write(approval_store.expire)
            self.wakeups.look()
        return self._find_pause(found)

    async def _begin(self, queue: str) -> None:
        """Begin as many runs of a queue as there is room for.

        If it is cancelled, runs that were taken begin all the same, and leave in order.
        """
        beginning = asyncio.ensure_future(self._take(queue))
        try:
            await asyncio.shield(beginning)
        except asyncio.CancelledError:
            await asyncio.wait([beginning])
            raise

    async def _take(self, queue: str) -> None:
        work = partial(
            claim,
            queue=queue,
            limits=all_queues(self.settings)[queue],
            room=self.share.max_running - self._running[queue],
            executor=self.driver.executor,
        )
        for taken in await self.threads.write(work):
            self._running[queue] += 1
            self.driver.begin(taken).add_done_callback(partial(self._leave, queue))
            self.wakeups.look_here()  # there may be more

    def _leave(self, queue: str, _: asyncio.Task[None]) -> None:
        self._running[queue] -= 1
        self.wakeups.look_here()

    def judge_none(self) -> None:
        """Take over no runs for one lease."""
        self._first_looks.clear()
        self._judges_from = asyncio.get_running_loop().time() + self.settings.lease_s

    async def _judge(self, session: ProcessSession, executors: Sequence[str]) -> None:
        """Look at the locks of processes that have runs."""
        first = self._first_looks
        self._first_looks = {each: at for each, at in first.items() if each in executors}
        keys = {each: session.key_of(each) for each in executors}
        free = await self.threads.write(partial(_find_free, keys=keys)) if keys else ()
        now = asyncio.get_running_loop().time()
        if now < self._judges_from:  # the connection may have broken during this look
            return
        for executor in executors:
            if executor not in free:
                self._first_looks.pop(executor, None)
            elif now - self._first_looks.setdefault(executor, now) >= _APART_S:
                await self._take_over(executor, keys[executor])

    async def _take_over(self, executor: str, key: int) -> None:
        self.threads.logger.warning("worker_died_runs_taken_over", executor=executor)
        count = await self.threads.write(partial(_requeue, executor=executor, key=key))
        self._first_looks.pop(executor, None)
        self.counting.taken_over += count
        self.wakeups.look()

    def _find_pause(self, found: upkeep.Agenda) -> float:
        """Return the seconds until the next look, if nothing wakes this process before."""
        pause_s = _LOOK_S
        if self.wakeups.are_heard:
            pause_s = _QUIET_S if self.takes_over else _IDLE_S
        if self.lost or (self.takes_over and found.others):
            pause_s = min(pause_s, _SUSPECT_S)
        elif not self.driver.running and self.wakeups.are_heard:
            self.threads.rest()
        if found.next_at is not None:
            until = from_moment(found.next_at) - datetime.now(UTC)
            pause_s = min(pause_s, max(0.0, until.total_seconds()))
        return pause_s

    async def _queue_lost(self, running: Mapping[str, str]) -> None:
        """Queue runs that no attempt has had for seconds.

        The connection may have broken as a run was taken. In a file, another process may have taken
        a run to end it, and have died; one that lives is left alone, however long that takes.
        """
        now = asyncio.get_running_loop().time()
        self.lost = {
            run_id: self.lost.get(run_id, now) for run_id in running if not self.driver.has(run_id)
        }
        for run_id, since in self.lost.items():
            if now - since >= _LOST_AFTER_S and not await self._is_elsewhere(running[run_id]):
                self.threads.logger.warning("run_without_an_attempt_queued_again", run_id=run_id)
                requeue = partial(upkeep.requeue_run, run_id=run_id, executor=running[run_id])
                await self.threads.write(requeue)
                self.wakeups.look()

    async def _is_elsewhere(self, executor: str) -> bool:
        """Return true if a process is another one, and lives."""
        file = self.threads.file
        if executor == self.driver.executor or file is None:
            return False
        return await self.threads.call(partial(is_held, file, executor))

    async def _release(self) -> float:
        await self.threads.write(upkeep.release_carried)
        return 0.0

    async def _remove_old(self) -> float:
        while await self.threads.write(
            partial(upkeep.remove_finished, days=self.settings.keep_days)
        ):
            pass
        while await self.threads.query(upkeep.has_lost_parts):
            await self.threads.write(upkeep.remove_lost_parts)
        return 0.0
