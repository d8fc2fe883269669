"""Reserves before a model is asked, holds more as a run goes on, and settles at its end."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import uuid4

from arc_core.engine.boundary.boundary import Failed
from arc_core.engine.models.models import Prices, RunModel
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.run_limits import tokens_left
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.engine.spending.budget_calls import BudgetCalls
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
from arc_core.interfaces.budgets import Amount, BudgetRefused, Reserved, Spender
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.log import get_logger
from arc_core.settings import BudgetSettings, OnBudgetFailure
from arc_core.timing.cancellation import wait_despite_cancellation
from arc_core.usage import TokenUsage

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
    """

    def __init__(
        self, budgets: BudgetCalls, *, prices: Prices, costs: TokenCosts, settings: BudgetSettings
    ) -> None:
        self._budgets = budgets
        self._prices = prices
        self._costs = costs
        self._settings = settings
        self._is_strict = settings.on_failure is OnBudgetFailure.REJECT
        self._accounts: dict[int, RunAccount] = {}
        self._renewals = Renewals(self._renew)
        self._unsettled = UnsettledRuns(lambda spender, spent: budgets.settle(spender, spent=spent))
        self.is_bounding = budgets.bounds_tokens or budgets.bounds_costs
        self.bounds_costs, self._bounds_tokens = budgets.bounds_costs, budgets.bounds_tokens

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
            account = self._accounts[id(root)] = RunAccount(root=root, spender=_make_spender(root))
        if account.needs_reservation:
            async with account.lock:
                if account.needs_reservation:  # no other call has meanwhile
                    await self._reserve(account, run, self._quote(run, model, request))
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

        Args:
            account: Of the run.
            run: That asks.
            model: Who is asked.
            request: What.
            is_refusal: Whether by an exception the vendor says that it has computed nothing.

        Raises:
            RunStoppedError: There is not enough left, or the budgets could not be asked.
        """
        quote = self._quote(run, model, request)
        most = request.max_output_tokens or model.llm.max_output_tokens
        if (left := tokens_left(run)) is not None:
            most = max(1, min(most, left - quote.prompt))
        async with account.lock:
            refusal = None
            if not covers(account.free, quote.of(most)):
                refusal = await self._hold_more(account, quote, most=most)
            room = most
            if self._is_strict or not isinstance(refusal, Failed):
                room = quote.room_within(account.free, most=most)
                if room < 1 or (isinstance(refusal, Failed) and not account.is_kept):
                    raise _stop(refusal)
            in_flight = InFlight(quote.of_prompt, quote.of_completion(room))
            if isinstance(refusal, Failed):  # the same question would only fail again
                account.in_flight.add(in_flight)
            else:
                await self._report_request(account, in_flight)
        is_last = isinstance(refusal, BudgetRefused)
        return Meter(
            account,
            in_flight,
            request=_within(request, room=room, is_last=is_last),
            costs=self._costs,
            cost_of=lambda usage: self._get_cost(model, request, usage),
            is_refusal=is_refusal,
        )

    async def report(self, account: RunAccount) -> None:
        """Tell the budgets what was spent, so that it counts even if the process is killed."""
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
        self._renewals.remove(account)
        async with account.lock:
            if await self._budgets.settle(account.spender, spent=account.reported) is not None:
                self._unsettled.add(account.spender, spent=account.reported)

    async def aclose(self) -> None:
        """End the renewals, and try once more to settle what could not be settled."""
        try:
            await self._renewals.aclose()
        finally:
            await self._unsettled.aclose()

    async def _reserve(self, account: RunAccount, run: ActiveRun, quote: Quote) -> None:
        least = quote.of(1)
        left = tokens_left(account.root)
        wanted = self._settings.reserve_tokens if left is None else left
        amount = quote.of(max(1, wanted - quote.prompt))
        asked_at = asyncio.get_running_loop().time()
        account.is_reserved = True  # if this is cancelled, it may have been done
        answer = await self._budgets.reserve(account.spender, amount=amount, least=least)
        if isinstance(answer, Reserved):
            account.take(self._read(answer), reported=NOTHING, asked_at=asked_at)
            self._renewals.add(account)
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

    async def _hold_more(
        self, account: RunAccount, quote: Quote, *, most: int
    ) -> BudgetRefused | Failed | None:
        """Hold what an answer needs, else less; None if it is held.

        Args:
            account: That is locked.
            quote: What the call costs.
            most: Tokens of the answer.
        """
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
        answer = await self._budgets.extend(account.spender, spent=reported, hold=hold)
        if isinstance(answer, Failed):
            account.failure, account.failed_at = answer, asyncio.get_running_loop().time()
            return answer
        account.failure = None
        account.take(self._read(answer), reported=reported, asked_at=asked_at)
        if self._accounts.get(id(account.root)) is account:  # not if it is settled meanwhile
            self._renewals.add(account)
        return answer

    def _read(self, answer: Reserved | BudgetRefused) -> Reserved | BudgetRefused:
        """The answer; where tokens are not bounded, with as many of them as one can want."""
        if self._bounds_tokens or isinstance(answer, BudgetRefused):
            return answer
        return replace(answer, held=replace(answer.held, tokens=_UNBOUNDED_TOKENS))

    async def _renew(self, account: RunAccount) -> None:
        if not account.lock.locked():  # else it is asked at the moment
            await self.report(account)

    def _quote(self, run: ActiveRun, model: RunModel, request: ChatRequest) -> Quote:
        prompt = max(self._costs.of_request(request), run.tokens_of_last_call)
        return Quote(
            self._prices if self.bounds_costs else None, model, request.model, prompt=prompt
        )

    def _get_cost(self, model: RunModel, request: ChatRequest, usage: TokenUsage) -> Decimal | None:
        if not self.bounds_costs:
            return Decimal(0)
        return self._prices.get_cost(model, request.model, usage)


def _make_spender(root: ActiveRun) -> Spender:
    context = root.hook_context
    return Spender(
        reservation_id=f"{root.run_id}/{uuid4().hex}",
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
        request,
        max_output_tokens=room if bound is None else min(bound, room),
        tool_choice=choice,
    )
