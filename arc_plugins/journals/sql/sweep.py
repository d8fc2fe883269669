"""Looks every half second for what no other part would see.

Runs that are to end or that no attempt has, approvals that were not given in time, queued runs
whose ticket DBOS does not have, and, every hour, what ended long ago.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError

from arc_core import KeptRunCounts, Logger
from arc_core.runs.store import RunState
from arc_plugins.journals.sql import approval_store, upkeep
from arc_plugins.journals.sql.carrier import Carrier
from arc_plugins.journals.sql.database import DatabaseThreads, Wakeups
from arc_plugins.journals.sql.driver import RunDriver
from arc_plugins.journals.sql.run_store import Ticket
from arc_plugins.journals.sql.tables import LAYOUTS, runs
from arc_plugins.journals.sql.takeover import is_held

_COUNT_EVERY_S = 2.0
"""Metrics are read every few seconds at most."""


@dataclass(slots=True)
class RunCounting:
    """Counts while a process works on runs.

    Attributes:
        record: Is told the counts when one has changed; None if the counts are not asked for.
        taken_over: Runs that came from a process that has died, and were not told yet.
    """

    record: Callable[[KeptRunCounts], None] | None = None
    taken_over: int = 0
    _told: KeptRunCounts | None = None

    async def watch(self, threads: DatabaseThreads, driver: RunDriver) -> None:
        """Look until it is cancelled."""
        while self.record is not None:
            try:
                by_state = await threads.query(_count)
            except (OSError, SQLAlchemyError):  # other parts say that the database is away
                by_state = None
            if by_state is not None:
                self._tell(self.record, by_state, running=driver.running)
            await asyncio.sleep(_COUNT_EVERY_S)

    def _tell(
        self, record: Callable[[KeptRunCounts], None], by_state: dict[str, int], *, running: int
    ) -> None:
        waiting, queued = (by_state.get(each, 0) for each in (RunState.WAITING, RunState.QUEUED))
        lasting = KeptRunCounts(waiting=waiting, queued=queued, running=running)
        if lasting == self._told and not self.taken_over:
            return
        counts = KeptRunCounts(
            waiting=waiting, queued=queued, running=running, taken_over=self.taken_over
        )
        self._told, self.taken_over = lasting, 0
        record(counts)


def _count(connection: Connection) -> dict[str, int]:
    columns = select(runs.c.state, func.count()).group_by(runs.c.state)
    unfinished = (RunState.WAITING.value, RunState.QUEUED.value)
    found = columns.where(runs.c.layout.in_(LAYOUTS), runs.c.state.in_(unfinished))
    return {state: count for state, count in connection.execute(found)}  # noqa: C416 -- typed


_LOOK_S = 0.5
_REMOVAL_S = 3_600.0
_CARRIED_AT_ONCE = 25
_TICKETS_S = 2.0
_LOST_AFTER_S = 5.0
"""An attempt takes its run in the database first, and is known here a moment after."""


@dataclass(slots=True, kw_only=True)
class Sweep:
    """One a process.

    Attributes:
        threads: Of the database.
        carrier: Who brings tickets to processes.
        driver: The attempts of this process.
        executor: The name of this process.
        file: The database, if it is one: its worker looks after the runs of all processes.
        keep_days: After which a finished run is removed.
        wakeups: Says when there is something to look at.
        logger: Is told of what fails, which is tried again.
        is_blind: Whether the last look has failed; the first of several is told.
        last_look: The run of the last ticket that DBOS was asked about.
        lost: Runs that no attempt has, as far as is known here, and since when.
    """

    threads: DatabaseThreads
    carrier: Carrier
    driver: RunDriver
    executor: str
    file: Path | None
    keep_days: float
    wakeups: Wakeups
    logger: Logger
    is_blind: bool = False
    last_look: str = ""
    lost: dict[str, float] = field(default_factory=dict)

    async def watch(self) -> None:
        """Look until it is cancelled."""
        clock, removes_at, asks_at = asyncio.get_running_loop().time, 0.0, 0.0
        while True:
            has_more = await self._try(self._look)
            if clock() >= asks_at:
                asks_at = clock() + _TICKETS_S
                await self._try(self._replace_tickets)
            if clock() >= removes_at:
                removes_at = clock() + _REMOVAL_S
                await self._try(self._remove_old)
            if not has_more:
                await self.wakeups.wait_to_look(_LOOK_S)

    async def _try(self, look: Callable[[], Awaitable[bool]]) -> bool:
        """Return true if there is more to do at once; not after a failure."""
        try:
            has_more = await look()
        except (OSError, SQLAlchemyError) as error:
            if not self.is_blind:
                self.logger.warning("look_at_runs_failed", error_type=type(error).__name__)
            self.is_blind = True
            return False
        self.is_blind = False
        return has_more

    async def _look(self) -> bool:
        """Return true if there is more to be carried."""
        found = await self.threads.query(partial(upkeep.cancelled_runs, executor=self.executor))
        for run_id in found:
            self.driver.stop(run_id)
        await self._queue_lost()
        if await self.threads.query(approval_store.has_expired):
            await self.threads.write(approval_store.expire)
        return await self._carry(await self.threads.query(upkeep.tickets_to_carry))

    async def _carry(self, tickets: Sequence[Ticket]) -> bool:
        """Hand on the oldest tickets, or some of them, since other processes do so meanwhile."""
        has_more = len(tickets) > _CARRIED_AT_ONCE
        if has_more:
            tickets = random.sample(tickets, _CARRIED_AT_ONCE)
        if tickets:
            await self.threads.call(partial(self._enqueue, tickets))
            await self.threads.write(partial(upkeep.mark_carried, tickets=tickets))
        return has_more

    def _enqueue(self, tickets: Sequence[Ticket]) -> None:
        for ticket in tickets:
            self.carrier.enqueue(ticket)

    async def _queue_lost(self) -> None:
        """Queue runs that no attempt has had for seconds.

        The connection may have broken as a run was taken. In a file, another process may have taken
        a run to end it, and have died; one that lives is left alone, however long that takes.
        """
        now = asyncio.get_running_loop().time()
        looks_at = self.executor if self.file is None else None
        found = await self.threads.query(partial(upkeep.running_runs, executor=looks_at))
        self.lost = {
            run_id: self.lost.get(run_id, now) for run_id in found if not self.driver.has(run_id)
        }
        for run_id, since in self.lost.items():
            if now - since >= _LOST_AFTER_S and not await self._is_elsewhere(found[run_id]):
                self.logger.warning("run_without_an_attempt_queued_again", run_id=run_id)
                requeue = partial(upkeep.requeue_run, run_id=run_id, executor=found[run_id])
                await self.threads.write(requeue)

    async def _replace_tickets(self) -> bool:
        """Give other tickets to runs that a process of an older version has left as they were."""
        find = partial(upkeep.tickets_in_queue, after=self.last_look)
        tickets = await self.threads.query(find)
        self.last_look = tickets[-1].run_id if tickets else ""
        if tickets and (ended := await self.threads.call(partial(self.carrier.find_done, tickets))):
            await self.threads.write(partial(upkeep.replace_tickets, tickets=ended))
            self.wakeups.look()
        return False

    async def _is_elsewhere(self, executor: str) -> bool:
        """Return true if a process is another one, and lives."""
        if executor == self.executor or self.file is None:
            return False
        return await self.threads.call(partial(is_held, self.file, executor))

    async def _remove_old(self) -> bool:
        while await self.threads.write(partial(upkeep.remove_finished, days=self.keep_days)):
            pass
        while await self.threads.query(upkeep.has_lost_parts):
            await self.threads.write(upkeep.remove_lost_parts)
        await self.threads.call(partial(self.carrier.forget, days=self.keep_days))
        return False
