"""Counts the runs that are kept, for metrics."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError

from arc_core import KeptRunCounts
from arc_core.interfaces.run_journal import RunState
from arc_plugins.journals.sql.driver import RunDriver
from arc_plugins.journals.sql.tables import LAYOUT, runs
from arc_plugins.journals.sql.threads import DatabaseThreads

__all__ = ["RunCounting"]

_LOOK_S = 2.0
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
            await asyncio.sleep(_LOOK_S)

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
    found = columns.where(runs.c.layout == LAYOUT, runs.c.state.in_(unfinished))
    return {state: count for state, count in connection.execute(found)}  # noqa: C416 -- typed
