"""Settles runs later that could not be settled, once the budgets are back."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from arc_core.engine.boundary.boundary import Failed
from arc_core.interfaces.budgets import Amount, Spender
from arc_core.log import get_logger
from arc_core.timing.cancellation import wait_despite_cancellation

logger = get_logger("budgets")

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
