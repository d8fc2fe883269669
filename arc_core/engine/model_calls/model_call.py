"""One question to the model, whole or streamed, with retries, its circuit and its fallbacks."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from arc_core.engine.answer import GuardedAnswer
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, SafeMetrics, contain
from arc_core.engine.guards.output_guards import OutputGuards
from arc_core.engine.journal.step_forms import ASKED, PackedForm
from arc_core.engine.model_calls.guarded_stream import GuardedStream
from arc_core.engine.model_calls.pending_call import PendingCall, pack_answer, restore_answer
from arc_core.engine.model_calls.retry import Failure, RetryPolicy, classify
from arc_core.engine.model_calls.stream_assembly import DELTAS_AT_ONCE, StreamAssembly, bound_calls
from arc_core.engine.models.circuit import Permit
from arc_core.engine.models.models import ModelFit, Models
from arc_core.engine.models.token_costs import has_counted
from arc_core.engine.run_limits import count_estimate
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.engine.spending.billing import Billing
from arc_core.engine.spending.run_account import RunAccount
from arc_core.errors import AgentErrorCode, InvalidResponseError, ModelUnavailableError
from arc_core.interfaces.models.chat_model import ChatDelta, ChatRequest, ChatResponse
from arc_core.log import get_logger
from arc_core.messages import AssistantMessage
from arc_core.timing.cancellation import leave_if_cancelled
from arc_core.usage import TokenUsage

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


_MAX_TOKENS_BESIDE = 2048

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
"""The errors by which a vendor refuses before it has computed anything."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ModelCall:
    """Asks the chat model: `complete` for `execute()`, `stream` where text is handed out.

    Attributes:
        retries: When a failure is tried again; a stream only until something was handed out. After
            them the model's circuit is told, and the next of its fallbacks is asked.
    """

    models: Models
    fit: ModelFit
    guards: OutputGuards
    boundary: Boundary
    retries: RetryPolicy
    metrics: SafeMetrics
    billing: Billing

    async def ask(self, run: ActiveRun, request: ChatRequest, *, streams: bool) -> GuardedAnswer:
        """Return the model's answer, asked as a step if the run has a journal.

        Raises:
            RunStoppedError: An output guard rejects it.
            Exception: What the chat model raised last.
        """
        run.answers_asked += 1
        run.attempts_of_last_call = 0
        answer: GuardedAnswer = await run.recorder.step(
            f"model/{run.answers_asked}",
            partial(self._ask, run, request, streams=streams),
            PackedForm(
                ASKED,
                partial(
                    pack_answer,
                    run,
                    request=request,
                    cost_before=run.cost,
                    encode=lambda asked: self.fit.encode(self.models.of(run.command), asked),
                ),
                partial(restore_answer, run, streams),
            ),
        )
        run.add_response(answer.visible)
        self._estimate(run, request, usage=answer.visible.usage, message=answer.message)
        return answer

    async def ask_beside(
        self, run: ActiveRun, name: str | None, request: ChatRequest
    ) -> ChatResponse:
        """Return the answer to a question that is not one of the turns of a run, which pays for it.

        It is not a step, its answer is not part of the run's, and no fallback is asked.
        The model, that of the run without a name, and its options are filled in.

        Raises:
            RunStoppedError: The budgets do not let the run spend more.
            Exception: What the chat model raised last.
        """
        own = self.models.of(run.command)
        model = own if name is None else self.models.find(name)
        request = replace(
            request,
            model=own.vendor_model(run.command) if name is None else model.llm.model,
            temperature=model.llm.temperature,
            max_output_tokens=min(model.llm.max_output_tokens, _MAX_TOKENS_BESIDE),
        )
        call = PendingCall(run, model, request)
        if self.billing.spending.is_bounding:
            call.account = await self.billing.spending.open(run, model, request)
        response = await self._ask_model(call)
        self._count(run, request, response)
        return response

    def _count(self, run: ActiveRun, request: ChatRequest, response: ChatResponse) -> None:
        """Count the tokens of an answer that is none of the run's."""
        if response.usage is not None:
            run.add_usage(response.usage)
        self._estimate(run, request, usage=response.usage, message=response.message)

    def _estimate(
        self,
        run: ActiveRun,
        request: ChatRequest,
        *,
        usage: TokenUsage | None,
        message: AssistantMessage,
    ) -> None:
        """Count for the limits of a run what the vendor has not counted."""
        if run.is_without_limits or has_counted(usage):
            return
        tokens = run.tokens_of_last_call = self.fit.estimate_tokens(request, message)
        count_estimate(run, tokens if usage is None else tokens - usage.total_tokens)

    async def _ask(self, run: ActiveRun, request: ChatRequest, *, streams: bool) -> GuardedAnswer:
        model = self.models.of(run.command)
        call = PendingCall(run, model, request, fallbacks=model.fallbacks, streams=streams)
        if self.billing.spending.is_bounding:
            account = call.account = await self.billing.spending.open(run, model, request)
            if account is not None:
                call = self._choose_by_budget(call, account)
        while True:
            try:
                response = await self._ask_model(call)
                return await self._check(call, response)
            except RunStoppedError:  # and so no turn counts the tokens
                if call.received is not None:
                    self._count(run, call.request, call.received)
                raise
            except _FallBackError as failed:
                run.repeatable = False  # another run may be answered by the model itself
                call = failed.next_call

    async def _ask_model(self, call: PendingCall) -> ChatResponse:
        """The answer of one model, with its retries, if its circuit lets the call through."""
        model = call.model
        call.name_model()
        # Not asked while it is closed, since every call comes by.
        permit = Permit.FREE if model.circuit.opened_at is None else model.circuit.enter()
        if permit is Permit.REFUSED:
            problem = f"the model {model.known_as} has failed often and is not asked for now"
            error = ModelUnavailableError(problem)
            if (next_call := self._move_on(call, Failure(error.code))) is not None:
                raise _FallBackError(next_call) from error
            raise error
        try:
            response = await self._ask_with_retries(call)
        finally:
            model.circuit.leave(permit, failed_with=call.end_for_circuit)
        self._account(call)
        return response

    async def _ask_with_retries(self, call: PendingCall) -> ChatResponse:
        while True:
            if call.account is not None:
                call.meter = await self.billing.spending.begin(
                    call.account, call.run, call.model, request=call.request, is_refusal=_is_refusal
                )
            call.begin_attempt()
            try:
                response = await self._ask_once(call)
            except RunStoppedError as stopped:  # a guard has seen enough of a stream
                if call.received is not None:
                    call.failed_with = None
                self._account(call, failure=Failure(stopped.code))
                raise
            except Exception as error:  # retried, or raised again
                leave_if_cancelled()
                failure, attempt = classify(error), call.attempts
                call.last_failure = failure.code
                retries = not call.has_handed_out and self.retries.allows(failure, attempt=attempt)
                if not retries or self._is_in_vain(call, failure):
                    next_call = self._move_on(call, failure, gives_up=not retries)
                    if next_call is not None:
                        raise _FallBackError(next_call) from error
                    if not retries:
                        raise
                logger.warning("model call is retried", attempt=attempt, code=failure.code.value)
                await self.retries.wait(failure, attempt=attempt)
            else:
                leave_if_cancelled()
                call.failed_with = None
                return response

    def _is_in_vain(self, call: PendingCall, failure: Failure) -> bool:
        """Return True if there is another model, and it is better than another attempt."""
        if not call.fallbacks:
            return False
        return self.retries.is_in_vain(
            failure,
            attempt=call.attempts,
            lasted_s=call.attempt_lasted_s,
            left_s=call.run.seconds_left(),
        )

    def _move_on(
        self, call: PendingCall, failure: Failure, *, gives_up: bool = True
    ) -> PendingCall | None:
        """Record a failure, and go on to the next model; None if there is no other to be asked.

        Nothing is recorded if there is none, and the call does not give up.
        """
        next_call = None
        if failure.code in _FALLS_BACK_FROM and not call.has_handed_out:
            next_call = self._next_call(call)
        if next_call is None and not gives_up:
            return None
        call.failed_with = failure.code
        if next_call is None:
            self.metrics.record_model_call(call.to_record(failure=failure))
            return None
        names = {"model": call.model.known_as, "fallback": next_call.model.known_as}
        logger.warning("another model is asked", code=failure.code.value, **names)
        fallback = names["fallback"]
        self.metrics.record_model_call(call.to_record(failure=failure, fallback=fallback))
        return next_call

    def _next_call(self, call: PendingCall) -> PendingCall | None:
        """The same question to the next model that can take it."""
        own = self.models.of(call.run.command)
        for place, fallback in enumerate(call.fallbacks, 1):
            flaw = self.fit.find_problem(call.request, fallback, made_for=own)
            if flaw is None:
                request, rest = fallback.adapt(call.request), call.fallbacks[place:]
                return replace(call, model=fallback, request=request, fallbacks=rest)
            logger.warning(
                "a fallback is left out, since it cannot take the request",
                model=fallback.known_as,
                reason=flaw,
            )
        return None

    async def _ask_once(self, call: PendingCall) -> ChatResponse:
        if (meter := call.meter) is None:
            return await self._ask_chat_model(call, call.request)
        with meter:
            meter.response = await self._ask_chat_model(call, meter.request)
        await self.billing.spending.report(meter.account)
        return meter.response

    async def _ask_chat_model(self, call: PendingCall, request: ChatRequest) -> ChatResponse:
        with contain():  # the run's deadline is its time-out
            if call.streams and self.guards:
                return await self._stream_guarded(call, request)
            if call.streams:
                return await self._read(call, request, partial(_hand_out, call.run))
            response: object = await call.model.chat_model.complete(request)
        if isinstance(response, ChatResponse):
            call.received = response
            most = call.run.max_calls_of_turn
            is_bounded = len(response.message.tool_calls) <= most
            return response if is_bounded else bound_calls(response, max_calls=most)
        raise InvalidResponseError(f"complete() returned {type(response).__name__}")

    async def _stream_guarded(self, call: PendingCall, request: ChatRequest) -> ChatResponse:
        guarded = GuardedStream(call.run, self.guards)
        response = await guarded.hand_out(partial(self._read, call, request, guarded.take))
        call.left = guarded.left
        return response

    def _choose_by_budget(self, call: PendingCall, account: RunAccount) -> PendingCall:
        """The same question to the model that the budget leaves."""
        run, own = call.run, call.model
        model = self.billing.soft_limit.choose(account, run, own, request=call.request)
        if model is own:
            return call
        # If that is down, being answered goes before being cheap.
        others = [each for each in model.fallbacks if each.known_as != own.known_as]
        request = model.adapt(call.request)
        return replace(call, model=model, request=request, fallbacks=(*others, own))

    async def _read(
        self,
        call: PendingCall,
        request: ChatRequest,
        take: Callable[[AsyncIterator[ChatDelta]], Awaitable[ChatResponse]],
    ) -> ChatResponse:
        """Open a stream, have it taken, and close it."""
        chat_model, meter = call.model.chat_model, call.meter
        stream = chat_model.stream(request)
        try:
            call.received = await take(stream if meter is None else meter.watch(stream))
            return call.received
        finally:
            close = getattr(stream, "aclose", None)
            if close is not None:
                await self.boundary.call(policies.CHAT_STREAM_CLOSE, chat_model, close)

    async def _check(self, call: PendingCall, response: ChatResponse) -> GuardedAnswer:
        """Return the answer as guards let it leave; the last stage checks text that ends a run."""
        run, content = call.run, call.left
        if not self.guards:
            return GuardedAnswer(message=response.message, visible=response)
        message = await self.guards.replace_ids(run, response.message)
        if content is None and message.tool_calls:
            content = await self.guards.check_turn(run, message.text)
        shown = await self.guards.check_message(
            run,
            message,
            content=message.text if content is None else content,
            tools={tool.name for tool in call.request.tools},
        )
        response = replace(response, message=shown)
        return GuardedAnswer(message=message, visible=response, checked=content)

    def _account(self, call: PendingCall, *, failure: Failure | None = None) -> None:
        """Add to the run what a call has cost that the model has answered, and record the call."""
        cost, received = None, call.received
        if received is not None:
            cost = self.billing.prices.get_cost(call.model, call.request.model, received.usage)
            call.run.add_cost(cost)
        if self.metrics.takes_model_calls:
            self.metrics.record_model_call(call.to_record(failure=failure, cost=cost))


class _FallBackError(Exception):
    """The next model is to be asked; never leaves this module."""

    def __init__(self, next_call: PendingCall) -> None:
        super().__init__()
        self.next_call = next_call


def _is_refusal(error: Exception) -> bool:
    return classify(error).code in _COSTS_NOTHING


async def _hand_out(run: ActiveRun, stream: AsyncIterator[ChatDelta]) -> ChatResponse:
    """Hand out text and reasoning of a stream as they come, and put its deltas together."""
    assembly = StreamAssembly(max_calls=run.max_calls_of_turn)
    already_out, is_first = len(run.handed_out), True
    task = asyncio.current_task()
    assert task is not None
    async for delta in stream:
        if task.cancelling():  # and the stream goes on as if nothing had happened
            raise asyncio.CancelledError
        if thought := assembly.add(delta):
            await run.hand_out_thought(thought)
        if (text := delta.text) and (handed_out := run.hand_out(text)) is not None:
            await handed_out
        if not assembly.deltas % DELTAS_AT_ONCE or (is_first and text):
            is_first = False  # which its reader gets before the next are looked at
            await asyncio.sleep(0)
    return assembly.build(islice(run.handed_out, already_out, None))
