"""Reserves before a model is asked, holds more as a run goes on, and settles at its end."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from uuid import uuid4

from arc_core.engine.components.boundary import Failed
from arc_core.engine.components.budget_calls import BudgetCalls
from arc_core.engine.components.models import RunModel
from arc_core.engine.components.prices import Prices
from arc_core.engine.components.token_costs import TokenCosts
from arc_core.engine.run_limits import tokens_left
from arc_core.engine.run_state import Run, RunStoppedError
from arc_core.engine.spending.amounts import NOTHING, add, covers, subtract
from arc_core.engine.spending.debts import Debts
from arc_core.engine.spending.meter import Meter
from arc_core.engine.spending.quote import Quote
from arc_core.engine.spending.renewals import Renewals
from arc_core.engine.spending.tab import Sent, Tab
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.budgets import Amount, BudgetRefused, Reserved, Spender
from arc_core.interfaces.chat_model import ChatRequest
from arc_core.log import get_logger
from arc_core.settings import BudgetSettings, OnBudgetFailure
from arc_core.usage import TokenUsage

__all__ = ["Spending"]

logger = get_logger("budgets")

_UNBOUNDED_TOKENS = 2**53
_QUIET_S = 2.0
"""After a failure, a run that may go on without budgets asks them no more for so long."""

_TRIES_FOR_THE_REST = 3

Answer = Reserved | BudgetRefused | Failed


class Spending:
    """Keeps a tab for each run that a program has started; the runs below it spend from that, too.

    Args:
        budgets: Keep what all runs spend.
        prices: Say what tokens cost.
        costs: Estimates tokens.
        settings: How much is reserved, and what a failure means.

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
        self._tabs: dict[int, Tab] = {}
        self._renewals = Renewals(self._renew)
        self._debts = Debts(lambda spender, spent: budgets.settle(spender, spent=spent))
        self.is_bounding = budgets.bounds_tokens or budgets.bounds_costs
        self.bounds_costs, self._bounds_tokens = budgets.bounds_costs, budgets.bounds_tokens

    async def open(self, run: Run, model: RunModel, request: ChatRequest) -> Tab | None:
        """The tab that a call is put on; None if nothing bounds the run.

        The first call of a run and of those below it reserves.

        Args:
            run: That asks.
            model: Who is to be asked.
            request: What.

        Raises:
            RunStoppedError: There is not enough left, or the budgets could not be asked.
        """
        root = run.root
        tab = self._tabs.get(id(root))
        if tab is None:
            tab = self._tabs[id(root)] = Tab(root=root, spender=_spender_of(root))
        if tab.needs_reservation:
            async with tab.lock:
                if tab.needs_reservation:  # no other call has meanwhile
                    await self._reserve(tab, run, self._quote(run, model, request))
        return None if tab.is_unbounded else tab

    async def begin(
        self,
        tab: Tab,
        run: Run,
        model: RunModel,
        *,
        request: ChatRequest,
        is_refusal: Callable[[Exception], bool],
    ) -> Meter:
        """Hold what an attempt needs; its request may get less room for the answer.

        Args:
            tab: Of the run.
            run: That asks.
            model: Who is asked.
            request: What.
            is_refusal: Whether by an exception the vendor says that it has computed nothing.

        Raises:
            RunStoppedError: There is not enough left, or the budgets could not be asked.
        """
        quote = self._quote(run, model, request)
        most = self._most_completion(run, model, request, prompt=quote.prompt)
        async with tab.lock:
            refusal = None
            if not covers(tab.free, quote.of(most)):
                refusal = await self._hold_more(tab, quote, most=most)
            room = most
            if self._is_strict or not isinstance(refusal, Failed):
                room = quote.room_within(tab.free, most=most)
                if room < 1 or (isinstance(refusal, Failed) and not tab.is_kept):
                    raise _stop(refusal)
            sent = Sent(quote.of_prompt, quote.of_completion(room))
            if isinstance(refusal, Failed):  # the same question would only fail again
                tab.on_the_way.add(sent)
            else:
                await self._tell_of(tab, sent)
        is_last = isinstance(refusal, BudgetRefused)
        return Meter(
            tab,
            sent,
            request=_within(request, room=room, is_last=is_last),
            costs=self._costs,
            cost_of=lambda usage: self._cost_of(model, request, usage),
            is_refusal=is_refusal,
        )

    async def tell(self, tab: Tab) -> None:
        """Tell the budgets what was spent, so that it counts even if the process is killed."""
        async with tab.lock:
            # What was sent may have been estimated too high; the run keeps the difference.
            kept = subtract(tab.ceiling, tab.told) if tab.is_kept else NOTHING
            tokens = max(tab.room.tokens, kept.tokens if self._bounds_tokens else 0)
            hold = Amount(tokens=tokens, cost=max(tab.room.cost, kept.cost))
            await self._extend(tab, hold=hold)

    async def settle(self, run: Run) -> None:
        """Count what a run has spent, and give back the rest; nothing for a run below another.

        Raises:
            asyncio.CancelledError: The budgets raised it.
        """
        tab = self._tabs.pop(id(run), None)
        if tab is None or not tab.is_reserved:
            return
        self._renewals.remove(tab)
        async with tab.lock:
            if await self._budgets.settle(tab.spender, spent=tab.told) is not None:
                self._debts.add(tab.spender, spent=tab.told)

    async def aclose(self) -> None:
        """End the renewals, and try once more to settle what could not be settled."""
        try:
            await self._renewals.aclose()
        finally:
            await self._debts.aclose()

    async def _reserve(self, tab: Tab, run: Run, quote: Quote) -> None:
        least = quote.of(1)
        left = tokens_left(tab.root)
        wanted = self._settings.reserve_tokens if left is None else left
        amount = quote.of(max(1, wanted - quote.prompt))
        asked_at = asyncio.get_running_loop().time()
        tab.is_reserved = True  # if this is cancelled, it may have been done
        answer = await self._budgets.reserve(tab.spender, amount=amount, least=least)
        if isinstance(answer, Reserved):
            tab.take(self._read(answer), told=NOTHING, asked_at=asked_at)
            self._renewals.add(tab)
            return
        if answer is None:
            tab.is_unbounded, tab.is_reserved = True, False
            return
        if isinstance(answer, Failed) and not self._is_strict:
            tab.failure, tab.failed_at = answer, asyncio.get_running_loop().time()
            logger.warning(
                "the budgets are away, and nothing bounds the run until they are back",
                run_id=run.run_id,
            )
            return
        tab.is_reserved = False
        if isinstance(answer, Failed) and _may_have_reserved(answer):
            self._debts.add(tab.spender, spent=NOTHING)
            tab.spender = _spender_of(tab.root)  # for another call of the tree, if there is one
        raise _stop(answer)

    async def _hold_more(
        self, tab: Tab, quote: Quote, *, most: int
    ) -> BudgetRefused | Failed | None:
        """Hold what an answer needs, else less; None if it is held.

        Args:
            tab: That is locked.
            quote: What the call costs.
            most: Tokens of the answer.
        """
        answer: Answer | None = None
        less = min(most, max(1, self._settings.reserve_tokens // 2))
        for completion in dict.fromkeys((most, less)):
            needed = quote.of(completion)
            answer = await self._extend(tab, hold=add(tab.room, needed))
            if isinstance(answer, Failed):
                return answer
            if isinstance(answer, Reserved) and covers(tab.free, needed):
                return None
        if not isinstance(answer, BudgetRefused):
            return BudgetRefused(reason="")
        rest = await self._hold_rest(tab, answer)
        return rest if isinstance(rest, Failed) else answer

    async def _hold_rest(self, tab: Tab, refusal: BudgetRefused) -> Answer:
        """Hold what is left, for the last answer; again if others were quicker."""
        answer: Answer = refusal
        for _ in range(_TRIES_FOR_THE_REST):
            left = answer.left if isinstance(answer, BudgetRefused) else None
            if left is None or left == NOTHING:
                break
            answer = await self._extend(tab, hold=add(subtract(tab.ceiling, tab.told), left))
        return answer

    async def _tell_of(self, tab: Tab, sent: Sent) -> None:
        """Count what is about to be sent.

        Raises:
            RunStoppedError: What was held has ended by itself, and cannot be had again.
        """
        tab.on_the_way.add(sent)
        is_sent = False
        try:
            answer = await self._extend(tab, hold=tab.room)
            if isinstance(answer, BudgetRefused):
                raise _stop(answer)
            if isinstance(answer, Failed) and self._is_strict and not tab.is_kept:
                raise _stop(answer)
            is_sent = True
        finally:
            if not is_sent:
                tab.on_the_way.discard(sent)

    async def _extend(self, tab: Tab, *, hold: Amount) -> Answer:
        told, asked_at = tab.told, asyncio.get_running_loop().time()
        if tab.failure and not self._is_strict and asked_at < tab.failed_at + _QUIET_S:
            return tab.failure
        answer = await self._budgets.extend(tab.spender, spent=told, hold=hold)
        if isinstance(answer, Failed):
            tab.failure, tab.failed_at = answer, asyncio.get_running_loop().time()
            return answer
        tab.failure = None
        tab.take(self._read(answer), told=told, asked_at=asked_at)
        if self._tabs.get(id(tab.root)) is tab:  # not if it is settled meanwhile
            self._renewals.add(tab)
        return answer

    def _read(self, answer: Reserved | BudgetRefused) -> Reserved | BudgetRefused:
        """The answer; where tokens are not bounded, with as many of them as one can want."""
        if self._bounds_tokens or isinstance(answer, BudgetRefused):
            return answer
        return replace(answer, held=replace(answer.held, tokens=_UNBOUNDED_TOKENS))

    async def _renew(self, tab: Tab) -> None:
        if not tab.lock.locked():  # else it is asked at the moment
            await self.tell(tab)

    def _quote(self, run: Run, model: RunModel, request: ChatRequest) -> Quote:
        prompt = max(self._costs.of_request(request), run.tokens_of_last_call)
        return Quote(
            self._prices if self.bounds_costs else None, model, request.model, prompt=prompt
        )

    def _most_completion(
        self, run: Run, model: RunModel, request: ChatRequest, *, prompt: int
    ) -> int:
        """How many tokens the answer may have at most, at least 1."""
        bound = request.max_output_tokens or model.llm.max_output_tokens
        left = tokens_left(run)
        return bound if left is None else max(1, min(bound, left - prompt))

    def _cost_of(self, model: RunModel, request: ChatRequest, usage: TokenUsage) -> Decimal | None:
        if not self.bounds_costs:
            return Decimal(0)
        return self._prices.cost_of(model, request.model, usage)


def _spender_of(root: Run) -> Spender:
    context = root.hook_context
    return Spender(
        reservation_id=f"{root.run_id}/{uuid4().hex}",
        run_id=root.run_id,
        user_id=context.user_id,
        tenant_id=(context.tenant_id or "").strip() or None,
        agent=root.agent,
    )


def _may_have_reserved(answer: Failed) -> bool:
    """Whether the budgets may have done what they were asked, and only the answer is missing."""
    return answer.timed_out or isinstance(answer.error, TimeoutError)


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
