"""The account of a run and of all runs below it: spent, in flight, and free; and its meters."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field
from decimal import Decimal
from math import inf

from arc_core.engine.boundary.boundary import Failed
from arc_core.engine.models.models import Prices, RunModel
from arc_core.engine.models.token_costs import TokenCosts, has_counted, list_texts
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.budgets import Amount, BudgetRefused, Reserved, Spender
from arc_core.interfaces.models.chat_model import ChatDelta, ChatRequest, ChatResponse
from arc_core.usage import TokenUsage

NOTHING = Amount()
FREE = Decimal(0)


def add(one: Amount, other: Amount) -> Amount:
    """Both together."""
    return Amount(tokens=one.tokens + other.tokens, cost=one.cost + other.cost)


def subtract(one: Amount, other: Amount) -> Amount:
    """Return the rest of the first; never less than nothing."""
    return Amount(
        tokens=max(0, one.tokens - other.tokens), cost=max(Decimal(0), one.cost - other.cost)
    )


def total(amounts: Iterable[Amount], *, start: Amount = NOTHING) -> Amount:
    """All together."""
    sum_so_far = start
    for each in amounts:
        sum_so_far = add(sum_so_far, each)
    return sum_so_far


def covers(one: Amount, other: Amount) -> bool:
    """Return True if the first is enough for the other."""
    return one.tokens >= other.tokens and one.cost >= other.cost


@dataclass(slots=True, eq=False)
class InFlight:
    """A request on its way.

    Attributes:
        prompt: What is sent, as estimated.
        whole: The same, with what the answer may take.
    """

    prompt: Amount
    whole: Amount

    @property
    def room(self) -> Amount:
        """The amount that the answer may take."""
        return subtract(self.whole, self.prompt)


@dataclass(slots=True, kw_only=True, eq=False)
class RunAccount:
    """The account of one run in one life; all runs below it share it.

    Nothing in it awaits, so that no run sees another one's change half made.

    Attributes:
        root: The run that a program has started.
        spender: As the budgets know it.
        is_reported_at_once: Whether the run goes on only once the budgets know what it has spent.
        lock: Held while the budgets are asked, so that they hear of what was spent in its order.
        is_reserved: Whether they may hold something for it.
        is_unbounded: Whether nothing bounds it, as the budgets say.
        spent: By all calls that have ended.
        ceiling: What may be spent in all.
        in_flight: The requests that have not ended.
        used_ratio: Of the budget that is used most.
        limit: Names that budget.
        renew_within_s: How long what is held stays without a call; None if for ever.
        touched: When the budgets were asked last, by the clock of the event loop.
        next_renewal_at: No earlier than that, if the last renewal has failed; by the same clock.
        quote: Of the request that was held last.
        report_at: When the budgets are to hear what was spent since; never if they know it all.
        failure: Of the budgets, when they were asked last; None if they have answered.
        failed_at: When that was, by the same clock.
        has_warned: Whether it was logged that the cheaper model does not do.
    """

    root: ActiveRun
    spender: Spender
    is_reported_at_once: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_reserved: bool = False
    is_unbounded: bool = False
    spent: Amount = NOTHING
    ceiling: Amount = NOTHING
    in_flight: set[InFlight] = field(default_factory=set)
    used_ratio: float = 0.0
    limit: str = ""
    renew_within_s: float | None = None
    touched: float = 0.0
    next_renewal_at: float = 0.0
    quote: "Quote | None" = None
    report_at: float = inf
    failure: Failed | None = None
    failed_at: float = 0.0
    has_warned: bool = False

    @property
    def needs_reservation(self) -> bool:
        """True if the budgets have not been asked yet."""
        return not (self.is_unbounded or self.is_reserved)

    @property
    def reported(self) -> Amount:
        """The amount reported as spent: by what has ended, and by what was sent."""
        if not self.in_flight:
            return self.spent
        return total([each.prompt for each in self.in_flight], start=self.spent)

    @property
    def room(self) -> Amount:
        """The amount that the answers of requests in flight may take."""
        return total([each.room for each in self.in_flight])

    @property
    def free(self) -> Amount:
        """The amount that another request may spend."""
        return subtract(self.ceiling, self._committed)

    @property
    def _committed(self) -> Amount:
        if not self.in_flight:
            return self.spent
        return total([each.whole for each in self.in_flight], start=self.spent)

    def has_free(self, amount: Amount) -> bool:
        """Return True if another request may spend as much."""
        ceiling, committed = self.ceiling, self._committed
        has_tokens = committed.tokens + amount.tokens <= ceiling.tokens
        return has_tokens and committed.cost + amount.cost <= ceiling.cost

    @property
    def is_kept(self) -> bool:
        """True if the reservation is surely still held."""
        within_s = self.renew_within_s
        if within_s is None:
            return True
        return asyncio.get_running_loop().time() < self.touched + within_s

    def end(self, in_flight: InFlight, *, spent: Amount) -> None:
        """A request has ended."""
        self.in_flight.discard(in_flight)
        self.spent = add(self.spent, spent)

    def take(self, answer: Reserved | BudgetRefused, *, reported: Amount, asked_at: float) -> None:
        """Note what the budgets have answered.

        Args:
            answer: To a call of `reserve` or `extend`.
            reported: The amount that they were given as spent.
            asked_at: When the call began, by the clock of the event loop.
        """
        if isinstance(answer, BudgetRefused):
            if not self.is_kept:  # it has ended by itself, and was not made again
                self.ceiling = reported
            return
        self.touched, self.renew_within_s = asked_at, answer.renew_within_s
        self.ceiling = add(reported, answer.held)
        self.used_ratio, self.limit = answer.used_ratio, answer.limit


@dataclass(slots=True, eq=False)
class Quote:
    """The amounts of one call, by how long its answer may be.

    Attributes:
        prices: None if costs are not bounded.
        request: What is asked, which names the model as the vendor does.
        prompt: Tokens of the request.
    """

    prices: Prices | None
    model: RunModel
    request: ChatRequest
    prompt: int

    def of(self, completion: int) -> Amount:
        """The whole call; with 0 its prompt alone.

        Raises:
            RunStoppedError: Costs are bounded, and the price is not known.
        """
        cost = FREE if self.prices is None else self._ask(self.prices, completion)
        return Amount(tokens=self.prompt + completion, cost=cost)

    def get_cost(self, usage: TokenUsage) -> Decimal | None:
        """Return what the call has cost; None if the price is not known."""
        if self.prices is None:
            return FREE
        return self.prices.get_cost(self.model, self.request.model, usage)

    def room_within(self, free: Amount, *, most: int) -> int:
        """Return the tokens of the answer; 0 or less if there is not enough for the prompt."""
        room = min(most, free.tokens - self.prompt)
        if room < 1 or covers(free, self.of(room)):
            return room
        low, high = 0, room  # costs grow with the answer, by steps that the price may have
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if covers(free, self.of(middle)) else (low, middle)
        return low

    def _ask(self, prices: Prices, completion: int) -> Decimal:
        cost = prices.get_highest_cost(
            self.model, self.request.model, prompt=self.prompt, completion=completion
        )
        if cost is None:
            raise RunStoppedError(
                AgentErrorCode.INVALID_INPUT,
                f"The budget of costs cannot be kept: the model {self.model.known_as!r} has no "
                "price.",
            )
        return cost


@dataclass(slots=True, eq=False)
class Meter:
    """Notes what an attempt has spent when it ends: `with meter: meter.response = await …`.

    It awaits nothing, so that an attempt that is cancelled is counted, too.

    Attributes:
        quote: By which the request was let through.
        is_refusal: Whether by an exception the vendor says that it has computed nothing.
        response: What the model has answered, if it has.
    """

    account: RunAccount
    in_flight: InFlight
    quote: Quote
    _: KW_ONLY
    request: ChatRequest
    costs: TokenCosts
    is_refusal: Callable[[Exception], bool]
    response: ChatResponse | None = field(default=None, init=False)
    _received: list[str] = field(default_factory=list, init=False)
    _usage: TokenUsage | None = field(default=None, init=False)

    def watch(self, stream: AsyncIterator[ChatDelta]) -> "AsyncIterator[ChatDelta]":
        """The same stream; what comes out of it is noted."""
        return _Watched(stream, self)

    def note(self, delta: ChatDelta) -> None:
        """Keep what an answer that does not end has to be paid by."""
        received = self._received
        if delta.text:
            received.append(delta.text)
        if delta.reasoning:
            received.append(delta.reasoning)
        for call in delta.tool_calls:
            received += (call.name or "", call.arguments or "")
        if has_counted(delta.usage):
            self._usage = delta.usage

    def __enter__(self) -> None:
        pass

    def __exit__(self, cls: object, error: BaseException | None, traceback: object) -> None:
        self.account.end(self.in_flight, spent=self._measure(error))

    def _measure(self, error: BaseException | None) -> Amount:
        response = self.response
        if error is None and response is not None:
            usage = response.usage
            if usage is None or not has_counted(usage):
                usage = self._estimate(list_texts(response.message))
            return self._amount(usage)
        has_begun = bool(self._received) or self._usage is not None
        if isinstance(error, Exception) and not has_begun and self.is_refusal(error):
            return NOTHING
        return self._amount(self._estimate(self._received))

    def _estimate(self, texts: list[str]) -> TokenUsage:
        """Return the tokens sent and received, as counted by the vendor so far, or estimated."""
        received = self.costs.of_text("".join(texts)) if texts else 0
        counted = self._usage
        if counted is None:
            return TokenUsage(self.in_flight.prompt.tokens, received)
        return TokenUsage(
            counted.prompt_tokens or self.in_flight.prompt.tokens,
            max(counted.completion_tokens, received),
            counted.cached_tokens,
            counted.cache_write_tokens,
        )

    def _amount(self, usage: TokenUsage) -> Amount:
        cost = self.quote.get_cost(usage)
        if cost is None:  # then no less than was asked for
            cost = self.in_flight.whole.cost
        return Amount(tokens=usage.total_tokens, cost=cost)


class _Watched(AsyncIterator[ChatDelta]):
    """A stream of which a meter sees every delta."""

    __slots__ = ("_meter", "_stream")

    def __init__(self, stream: AsyncIterator[ChatDelta], meter: Meter) -> None:
        self._stream, self._meter = stream, meter

    async def __anext__(self) -> ChatDelta:
        delta = await anext(self._stream)
        self._meter.note(delta)
        return delta
