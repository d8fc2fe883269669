"""Reserves before a model is asked, holds more as a run goes on, and settles at its end."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from math import inf
from os import urandom
from typing import Any

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed, is_said_beside, read_attribute
from arc_core.engine.models.models import Prices, RunModel
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.run_limits import tokens_left
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.engine.spending.run_account import (
    NOTHING,
    InFlight,
    Meter,
    Quote,
    RunAccount,
    add,
    covers,
    subtract,
)
from arc_core.engine.spending.unsettled_runs import UnsettledRuns
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.budgets import Amount, BudgetRefused, Budgets, Reserved, Spender
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.log import get_logger
from arc_core.settings import BudgetSettings, OnBudgetFailure
from arc_core.timing.cancellation import wait_despite_cancellation

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
        """Have it reported what an account has spent, if that is not on its way already."""
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


logger = get_logger("budgets")

_UNBOUNDED_TOKENS = 2**53
_QUIET_S = 2.0
"""After a failure, a run that may go on without budgets asks them no more for so long."""

_TRIES_FOR_THE_REST = 3

Answer = Reserved | BudgetRefused | Failed


class Spending:
    """Keeps an account for each run that a program has started; the runs below share it.

    Attributes:
        is_bounding: Whether there are budgets; without any, nothing here is to be called.
        bounds_costs: Whether one of them is one of costs.

    Raises:
        ConfigurationError: The budgets cannot tell what they bound.
    """

    def __init__(
        self,
        budgets: Budgets,
        *,
        prices: Prices,
        costs: TokenCosts,
        boundary: Boundary,
        settings: BudgetSettings,
    ) -> None:
        self._budgets, self._boundary = budgets, boundary
        self._prices, self._costs = prices, costs
        self._settings = settings
        self._is_strict = settings.on_failure is OnBudgetFailure.REJECT
        self._accounts: dict[int, RunAccount] = {}
        self._reports = Reports(self._report_soon, within_s=settings.report_within_s)
        self._reports_at_once = not settings.report_within_s
        self._unsettled = UnsettledRuns(self._settle)
        kind, remedy = "budgets component", "let it be true or false"
        read = partial(read_attribute, budgets, kind=kind, remedy=remedy)
        is_off = read("bounds_tokens", default=True) is False
        self._bounds_tokens = not (
            is_off and is_said_beside(budgets, "bounds_tokens", method="reserve")
        )
        self.bounds_costs = read("bounds_costs", default=False) is True
        self.is_bounding = self._bounds_tokens or self.bounds_costs

    async def open(
        self, run: ActiveRun, model: RunModel, request: ChatRequest
    ) -> RunAccount | None:
        """The account that a call is put on; None if nothing bounds the run.

        The first call of a run and of those below it reserves.

        Raises:
            RunStoppedError: There is not enough left, or the budgets could not be asked.
        """
        root = run.root
        account = self._accounts.get(id(root))
        if account is None:
            account = self._accounts[id(root)] = RunAccount(
                root=root,
                spender=_make_spender(root),
                # A journal gives the next life what was recorded, which that does not count again.
                is_reported_at_once=self._reports_at_once or root.recorder.finds_again,
            )
        if account.needs_reservation:
            async with account.lock:
                if account.needs_reservation:  # no other call has meanwhile
                    account.quote = self._quote(run, model, request)
                    await self._reserve(account, run, account.quote)
        return None if account.is_unbounded else account

    async def begin(
        self,
        account: RunAccount,
        run: ActiveRun,
        model: RunModel,
        *,
        request: ChatRequest,
        is_refusal: Callable[[Exception], bool],
    ) -> Meter:
        """Hold what an attempt needs; its request may get less room for the answer.

        Raises:
            RunStoppedError: There is not enough left, or the budgets could not be asked.
        """
        quote = account.quote
        if quote is None or quote.request is not request or quote.model is not model:
            quote = account.quote = self._quote(run, model, request)
        room = request.max_output_tokens or model.llm.max_output_tokens
        if (left := tokens_left(run)) is not None:
            room = max(1, min(room, left - quote.prompt))
        is_last = False
        in_flight = None if account.lock.locked() else self._take_held(account, quote, room=room)
        if in_flight is None:
            async with account.lock:
                in_flight, room, is_last = await self._take(account, quote, most=room)
        return Meter(
            account,
            in_flight,
            quote,
            request=_within(request, room=room, is_last=is_last),
            costs=self._costs,
            is_refusal=is_refusal,
        )

    async def report(self, account: RunAccount) -> None:
        """Have the budgets told what was spent, so that it counts even if the process is killed."""
        if account.is_reported_at_once:
            await self._report(account)
        else:
            self._reports.note(account)

    async def _report(self, account: RunAccount) -> None:
        async with account.lock:
            # What was sent may have been estimated too high; the run keeps the difference.
            kept = subtract(account.ceiling, account.reported) if account.is_kept else NOTHING
            tokens = max(account.room.tokens, kept.tokens if self._bounds_tokens else 0)
            hold = Amount(tokens=tokens, cost=max(account.room.cost, kept.cost))
            await self._extend(account, hold=hold)

    async def settle(self, run: ActiveRun) -> None:
        """Count what a run has spent, and give back the rest; nothing for a run below another.

        Raises:
            asyncio.CancelledError: The budgets raised it.
        """
        account = self._accounts.pop(id(run), None)
        if account is None or not account.is_reserved:
            return
        self._reports.remove(account)
        async with account.lock:
            if isinstance(await self._settle(account.spender, account.reported), Failed):
                self._unsettled.add(account.spender, spent=account.reported)

    async def _settle(self, spender: Spender, spent: Amount) -> Failed | None:
        """Count the rest; what is held returns by itself if that fails."""
        return await self._boundary.call(
            policies.BUDGETS_SETTLE,
            self._budgets,
            partial(self._budgets.settle, spender, spent=spent),
        )

    async def aclose(self) -> None:
        """End the renewals, and try once more to settle what could not be settled."""
        try:
            await self._reports.aclose()
        finally:
            await self._unsettled.aclose()

    async def _reserve(self, account: RunAccount, run: ActiveRun, quote: Quote) -> None:
        least = quote.of(1)
        left = tokens_left(account.root)
        wanted = self._settings.reserve_tokens if left is None else left
        amount = quote.of(max(1, wanted - quote.prompt))
        asked_at = asyncio.get_running_loop().time()
        account.is_reserved = True  # if this is cancelled, it may have been done
        answer = await self._boundary.call(
            policies.BUDGETS_RESERVE,
            self._budgets,
            partial(self._budgets.reserve, account.spender, amount=amount, least=least),
        )
        if isinstance(answer, Reserved):
            account.take(self._read(answer), reported=NOTHING, asked_at=asked_at)
            self._reports.add(account)
            return
        if answer is None:
            account.is_unbounded, account.is_reserved = True, False
            return
        if isinstance(answer, Failed) and not self._is_strict:
            account.failure, account.failed_at = answer, asyncio.get_running_loop().time()
            logger.warning(
                "the budgets are away, and nothing bounds the run until they are back",
                run_id=run.run_id,
            )
            return
        account.is_reserved = False
        if isinstance(answer, Failed) and (
            answer.timed_out or isinstance(answer.error, TimeoutError)
        ):  # it may have been done, and another call of the tree needs another reservation
            self._unsettled.add(account.spender, spent=NOTHING)
            account.spender = _make_spender(account.root)
        raise _stop(answer)

    def _take_held(self, account: RunAccount, quote: Quote, *, room: int) -> InFlight | None:
        """Take for a request what the run surely holds, without asking; None if it does not."""
        whole = quote.of(room)
        if account.is_reported_at_once or not account.is_kept or not account.has_free(whole):
            return None
        in_flight = InFlight(quote.of(0), whole)
        account.in_flight.add(in_flight)
        self._reports.note(account)
        return in_flight

    async def _take(
        self, account: RunAccount, quote: Quote, *, most: int
    ) -> tuple[InFlight, int, bool]:
        """Hold what a request needs, or less.

        Returns:
            The request, the tokens of its answer, and whether it has to be the last one.

        Raises:
            RunStoppedError: There is not enough left, or the budgets could not be asked.
        """
        refusal, room = None, most
        if not covers(account.free, quote.of(most)):
            refusal = await self._hold_more(account, quote, most=most)
        if self._is_strict or not isinstance(refusal, Failed):
            room = quote.room_within(account.free, most=most)
            if room < 1 or (isinstance(refusal, Failed) and not account.is_kept):
                raise _stop(refusal)
        in_flight = InFlight(quote.of(0), quote.of(room))
        if isinstance(refusal, Failed):  # the same question would only fail again
            account.in_flight.add(in_flight)
        else:
            await self._report_request(account, in_flight)
        return in_flight, room, isinstance(refusal, BudgetRefused)

    async def _hold_more(
        self, account: RunAccount, quote: Quote, *, most: int
    ) -> BudgetRefused | Failed | None:
        """Hold what an answer needs, else less; None if it is held. The account is locked."""
        answer: Answer | None = None
        less = min(most, max(1, self._settings.reserve_tokens // 2))
        for completion in dict.fromkeys((most, less)):
            needed = quote.of(completion)
            answer = await self._extend(account, hold=add(account.room, needed))
            if isinstance(answer, Failed):
                return answer
            if isinstance(answer, Reserved) and covers(account.free, needed):
                return None
        if not isinstance(answer, BudgetRefused):
            return BudgetRefused(reason="")
        rest = await self._hold_rest(account, answer)
        return rest if isinstance(rest, Failed) else answer

    async def _hold_rest(self, account: RunAccount, refusal: BudgetRefused) -> Answer:
        """Hold what is left, for the last answer; again if others were quicker."""
        answer: Answer = refusal
        for _ in range(_TRIES_FOR_THE_REST):
            left = answer.left if isinstance(answer, BudgetRefused) else None
            if left is None or left == NOTHING:
                break
            answer = await self._extend(
                account, hold=add(subtract(account.ceiling, account.reported), left)
            )
        return answer

    async def _report_request(self, account: RunAccount, in_flight: InFlight) -> None:
        """Count what is about to be sent.

        Raises:
            RunStoppedError: What was held has ended by itself, and cannot be had again.
        """
        account.in_flight.add(in_flight)
        is_sent = False
        try:
            answer = await self._extend(account, hold=account.room)
            if isinstance(answer, BudgetRefused):
                raise _stop(answer)
            if isinstance(answer, Failed) and self._is_strict and not account.is_kept:
                raise _stop(answer)
            is_sent = True
        finally:
            if not is_sent:
                account.in_flight.discard(in_flight)

    async def _extend(self, account: RunAccount, *, hold: Amount) -> Answer:
        reported, asked_at = account.reported, asyncio.get_running_loop().time()
        if account.failure and not self._is_strict and asked_at < account.failed_at + _QUIET_S:
            return account.failure
        account.report_at = inf
        answer = await self._boundary.call(
            policies.BUDGETS_EXTEND,
            self._budgets,
            partial(self._budgets.extend, account.spender, spent=reported, hold=hold),
        )
        if isinstance(answer, Failed):
            account.failure, account.failed_at = answer, asyncio.get_running_loop().time()
            return answer
        account.failure = None
        account.take(self._read(answer), reported=reported, asked_at=asked_at)
        if self._accounts.get(id(account.root)) is account:  # not if it is settled meanwhile
            self._reports.add(account)
        return answer

    def _read(self, answer: Reserved | BudgetRefused) -> Reserved | BudgetRefused:
        """The answer; where tokens are not bounded, with as many of them as one can want."""
        if self._bounds_tokens or isinstance(answer, BudgetRefused):
            return answer
        return replace(answer, held=replace(answer.held, tokens=_UNBOUNDED_TOKENS))

    async def _report_soon(self, account: RunAccount) -> None:
        if account.lock.locked():  # the budgets are asked at the moment
            self._reports.note(account)
        elif self._accounts.get(id(account.root)) is account:  # not if it is settled meanwhile
            await self._report(account)

    def _quote(self, run: ActiveRun, model: RunModel, request: ChatRequest) -> Quote:
        estimated, tokens = run.estimate
        if estimated is not request:
            tokens = self._costs.of_request(request)
        prices = self._prices if self.bounds_costs else None
        return Quote(prices, model, request, prompt=max(tokens, run.tokens_of_last_call))


def _make_spender(root: ActiveRun) -> Spender:
    context = root.hook_context
    return Spender(
        reservation_id=f"{root.run_id}/{urandom(12).hex()}",
        run_id=root.run_id,
        user_id=context.user_id,
        tenant_id=(context.tenant_id or "").strip() or None,
        agent=root.agent,
    )


def _stop(answer: BudgetRefused | Failed | None) -> RunStoppedError:
    if isinstance(answer, Failed):
        return RunStoppedError(AgentErrorCode.UNAVAILABLE)
    reason = answer.reason if answer is not None else ""
    return RunStoppedError(AgentErrorCode.LIMIT_REACHED, reason or None)


def _within(request: ChatRequest, *, room: int, is_last: bool) -> ChatRequest:
    """The request with no more room for the answer than there is."""
    choice = "none" if is_last and request.tools else request.tool_choice
    bound = request.max_output_tokens
    if choice == request.tool_choice and bound is not None and bound <= room:
        return request
    return replace(
        request, max_output_tokens=room if bound is None else min(bound, room), tool_choice=choice
    )
