"""One question to the model: retries, what is handed out, what a stream is put together to."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AssistantMessage,
    AuthenticationError,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    ModelOverloadedError,
    RateLimitError,
    TextDelta,
    TokenUsage,
    ToolCall,
    ToolCallDelta,
    UserMessage,
)
from arc_core.defaults.inactive import UnboundedBudgets
from arc_core.engine.boundary.boundary import Boundary, SafeMetrics
from arc_core.engine.event_channel import EventChannel
from arc_core.engine.guards.output_guards import OutputGuards
from arc_core.engine.model_calls.model_call import ModelCall
from arc_core.engine.model_calls.retry import RetryPolicy
from arc_core.engine.models.models import ModelFit, Models, Prices
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.spending.billing import Billing
from arc_core.settings import BudgetSettings, LlmSettings, RetrySettings
from arc_core.testing import BrokenOff, CharacterEstimator, RecordingMetrics, ScriptedChatModel
from arc_core.testing.fakes import FixedModelPrices
from arc_core.testing.scripted_model import Turn

REQUEST = ChatRequest(messages=(UserMessage("Hello"),), model="large")
OVERLOADED = ModelOverloadedError()
CALL = ToolCallDelta(0, "1", "look", "{}")


class Deltas(ChatModel):
    """Streams what it is given, one list a request; an exception in a list is raised there."""

    def __init__(self, *streams: Sequence[ChatDelta | Exception]) -> None:
        self._streams = list(streams)
        self.open = 0

    async def complete(self, request: ChatRequest) -> ChatResponse:
        raise NotImplementedError

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        self.open += 1
        try:
            for delta in self._streams.pop(0):
                if isinstance(delta, Exception):
                    raise delta
                yield delta
        finally:
            self.open -= 1


class World:
    """A model call with retries that do not sleep, and a run that streams or does not."""

    def __init__(self, model: ChatModel, *, streaming: bool = True, attempts: int = 3) -> None:
        self.metrics, self.slept = RecordingMetrics(), list[float]()
        channel = EventChannel() if streaming else None
        self.run = ActiveRun.of(AgentCommand(user_prompt="Hello"), channel)
        policy = RetryPolicy(RetrySettings(max_attempts=attempts), sleep=self._sleep)
        models = Models(model, {}, llm=LlmSettings())
        boundary = Boundary()
        costs = TokenCosts(CharacterEstimator(), boundary=boundary)
        fit = ModelFit(costs, boundary=boundary)
        billing = Billing(
            UnboundedBudgets(),
            models=models,
            fit=fit,
            prices=Prices(FixedModelPrices(), boundary=boundary),
            costs=costs,
            boundary=boundary,
            settings=BudgetSettings(),
        )
        self._call = ModelCall(
            models=models,
            fit=fit,
            guards=OutputGuards((), boundary=boundary),
            boundary=boundary,
            retries=policy,
            metrics=SafeMetrics(self.metrics),
            billing=billing,
        )

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def ask(self) -> ChatResponse:
        """Ask once, with retries."""
        return (await self._call.ask(self.run, REQUEST, streams=self.run.streaming)).visible


EITHER = pytest.mark.parametrize("streaming", [True, False], ids=["stream", "complete"])


@EITHER
async def test_what_passes_gets_a_retry(*, streaming: bool) -> None:
    """Two failures and a success: three attempts, delays in between, one measurement."""
    model = ScriptedChatModel([OVERLOADED, ConnectionError(), "Hi."])
    world = World(model, streaming=streaming)

    response = await world.ask()

    assert response.message.content == "Hi."
    assert world.slept == pytest.approx([1, 2], rel=0.25)
    assert [(call.attempts, call.error_code) for call in world.metrics.model_calls] == [(3, None)]


@EITHER
async def test_the_last_error_is_raised(*, streaming: bool) -> None:
    """After the last attempt nothing is slept for, and the error comes out as it was."""
    last = RateLimitError()
    world = World(ScriptedChatModel([OVERLOADED, OVERLOADED, last]), streaming=streaming)

    with pytest.raises(RateLimitError) as raised:
        await world.ask()

    assert raised.value is last
    assert world.slept == pytest.approx([1, 2], rel=0.25)
    assert world.metrics.model_calls[0].error_code is AgentErrorCode.RATE_LIMITED


@EITHER
@pytest.mark.parametrize(
    "error", [AuthenticationError(), RuntimeError("Processed 500 records")], ids=repr
)
async def test_what_lasts_gets_no_retry(error: Exception, *, streaming: bool) -> None:
    """One attempt, no sleep."""
    model = ScriptedChatModel([error, "never"])
    world = World(model, streaming=streaming)

    with pytest.raises(type(error)):
        await world.ask()

    assert len(model.requests) == 1
    assert world.slept == []


@EITHER
async def test_a_rate_limit_three_causes_deep_gets_a_retry(*, streaming: bool) -> None:
    """After the time the vendor asked for."""
    error, middle = ValueError("bad gateway object"), KeyError("x")
    error.__cause__, middle.__cause__ = middle, RateLimitError(retry_after_s=4)
    world = World(ScriptedChatModel([error, "Hi."]), streaming=streaming)

    await world.ask()

    assert world.slept == [4]


@EITHER
@pytest.mark.parametrize("attempts", [0, 1])
async def test_no_attempts_are_one(attempts: int, *, streaming: bool) -> None:
    """The model is asked once in any case."""
    world = World(ScriptedChatModel([OVERLOADED, "never"]), streaming=streaming, attempts=attempts)

    with pytest.raises(ModelOverloadedError):
        await world.ask()

    assert world.slept == []


async def test_a_stream_that_has_handed_out_text_gets_no_retry() -> None:
    """The caller would read the same text twice."""
    model = ScriptedChatModel([BrokenOff("Half an", OVERLOADED), "never"])
    world = World(model)

    with pytest.raises(ModelOverloadedError):
        await world.ask()

    assert len(model.requests) == 1
    assert world.run.partial_content == "Half an"


async def test_text_of_an_earlier_turn_does_not_keep_a_later_one_from_being_retried() -> None:
    """Only what this turn has handed out counts."""
    model = ScriptedChatModel(["First.", OVERLOADED, "Second."])
    world = World(model)

    await world.ask()
    response = await world.ask()

    assert response.message.content == "Second."
    assert world.run.handed_out == ["First.", "Second."]


async def test_pieces_of_a_tool_call_are_not_handed_out() -> None:
    """A stream that broke off within a tool call is tried again, and starts from nothing."""
    half = ToolCallDelta(0, "1", "look", '{"wh')
    done = ChatDelta(finish_reason=FinishReason.TOOL_CALLS)
    model = Deltas(
        [ChatDelta(tool_calls=(half,)), OVERLOADED], [ChatDelta(tool_calls=(CALL,)), done]
    )

    response = await World(model).ask()

    assert response.message.tool_calls == (ToolCall("1", "look", "{}"),)


async def test_deltas_are_put_together() -> None:
    """Texts joined, calls by index, the last usage, the finish reason, the vendor's own content."""
    usage, vendor_content = TokenUsage(7, 3), {"thinking": "…"}
    model = Deltas(
        [
            ChatDelta(text="Let "),
            ChatDelta(text=""),
            ChatDelta(text="me.", tool_calls=(ToolCallDelta(1, "2", "find", "{"), CALL)),
            ChatDelta(tool_calls=(ToolCallDelta(1, arguments="}"),)),
            ChatDelta(usage=TokenUsage(7, 1)),
            ChatDelta(finish_reason=FinishReason.TOOL_CALLS, vendor_content=vendor_content),
            ChatDelta(usage=usage),
        ]
    )
    world = World(model)

    response = await world.ask()

    calls = (ToolCall("1", "look", "{}"), ToolCall("2", "find", "{}"))
    message = AssistantMessage("Let me.", calls, vendor_content=vendor_content)
    assert response == ChatResponse(message, usage, FinishReason.TOOL_CALLS)
    assert world.metrics.model_calls[0].token_usage == usage


async def test_empty_pieces_are_not_handed_out() -> None:
    """A text delta is never empty."""
    channel = EventChannel()
    world = World(Deltas([ChatDelta(text=""), ChatDelta(), ChatDelta(text="Hi.")]))
    world.run.channel = channel

    await world.ask()

    assert await channel.get() == TextDelta("Hi.")
    assert world.run.handed_out == ["Hi."]


async def test_a_stream_without_anything_is_an_empty_message() -> None:
    """What that means is for the caller to decide."""
    assert await World(Deltas([])).ask() == ChatResponse(AssistantMessage(""))


ENDS: dict[str, list[ChatDelta | Exception]] = {
    "success": [ChatDelta(text="a")],
    "failure and another attempt": [OVERLOADED],
    "failure for good": [ChatDelta(text="a"), OVERLOADED],
}


@pytest.mark.parametrize("deltas", ENDS.values(), ids=ENDS)
async def test_every_stream_is_closed(deltas: list[ChatDelta | Exception]) -> None:
    """However it ends."""
    model = Deltas(deltas, [ChatDelta(text="Hi.")])

    with suppress(ModelOverloadedError):
        await World(model).ask()

    assert model.open == 0


class Plain(ChatModel):
    """Streams through an iterator that has nothing to close."""

    def __init__(self, make: Callable[[], AsyncIterator[ChatDelta]]) -> None:
        self._make = make

    async def complete(self, request: ChatRequest) -> ChatResponse:
        raise NotImplementedError

    def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        return self._make()


class Once:
    """One delta."""

    def __init__(self) -> None:
        self._left = [ChatDelta(text="Hi.")]

    def __aiter__(self) -> "Once":
        return self

    async def __anext__(self) -> ChatDelta:
        if not self._left:
            raise StopAsyncIteration
        return self._left.pop()


async def test_a_stream_may_be_any_iterator() -> None:
    """It need not be a generator."""
    response = await World(Plain(Once)).ask()

    assert response.message.content == "Hi."


def _refuse() -> Any:
    raise AuthenticationError


async def test_a_stream_may_fail_before_it_exists() -> None:
    """`stream` itself may raise."""
    with pytest.raises(AuthenticationError):
        await World(Plain(_refuse)).ask()


@EITHER
async def test_a_function_of_the_request_may_answer(*, streaming: bool) -> None:
    """The model gets the request as it is."""

    def answer(request: ChatRequest) -> Turn:
        return f"{request.model} was asked {request.messages[0]}"

    response = await World(ScriptedChatModel([answer]), streaming=streaming).ask()

    assert response.message.content == "large was asked UserMessage(content='Hello')"
