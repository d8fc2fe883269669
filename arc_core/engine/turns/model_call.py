"""One question to the model, whole or streamed, with retries, its circuit and its fallbacks."""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from decimal import Decimal
from itertools import islice
from typing import Any

from arc_core.cancellation import leave_if_cancelled
from arc_core.engine.components import policies
from arc_core.engine.components.boundary import Boundary
from arc_core.engine.components.circuit import Passage
from arc_core.engine.components.containment import contain
from arc_core.engine.components.model_fit import ModelFit
from arc_core.engine.components.models import Models, RunModel
from arc_core.engine.run_state import Run
from arc_core.engine.turns.failure import Failure, classify
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


class ModelCall:
    """Asks the chat model: `complete` for `execute()`, `stream` where text is handed out.

    Args:
        models: Those that a run may ask.
        fit: Knows which of their fallbacks can take a request.
        boundary: Closes its streams.
        retries: When a failure is tried again; a stream only until something was handed out. After
            them the model's circuit is told, and the next of its fallbacks is asked.
        metrics: Told of each call.
    """

    def __init__(
        self,
        models: Models,
        *,
        fit: ModelFit,
        boundary: Boundary,
        retries: RetryPolicy,
        metrics: AgentMetrics,
    ) -> None:
        self._models = models
        self._fit = fit
        self._boundary = boundary
        self._retries = retries
        self._metrics = metrics

    async def ask(self, run: Run, request: ChatRequest) -> ChatResponse:
        """The model's answer; a streaming run has handed out its text by then.

        Raises:
            Exception: What the chat model raised last.
        """
        return await self._take(run, request, streams=run.streaming)

    async def ask_whole(self, run: Run, request: ChatRequest) -> ChatResponse:
        """The model's answer, of which nothing is handed out in a streaming run either.

        Raises:
            Exception: What the chat model raised last.
        """
        return await self._take(run, request, streams=False)

    def _take(
        self, run: Run, request: ChatRequest, *, streams: bool
    ) -> Coroutine[Any, Any, ChatResponse]:
        """Ask as a step, if the run has a journal."""
        if run.steps is None:
            return self._ask(run, request, streams=streams)
        return run.steps.ask_model(
            lambda: self._ask(run, request, streams=streams), streams=streams
        )

    async def _ask(self, run: Run, request: ChatRequest, *, streams: bool) -> ChatResponse:
        model = self._models.of(run.command)
        call = _Call(run, model, request, fallbacks=model.fallbacks)
        while True:
            try:
                return await self._ask_model(call, streams=streams)
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
        cost = None
        if model.llm.price is not None:
            cost = model.cost_of(call.request.model, response.usage)
        run.add_cost(cost)
        self._record(call, response=response, cost=cost)
        return response

    async def _ask_with_retries(self, call: "_Call", *, streams: bool) -> ChatResponse:
        run, chat_model = call.run, call.model.chat_model
        while True:
            call.attempts += 1
            try:
                response = await self._ask_once(run, chat_model, call.request, streams=streams)
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
                return _Call(call.run, fallback, request, fallbacks=rest)
            logger.warning(
                "a fallback is left out, since it cannot take the request",
                model=fallback.known_as,
                reason=flaw,
            )
        return None

    async def _ask_once(
        self, run: Run, chat_model: ChatModel, request: ChatRequest, *, streams: bool
    ) -> ChatResponse:
        with contain():  # the run's deadline is its time-out
            if streams:
                return await self._stream(run, chat_model, request)
            response: object = await chat_model.complete(request)
        if isinstance(response, ChatResponse):
            return response
        raise InvalidResponseError(f"complete() returned {type(response).__name__}")

    async def _stream(self, run: Run, chat_model: ChatModel, request: ChatRequest) -> ChatResponse:
        stream = chat_model.stream(request)
        try:
            return await _hand_out(run, stream)
        finally:
            close = getattr(stream, "aclose", None)
            if close is not None:
                await self._boundary.call(policies.CHAT_STREAM_CLOSE, chat_model, close)

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

    Attributes:
        attempts: How often the model was asked.
        failed_with: Why there is no answer; None if there is one.
    """

    __slots__ = (
        *("already_out", "attempts", "began", "failed_with"),
        *("fallbacks", "model", "request", "run"),
    )

    def __init__(
        self, run: Run, model: RunModel, request: ChatRequest, *, fallbacks: tuple[RunModel, ...]
    ) -> None:
        self.run, self.model, self.request, self.fallbacks = run, model, request, fallbacks
        self.began, self.attempts = time.perf_counter(), 0
        self.already_out = run.pieces_handed_out
        self.failed_with: AgentErrorCode | None = AgentErrorCode.CANCELLED

    @property
    def has_handed_out(self) -> bool:
        """Whether the caller has got anything of the answer."""
        return self.run.pieces_handed_out > self.already_out


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
