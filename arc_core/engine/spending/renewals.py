"""Keeps the reservations of runs that go on: one task for all of them."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from arc_core.engine.spending.run_account import RunAccount
from arc_core.timing.cancellation import wait_despite_cancellation

_SHARE = 3  # two renewals may fail before a reservation ends


class Renewals:
    """Renews each account well before it ends; sleeps while there is none.

    Args:
        renew: Renews one; raises nothing.
    """

    def __init__(self, renew: Callable[[RunAccount], Coroutine[Any, Any, None]]) -> None:
        self._renew = renew
        self._accounts: dict[int, RunAccount] = {}
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()

    def add(self, account: RunAccount) -> None:
        """Renew an account from now on, if its reservation ends by itself."""
        if account.renew_within_s is None or id(account) in self._accounts:
            return
        self._accounts[id(account)] = account
        if self._task is None:
            self._changed = asyncio.Event()
            self._task = asyncio.create_task(self._run(), name="arc-budget-renewals")
        self._changed.set()

    def remove(self, account: RunAccount) -> None:
        """Renew an account no more."""
        if self._accounts.pop(id(account), None) is not None and not self._accounts:
            self._changed.set()

    async def aclose(self) -> None:
        """End the task."""
        self._accounts.clear()
        if (task := self._task) is not None:
            task.cancel()
            await wait_despite_cancellation(task)
            self._task = None

    async def _run(self) -> None:
        try:
            while self._accounts:
                self._changed.clear()
                due_at = min(map(_due_at, self._accounts.values()))
                alarm = asyncio.get_running_loop().call_at(due_at, self._changed.set)
                try:
                    await self._changed.wait()
                finally:
                    alarm.cancel()
                await self._renew_due()
        finally:
            self._task = None

    async def _renew_due(self) -> None:
        """Renew all at once, since budgets that are away take their time-out for each."""
        now = asyncio.get_running_loop().time()
        async with asyncio.TaskGroup() as group:
            for account in self._accounts.values():
                if _due_at(account) <= now:
                    account.next_renewal_at = now + (account.renew_within_s or 0) / _SHARE
                    group.create_task(self._renew(account))


def _due_at(account: RunAccount) -> float:
    return max(account.touched + (account.renew_within_s or 0) / _SHARE, account.next_renewal_at)
