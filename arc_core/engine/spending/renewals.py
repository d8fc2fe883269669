"""Keeps the reservations of runs that go on: one task for all of them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from arc_core.engine.spending.tab import Tab
from arc_core.timing.cancellation import wait_despite_cancellation

__all__ = ["Renewals"]

_SHARE = 3  # two renewals may fail before a reservation ends


class Renewals:
    """Renews each tab well before it ends; sleeps while there is none.

    Args:
        renew: Renews one; raises nothing.
    """

    def __init__(self, renew: Callable[[Tab], Awaitable[None]]) -> None:
        self._renew = renew
        self._tabs: dict[int, Tab] = {}
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()

    def add(self, tab: Tab) -> None:
        """Renew a tab from now on, if its reservation ends by itself."""
        if tab.renew_within_s is None or id(tab) in self._tabs:
            return
        self._tabs[id(tab)] = tab
        if self._task is None:
            self._changed = asyncio.Event()
            self._task = asyncio.create_task(self._run(), name="arc-budget-renewals")
        self._changed.set()

    def remove(self, tab: Tab) -> None:
        """Renew a tab no more."""
        if self._tabs.pop(id(tab), None) is not None and not self._tabs:
            self._changed.set()

    async def aclose(self) -> None:
        """End the task."""
        self._tabs.clear()
        if (task := self._task) is not None:
            task.cancel()
            await wait_despite_cancellation(task)
            self._task = None

    async def _run(self) -> None:
        try:
            while self._tabs:
                self._changed.clear()
                due_at = min(map(_due_at, self._tabs.values()))
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
            for tab in _due(self._tabs.values(), now):
                tab.next_renewal_at = now + (tab.renew_within_s or 0) / _SHARE
                group.create_task(self._renew_one(tab))

    async def _renew_one(self, tab: Tab) -> None:
        await self._renew(tab)


def _due_at(tab: Tab) -> float:
    return max(tab.touched + (tab.renew_within_s or 0) / _SHARE, tab.next_renewal_at)


def _due(tabs: Iterable[Tab], now: float) -> list[Tab]:
    return [tab for tab in tabs if _due_at(tab) <= now]
