"""Looks every half second for what no other part would see.

Runs that are to end, approvals that were not given in time, queued runs whose ticket DBOS does not
have, and, every hour, what ended long ago.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy.exc import SQLAlchemyError

from arc_core import Logger
from arc_plugins.journals.dbos import approval_store, run_store
from arc_plugins.journals.dbos.carrier import Carrier
from arc_plugins.journals.dbos.driver import RunDriver
from arc_plugins.journals.dbos.news import News
from arc_plugins.journals.dbos.run_store import Ticket
from arc_plugins.journals.dbos.settings import QueueSettings
from arc_plugins.journals.dbos.threads import DatabaseThreads

__all__ = ["Sweep"]

_LOOK_S = 0.5
_LOOKS_AN_HOUR = 7_200
_CARRIED_AT_ONCE = 25


@dataclass(slots=True, kw_only=True)
class Sweep:
    """One a process.

    Attributes:
        threads: Of the database.
        carrier: Who brings tickets to processes.
        driver: The attempts of this process.
        executor: The name of this process.
        queues: With their limits.
        keep_days: After which a finished run is removed.
        news: Says when there is something to look at.
        logger: Is told of what fails, which is tried again.
    """

    threads: DatabaseThreads
    carrier: Carrier
    driver: RunDriver
    executor: str
    queues: Mapping[str, QueueSettings]
    keep_days: float
    news: News
    logger: Logger

    async def watch(self) -> None:
        """Look until it is cancelled."""
        looks = 0
        while True:
            try:
                if looks % _LOOKS_AN_HOUR == 0:
                    await self._remove_old()
                looks += 1
                if await self._look():
                    continue
            except (OSError, SQLAlchemyError) as error:
                self.logger.debug("look_at_runs_failed", error_type=type(error).__name__)
            await self.news.wait_to_look(_LOOK_S)

    async def _look(self) -> bool:
        """Whether there is more to be carried."""
        found = await self.threads.read(partial(run_store.cancelled_runs, executor=self.executor))
        for run_id in found:
            self.driver.cancel(run_id)
        if await self.threads.read(approval_store.has_expired):
            await self.threads.write(approval_store.expire)
        return await self._carry(await self.threads.read(run_store.tickets_to_carry))

    async def _carry(self, tickets: Sequence[Ticket]) -> bool:
        """Hand on the oldest tickets, or some of them, since other processes do so meanwhile."""
        is_more = len(tickets) > _CARRIED_AT_ONCE
        if is_more:
            tickets = random.sample(tickets, _CARRIED_AT_ONCE)
        if tickets:
            await self.threads.call(partial(self._enqueue, tickets))
            await self.threads.write(partial(run_store.mark_carried, tickets=tickets))
        return is_more

    def _enqueue(self, tickets: Sequence[Ticket]) -> None:
        for ticket in tickets:
            queue = self.queues.get(ticket.queue)
            per_tenant = queue is not None and queue.per_tenant is not None
            self.carrier.enqueue(ticket, per_tenant=per_tenant)

    async def _remove_old(self) -> None:
        while await self.threads.write(partial(run_store.remove_finished, days=self.keep_days)):
            pass
        await self.threads.call(partial(self.carrier.forget, days=self.keep_days))
