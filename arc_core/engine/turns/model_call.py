"""One question to the model, whole or streamed, with retries."""

import asyncio
import time
from collections.abc import AsyncIterator
from itertools import islice

from arc_core.cancellation import leave_if_cancelled
from arc_core.engine.components import policies
from arc_core.engine.components.boundary import Boundary
from arc_core.engine.components.containment import contain
from arc_core.engine.components.models import Models, RunModel
from arc_core.engine.run_state import Run
from arc_core.engine.turns.failure import Failure, classify
from arc_core.engine.turns.retry import RetryPolicy
from arc_core.engine.turns.stream_assembly import StreamAssembly
from arc_core.errors import InvalidResponseError
from arc_core.interfaces.agent_metrics import AgentMetrics, ModelCallRecord
from arc_core.interfaces.chat_model import ChatDelta, ChatModel, ChatRequest, ChatResponse
from arc_core.log import get_logger

__all__ = ["ModelCall"]

logger = get_logger("model")


class ModelCall:
    """Asks the chat model: `complete` for `execute()`, `stream` where text is handed out.

    Args:
        models: Those that a run may ask.
        boundary: Closes its streams.
        retries: When a failure is tried again; a stream only until something was handed out.
        metrics: Told of each call.
    """

    def __init__(
        self,
        models: Models,
        *,
        boundary: Boundary,
        retries: RetryPolicy,
        metrics: AgentMetrics,
    ) -> None:
        self._models = models
        self._boundary = boundary
        self._retries = retries
        self._metrics = metrics

    async def ask(self, run: Run, request: ChatRequest) -> ChatResponse:
        """The model's answer; a streaming run has handed out its text by then.

        Raises:
            Exception: What the chat model raised last.
        """
        return await self._ask(run, request, streams=run.streaming)

    async def ask_whole(self, run: Run, request: ChatRequest) -> ChatResponse:
        """The model's answer, of which nothing is handed out in a streaming run either.

        Raises:
            Exception: What the chat model raised last.
        """
        return await self._ask(run, request, streams=False)

    async def _ask(self, run: Run, request: ChatRequest, *, streams: bool) -> ChatResponse:
        model = self._models.of(run.command)
        _name_in(run, model, request)
        began = time.perf_counter()
        attempt = 0
        while True:
            attempt += 1
            already_out = run.pieces_handed_out
            try:
                response = await self._ask_once(run, model.chat_model, request, streams=streams)
            except Exception as error:  # retried, or raised again
                leave_if_cancelled()
                failure = classify(error)
                handed_out = run.pieces_handed_out > already_out
                if handed_out or not self._retries.allows(failure, attempt=attempt):
                    self._record(run, model, began=began, attempts=attempt, failure=failure)
                    raise
                logger.warning("model call is retried", attempt=attempt, code=failure.code.value)
                await self._retries.wait(failure, attempt=attempt)
            else:
                leave_if_cancelled()
                run.add_cost(model.cost_of(run.command, response.usage))
                self._record(run, model, began=began, attempts=attempt, response=response)
                return response

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
        run: Run,
        model: RunModel,
        *,
        began: float,
        attempts: int,
        response: ChatResponse | None = None,
        failure: Failure | None = None,
    ) -> None:
        self._metrics.record_model_call(
            ModelCallRecord(
                model=run.vendor_model,
                name=model.name,
                cost=model.cost_of(run.command, response.usage) if response else None,
                attempts=attempts,
                error_code=failure.code if failure else None,
                duration_ms=(time.perf_counter() - began) * 1000,
                token_usage=response.usage if response else None,
                provider=run.provider,
                finish_reason=response.finish_reason if response else None,
            )
        )


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
