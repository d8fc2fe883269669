"""One question to the model, whole or streamed, with retries, its circuit and its fallbacks."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any

from arc_core.cancellation import leave_if_cancelled
from arc_core.engine.answer import Said
from arc_core.engine.components import policies
from arc_core.engine.components.boundary import Boundary
from arc_core.engine.components.circuit import Passage
from arc_core.engine.components.containment import contain
from arc_core.engine.components.model_fit import ModelFit
from arc_core.engine.components.models import Models, RunModel
from arc_core.engine.components.output_guards import OutputGuards
from arc_core.engine.run_state import Run, RunStoppedError
from arc_core.engine.spending.meter import Meter
from arc_core.engine.spending.purse import Purse
from arc_core.engine.spending.tab import Tab
from arc_core.engine.turns.failure import Failure, classify
from arc_core.engine.turns.guarded_stream import GuardedStream
from arc_core.engine.turns.retry import RetryPolicy
from arc_core.engine.turns.stream_assembly import StreamAssembly
from arc_core.errors import AgentErrorCode, InvalidResponseError, ModelUnavailableError
from arc_core.interfaces.agent_metrics import AgentMetrics, ModelCallRecord
from arc_core.interfaces.chat_model import ChatDelta, ChatModel, ChatRequest, ChatResponse
from arc_core.log import get_logger

__all__ = ["ModelCall"]

logger = get_logger("model")

_FALLS_BACK_FROM = frozenset(
    {
        AgentErrorCode.UNAVAILABLE,
        AgentErrorCode.OVERLOADED,
        AgentErrorCode.RATE_LIMITED,
        AgentErrorCode.TIMEOUT,
        AgentErrorCode.AUTHENTICATION,
    }
)


_COSTS_NOTHING = frozenset(
    {
        AgentErrorCode.RATE_LIMITED,
        AgentErrorCode.UNAVAILABLE,
        AgentErrorCode.OVERLOADED,
        AgentErrorCode.AUTHENTICATION,
        AgentErrorCode.CONTEXT_TOO_LONG,
        AgentErrorCode.INVALID_INPUT,
    }
)
"""What a vendor refuses with before it has computed anything."""


class ModelCall:
    """Asks the chat model: `complete` for `execute()`, `stream` where text is handed out.

    Args:
        models: Those that a run may ask.
        fit: Knows which of their fallbacks can take a request.
        guards: Say what of an answer may leave.
        boundary: Closes its streams.
        retries: When a failure is tried again; a stream only until something was handed out. After
            them the model's circuit is told, and the next of its fallbacks is asked.
        metrics: Told of each call.
        purse: Pays for each.
    """

    def __init__(
        self,
        models: Models,
        *,
        fit: ModelFit,
        guards: OutputGuards,
        boundary: Boundary,
        retries: RetryPolicy,
        metrics: AgentMetrics,
        purse: Purse,
    ) -> None:
        self._models = models
        self._fit = fit
        self._guards = guards
        self._boundary = boundary
        self._retries = retries
        self._metrics = metrics
        self._purse = purse

    async def ask(self, run: Run, request: ChatRequest) -> Said:
        """The model's answer; a streaming run has handed out its text by then.

        Raises:
            RunStoppedError: An output guard rejects it.
            Exception: What the chat model raised last.
        """
        return await self._take(run, request, streams=run.streaming)

    async def ask_whole(self, run: Run, request: ChatRequest) -> Said:
        """The model's answer, of which nothing is handed out in a streaming run either.

        Raises:
            RunStoppedError: An output guard rejects it.
            Exception: What the chat model raised last.
        """
        return await self._take(run, request, streams=False)

    def _take(self, run: Run, request: ChatRequest, *, streams: bool) -> Coroutine[Any, Any, Said]:
        """Ask as a step, if the run has a journal."""
        if run.steps is None:
            return self._ask(run, request, streams=streams)
        return run.steps.ask_model(
            lambda: self._ask(run, request, streams=streams), streams=streams
        )

    async def _ask(self, run: Run, request: ChatRequest, *, streams: bool) -> Said:
        model = self._models.of(run.command)
        call = _Call(run, model, request, fallbacks=model.fallbacks)
        if self._purse.spending.is_bounding:
            tab = call.tab = await self._purse.spending.open(run, model, request)
            if tab is not None:
                call = self._choose_by_budget(call, tab)
        while True:
            try:
                response = await self._ask_model(call, streams=streams)
                return await self._check(call, response)
            except _FallBackError as failed:
                run.repeatable = False  # another run may be answered by the model itself
                call = failed.next_call

    async def _ask_model(self, call: "_Call", *, streams: bool) -> ChatResponse:
        """The answer of one model, with its retries, if its circuit lets the call through."""
        run, model = call.run, call.model
        _name_in(run, model, call.request)
        # Neither asked nor told while all is well, since every call comes by.
        passage = Passage.FREE if model.circuit.opened_at is None else model.circuit.enter()
        if passage is Passage.REFUSED:
            told = f"the model {model.known_as} has failed often and is not asked for now"
            error = ModelUnavailableError(told)
            if (next_call := self._move_on(call, Failure(error.code))) is not None:
                raise _FallBackError(next_call) from error
            raise error
        try:
            response = await self._ask_with_retries(call, streams=streams)
        finally:
            if call.failed_with is not None or passage is Passage.TRIAL:
                model.circuit.leave(passage, failed_with=call.failed_with)
        cost = self._purse.prices.cost_of(model, call.request.model, response.usage)
        run.add_cost(cost)
        self._record(call, response=response, cost=cost)
        return response

    async def _ask_with_retries(self, call: "_Call", *, streams: bool) -> ChatResponse:
        while True:
            meter = None
            if call.tab is not None:
                meter = await self._begin_metered(call, call.tab)
            call.attempts += 1
            try:
                response = await self._ask_once(call, meter, streams=streams)
            except RunStoppedError:  # a guard has seen enough of a stream
                raise
            except Exception as error:  # retried, or raised again
                leave_if_cancelled()
                failure, attempt = classify(error), call.attempts
                if call.has_handed_out or not self._retries.allows(failure, attempt=attempt):
                    if (next_call := self._move_on(call, failure)) is not None:
                        raise _FallBackError(next_call) from error
                    raise
                logger.warning("model call is retried", attempt=attempt, code=failure.code.value)
                await self._retries.wait(failure, attempt=attempt)
            else:
                leave_if_cancelled()
                call.failed_with = None
                return response

    def _move_on(self, call: "_Call", failure: Failure) -> "_Call | None":
        """Record a failure, and go on to the next model; None if there is no other to be asked."""
        call.failed_with = failure.code
        next_call = None
        if failure.code in _FALLS_BACK_FROM and not call.has_handed_out:
            next_call = self._next_call(call)
        if next_call is None:
            self._record(call, failure=failure)
            return None
        names = {"model": call.model.known_as, "fallback": next_call.model.known_as}
        logger.warning("another model is asked", code=failure.code.value, **names)
        self._record(call, failure=failure, fallback=names["fallback"])
        return next_call

    def _next_call(self, call: "_Call") -> "_Call | None":
        """The same question to the next model that can take it."""
        own = self._models.of(call.run.command)
        for place, fallback in enumerate(call.fallbacks, 1):
            flaw = self._fit.flaw_of(call.request, fallback, made_for=own)
            if flaw is None:
                request, rest = fallback.adapt(call.request), call.fallbacks[place:]
                return _Call(call.run, fallback, request, fallbacks=rest, tab=call.tab)
            logger.warning(
                "a fallback is left out, since it cannot take the request",
                model=fallback.known_as,
                reason=flaw,
            )
        return None

    async def _ask_once(self, call: "_Call", meter: Meter | None, *, streams: bool) -> ChatResponse:
        if meter is None:
            return await self._ask_chat_model(call, call.request, streams=streams)
        with meter:
            meter.response = await self._ask_chat_model(
                call, meter.request, streams=streams, meter=meter
            )
        await self._purse.spending.tell(meter.tab)
        return meter.response

    async def _ask_chat_model(
        self, call: "_Call", request: ChatRequest, *, streams: bool, meter: Meter | None = None
    ) -> ChatResponse:
        with contain():  # the run's deadline is its time-out
            if streams:
                return await self._stream(call, request, meter=meter)
            response: object = await call.model.chat_model.complete(request)
        if isinstance(response, ChatResponse):
            return response
        raise InvalidResponseError(f"complete() returned {type(response).__name__}")

    async def _stream(
        self, call: "_Call", request: ChatRequest, *, meter: Meter | None
    ) -> ChatResponse:
        read = partial(self._read, call.model.chat_model, request, meter=meter)
        if not self._guards:
            return await read(take=partial(_hand_out, call.run))
        guarded = GuardedStream(call.run, self._guards)
        response = await guarded.hand_out(partial(read, take=guarded.take))
        call.left = guarded.left
        return response

    async def _begin_metered(self, call: "_Call", tab: Tab) -> Meter:
        return await self._purse.spending.begin(
            tab, call.run, call.model, request=call.request, is_refusal=_is_refusal
        )

    def _choose_by_budget(self, call: "_Call", tab: Tab) -> "_Call":
        """The same question to the model that the budget leaves."""
        run, own = call.run, call.model
        model = self._purse.soft_limit.choose(tab, run, own, request=call.request)
        if model is own:
            return call
        # If that is down, being answered goes before being cheap.
        others = [each for each in model.fallbacks if each.known_as != own.known_as]
        request = model.adapt(call.request)
        return _Call(run, model, request, fallbacks=(*others, own), tab=tab)

    async def _read(
        self,
        chat_model: ChatModel,
        request: ChatRequest,
        *,
        meter: Meter | None,
        take: Callable[[AsyncIterator[ChatDelta]], Awaitable[ChatResponse]],
    ) -> ChatResponse:
        """Open a stream, have it taken, and close it."""
        stream = chat_model.stream(request)
        if meter is not None:
            stream = meter.watch(stream)
        try:
            return await take(stream)
        finally:
            close = getattr(stream, "aclose", None)
            if close is not None:
                await self._boundary.call(policies.CHAT_STREAM_CLOSE, chat_model, close)

    async def _check(self, call: "_Call", response: ChatResponse) -> Said:
        """What of an answer may leave; of text that ends a run, its last stage asks."""
        run, message, content = call.run, response.message, call.left
        if not self._guards:
            return Said.of(response)
        if content is None and message.tool_calls:
            content = await self._guards.check_turn(run, message.content)
        shown = await self._guards.check_message(
            run,
            message,
            content=message.content if content is None else content,
            tools={tool.name for tool in call.request.tools},
        )
        response = replace(response, message=shown)
        return Said(message=message, shown=response, checked=content)

    def _record(
        self,
        call: "_Call",
        *,
        response: ChatResponse | None = None,
        failure: Failure | None = None,
        fallback: str | None = None,
        cost: Decimal | None = None,
    ) -> None:
        run, model = call.run, call.model
        self._metrics.record_model_call(
            ModelCallRecord(
                model=run.vendor_model,
                attempts=call.attempts,
                error_code=failure.code if failure else None,
                duration_ms=(time.perf_counter() - call.began) * 1000,
                token_usage=response.usage if response else None,
                provider=run.provider,
                finish_reason=response.finish_reason if response else None,
                name=model.name,
                cost=cost,
                fallback=fallback,
            )
        )


class _FallBackError(Exception):
    """The next model is to be asked; never leaves this module."""

    def __init__(self, next_call: "_Call") -> None:
        super().__init__()
        self.next_call = next_call


class _Call:
    """A question on its way to one model.

    Args:
        run: Whose question it is.
        model: Who is asked.
        request: The question.
        fallbacks: Who is asked in turn if that model is down.
        tab: What the run spends is put on; None if nothing bounds it.

    Attributes:
        attempts: How often the model was asked.
        failed_with: Why there is no answer; None if there is one.
        left: The text that output guards have let leave; None if nothing was streamed past them.
    """

    __slots__ = (
        *("already_out", "attempts", "began", "failed_with"),
        *("fallbacks", "left", "model", "request", "run", "tab"),
    )

    def __init__(
        self,
        run: Run,
        model: RunModel,
        request: ChatRequest,
        *,
        fallbacks: tuple[RunModel, ...],
        tab: Tab | None = None,
    ) -> None:
        self.run, self.model, self.request, self.fallbacks = run, model, request, fallbacks
        self.tab = tab
        self.began, self.attempts = time.perf_counter(), 0
        self.already_out = run.pieces_handed_out
        self.left: str | None = None
        self.failed_with: AgentErrorCode | None = AgentErrorCode.CANCELLED

    @property
    def has_handed_out(self) -> bool:
        """Whether the caller has got anything of the answer."""
        return self.run.pieces_handed_out > self.already_out


def _is_refusal(error: Exception) -> bool:
    return classify(error).code in _COSTS_NOTHING


def _name_in(run: Run, model: RunModel, request: ChatRequest) -> None:
    """Note which model a run asks."""
    named = model.named
    run.model_name = model.name
    run.vendor_model = request.model or (named.default_model if named else None)
    run.provider = named.provider_name if named else None


async def _hand_out(run: Run, stream: AsyncIterator[ChatDelta]) -> ChatResponse:
    """Hand out text and reasoning of a stream as they come, and put its deltas together."""
    assembly, already_out = StreamAssembly(), len(run.handed_out)
    task = asyncio.current_task()
    assert task is not None
    async for delta in stream:
        if task.cancelling():  # and the stream goes on as if nothing had happened
            raise asyncio.CancelledError
        if thought := assembly.add(delta):
            await run.hand_out_thought(thought)
        if delta.text and (handed_out := run.hand_out(delta.text)) is not None:
            await handed_out
    return assembly.build(islice(run.handed_out, already_out, None))
