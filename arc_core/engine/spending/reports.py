"""Tells budgets what runs spend, soon after, and once they are back what could not be settled."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine
from math import inf
from typing import Any

from arc_core.engine.boundary.boundary import Failed
from arc_core.engine.spending.run_account import RunAccount
from arc_core.interfaces.budgets import Amount, Spender
from arc_core.log import get_logger
from arc_core.timing.cancellation import wait_despite_cancellation

logger = get_logger("budgets")

_SHARE = 3  # two renewals may fail before a reservation ends


class Reports:
    """Has each account reported soon after it has changed, and renewed well before it ends.

    One alarm serves all accounts, and no run waits for it.

    Args:
        report: Reports and renews one; raises nothing.
        within_s: How soon the budgets hear what was spent.
    """

    def __init__(
        self, report: Callable[[RunAccount], Coroutine[Any, Any, None]], *, within_s: float
    ) -> None:
        self._report, self._within_s = report, within_s
        self._accounts: dict[int, RunAccount] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at = inf
        self._task: asyncio.Task[None] | None = None

    def add(self, account: RunAccount) -> None:
        """Look after an account from now on."""
        if id(account) not in self._accounts:
            self._accounts[id(account)] = account
            self._set_alarm(_due_at(account))

    def note(self, account: RunAccount) -> None:
        """Have it reported what an account has spent."""
        if account.report_at == inf:
            account.report_at = asyncio.get_running_loop().time() + self._within_s
            self._set_alarm(account.report_at)

    def remove(self, account: RunAccount) -> None:
        """Look after an account no more."""
        self._accounts.pop(id(account), None)

    async def aclose(self) -> None:
        """End the reports."""
        self._accounts.clear()
        self._stop_alarm()
        if (task := self._task) is not None:
            task.cancel()
            await wait_despite_cancellation(task)

    def _set_alarm(self, due_at: float) -> None:
        """Wake up no later than that; an alarm that is left from the last run does as well."""
        loop = asyncio.get_running_loop()
        if due_at < self._alarm_at or loop is not self._loop:
            self._stop_alarm()
            self._loop, self._alarm_at = loop, due_at
            self._alarm = loop.call_at(due_at, self._begin)

    def _stop_alarm(self) -> None:
        self._alarm_at = inf
        if self._alarm is not None:
            self._alarm.cancel()

    def _begin(self) -> None:
        self._alarm, self._alarm_at = None, inf
        if self._task is None and self._accounts:  # else its end sets the next alarm
            self._task = asyncio.create_task(self._report_due(), name="arc-budget-reports")

    async def _report_due(self) -> None:
        """Report all at once, since budgets that are away take their time-out for each."""
        now = asyncio.get_running_loop().time()
        try:
            async with asyncio.TaskGroup() as group:
                for account in self._accounts.values():
                    if _due_at(account) <= now:
                        account.report_at = inf
                        account.next_renewal_at = now + (account.renew_within_s or 0) / _SHARE
                        group.create_task(self._report(account))
        finally:
            self._task = None
            if self._accounts:
                self._set_alarm(min(map(_due_at, self._accounts.values())))


def _due_at(account: RunAccount) -> float:
    if account.renew_within_s is None:
        return account.report_at
    renewal_at = max(account.touched + account.renew_within_s / _SHARE, account.next_renewal_at)
    return min(renewal_at, account.report_at)


_LONGEST_PAUSE_S = 30.0
_KEPT_FOR_S = 3_000.0  # budgets remember for an hour what is settled, which then counts once
_MOST = 10_000


class UnsettledRuns:
    """Tries one after a pause, which grows while that fails; then the others.

    Args:
        settle: Settles for one spender; a failure is logged by then.
    """

    def __init__(
        self,
        settle: Callable[[Spender, Amount], Awaitable[Failed | None]],
        *,
        first_pause_s: float = 1.0,
    ) -> None:
        self._settle = settle
        self._first_pause_s = first_pause_s
        self._owed: OrderedDict[Spender, tuple[Amount, float]] = OrderedDict()
        self._task: asyncio.Task[None] | None = None

    def add(self, spender: Spender, *, spent: Amount) -> None:
        """Settle later what a run has spent in all; of ten thousand the oldest is forgotten."""
        if len(self._owed) >= _MOST:
            self._forget(next(iter(self._owed)))
        self._owed[spender] = spent, asyncio.get_running_loop().time() + _KEPT_FOR_S
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="arc-unsettled-runs")

    async def aclose(self) -> None:
        """Try once more, as far as the budgets answer, and end."""
        if (task := self._task) is not None:
            task.cancel()
            await wait_despite_cancellation(task)
        await self._settle_all()
        for spender in [*self._owed]:
            self._forget(spender)

    async def _run(self) -> None:
        pause_s = self._first_pause_s
        try:
            while self._owed:
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
                await self._settle_all()
        finally:
            self._task = None

    async def _settle_all(self) -> None:
        """All until one fails, which is the last the next time."""
        for spender, (spent, ends_at) in [*self._owed.items()]:
            if asyncio.get_running_loop().time() > ends_at:
                self._forget(spender)
            elif isinstance(await self._settle(spender, spent), Failed):
                if spender in self._owed:
                    self._owed.move_to_end(spender)
                return
            else:
                self._owed.pop(spender, None)

    def _forget(self, spender: Spender) -> None:
        spent, _ = self._owed.pop(spender)
        if spent != Amount():  # else it is a reservation that ends by itself
            logger.error(
                "what a run has spent could not be settled and is not counted",
                run_id=spender.run_id,
                tokens=spent.tokens,
                cost=str(spent.cost),
            )
