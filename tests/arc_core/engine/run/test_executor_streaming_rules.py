"""What streams hand out, when they are tried again, how they end, and how they wait."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    ModelOverloadedError,
    ResponseFilter,
    ResponseFilterChain,
    ResponseFilterContext,
    ResponseFormat,
    TokenUsage,
    tool,
)
from arc_core.events import RunFinished, TextDelta
from arc_core.interfaces.models.chat_model import ChatDelta, ChatModel, ChatRequest, ChatResponse
from arc_core.messages import AssistantMessage, ToolCall, UserMessage
from arc_core.settings import AgentSettings
from arc_core.testing import (
    BrokenOff,
    DictResponseCache,
    ListConversationManager,
    RecordingHook,
    RecordingMetrics,
    ScriptedChatModel,
    scripted_agent,
)
from arc_core.testing.scripted_model import Turn
from tests.arc_core.engine.entry_points import events_of, list_texts, streamed
from tests.parity.components import AnsweringGuard

COMMAND = AgentCommand(user_prompt="Hello")
CALL = ToolCall("1", "look", "{}")
AT_ONCE = {"retry": {"initial_delay_s": 0}}


@tool
async def look() -> str:
    """Looks."""
    return "seen"


def settings(**sections: Any) -> AgentSettings:
    """Settings whose retries do not wait."""
    return AgentSettings.model_validate(AT_ONCE | sections)


class Endless(ChatModel):
    """Says the same word again and again, and counts how often."""

    def __init__(self, words: int) -> None:
        self.words, self.said, self.closed = words, 0, False

    async def complete(self, request: ChatRequest) -> ChatResponse:
        return ChatResponse(AssistantMessage("word"))

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        try:
            while self.said < self.words:
                self.said += 1
                yield ChatDelta(text="word ")
        finally:
            self.closed = True


async def test_text_of_all_turns_is_seen_and_that_of_the_last_is_saved() -> None:
    """Three turns with text in each: the reader gets all of it, history and result the last."""
    manager = ListConversationManager()
    turns: list[Turn] = [
        AssistantMessage("One. ", (CALL,)),
        AssistantMessage("Two. ", (CALL,)),
        "Three.",
    ]
    agent = scripted_agent(ScriptedChatModel(turns), tools=(look,), conversation_manager=manager)

    events = await events_of(agent, COMMAND)

    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert "".join(e.text for e in events if isinstance(e, TextDelta)) == "One. Two. Three."
    assert finished.result.content == "Three."
    assert manager.messages == [UserMessage("Hello"), AssistantMessage("Three.")]


async def test_text_comes_in_pieces() -> None:
    """As the model produces it, and never an empty one."""
    texts = await list_texts(scripted_agent(ScriptedChatModel(["It is sunny."])), COMMAND)

    assert texts == ["It ", "is ", "sunny."]


async def test_the_first_piece_is_read_before_the_next_is_asked_for() -> None:
    """A burst of a model does not hold it back."""
    model = Endless(10_000)

    async with aclosing(scripted_agent(model).execute_stream(COMMAND)) as texts:
        await anext(texts)
        said = model.said

    assert said == 1


async def test_an_error_before_the_first_piece_gets_a_retry() -> None:
    """The reader does not notice."""
    model = ScriptedChatModel(
        [ModelOverloadedError(), BrokenOff("", ModelOverloadedError()), "Hi."]
    )

    texts = await list_texts(scripted_agent(model, settings()), COMMAND)

    assert texts == ["Hi."]
    model.assert_complete()


async def test_an_error_after_the_first_piece_gets_no_retry() -> None:
    """No text twice: the pieces so far, and the error."""
    model = ScriptedChatModel([BrokenOff("Half an answ", ModelOverloadedError()), "never"])

    texts = await list_texts(scripted_agent(model, settings()), COMMAND)

    assert texts == ["Half ", "an ", "answ", "[error] It ended with OVERLOADED."]
    assert len(model.requests) == 1


async def test_text_before_a_tool_call_does_not_keep_the_next_turn_from_a_retry() -> None:
    """Each turn has a first piece of its own."""
    model = ScriptedChatModel(
        [AssistantMessage("Let me look. ", (CALL,)), ModelOverloadedError(), "Seen."]
    )

    texts = await list_texts(scripted_agent(model, settings(), tools=(look,)), COMMAND)

    assert "".join(texts) == "Let me look. Seen."


ENDS: dict[str, tuple[list[Any], AgentErrorCode | None]] = {
    "success": (["Hi."], None),
    "failure": ([ValueError()], AgentErrorCode.UNKNOWN),
    "failure after text": ([BrokenOff("a", ValueError())], AgentErrorCode.UNKNOWN),
    "blank": ([""], AgentErrorCode.INVALID_RESPONSE),
    "tool call": ([[CALL], "Hi."], None),
}


@pytest.mark.parametrize(("turns", "code"), ENDS.values(), ids=ENDS)
async def test_the_result_is_the_last_event_and_comes_once(
    turns: list[Any], code: AgentErrorCode | None
) -> None:
    """However a run ends."""
    events = await events_of(scripted_agent(ScriptedChatModel(turns), tools=(look,)), COMMAND)

    assert [isinstance(event, RunFinished) for event in events].count(True) == 1
    finished = events[-1]
    assert isinstance(finished, RunFinished)
    assert finished.result.error_code is code


@pytest.mark.parametrize("response_format", [ResponseFormat.JSON, ResponseFormat.YAML])
async def test_structured_formats_are_refused_before_everything(
    response_format: ResponseFormat,
) -> None:
    """No guard and no hook is asked, no model; the end is told all the same."""
    hook, model = RecordingHook(), ScriptedChatModel([])
    guard = AnsweringGuard(AssertionError("asked"))
    agent = scripted_agent(model, hooks=(hook,), guards=(guard,))
    command = COMMAND.model_copy(update={"response_format": response_format})

    result = await streamed(agent, command)
    texts = await list_texts(agent, command)

    assert result.error_code is AgentErrorCode.INVALID_RESPONSE
    assert texts == [f"[error] {result.error_message}"]
    assert hook.names == ["after_agent_complete"] * 2
    assert model.requests == []


async def test_partial_content_is_the_text_of_all_turns() -> None:
    """What the reader has got before a failure, for hook and caller."""
    hook = RecordingHook()
    model = ScriptedChatModel([AssistantMessage("One. ", (CALL,)), BrokenOff("Tw", ValueError())])

    result = await streamed(scripted_agent(model, tools=(look,), hooks=(hook,)), COMMAND)

    assert result.partial_content == hook.response.partial_content == "One. Tw"


@pytest.mark.parametrize("pieces", [1, 127, 128, 129, 256, 257, 384, 385])
async def test_a_model_that_never_pauses_is_cancelled_all_the_same(pieces: int) -> None:
    """Wherever its reader leaves; the hook learns what was handed out by then."""
    hook, model = RecordingHook(), Endless(10_000)
    agent = scripted_agent(model, hooks=(hook,))

    async with aclosing(agent.execute_stream(COMMAND)) as texts:
        read = [await anext(texts) for _ in range(pieces)]

    assert hook.response.error_code is AgentErrorCode.CANCELLED
    assert (hook.response.partial_content or "").startswith("".join(read))
    assert model.closed


async def test_usage_is_reported() -> None:
    """Of all turns."""
    model = ScriptedChatModel([[CALL], "Hi."], usage=TokenUsage(3, 4))

    result = await streamed(scripted_agent(model, tools=(look,)), COMMAND)

    assert result.token_usage == TokenUsage(6, 8)


async def test_a_rejection_reaches_the_text() -> None:
    """With the words that the guard wrote for people."""
    from_guard = AnsweringGuard(RuntimeError("password=hunter2"))

    texts = await list_texts(scripted_agent(ScriptedChatModel([]), guards=(from_guard,)), COMMAND)

    assert texts == ["[error] It ended with GUARD_REJECTED."]


async def rounds(number: int) -> None:
    """Let all tasks go on for some rounds of the event loop."""
    for _ in range(number):
        await asyncio.sleep(0)


async def test_a_slow_reader_slows_the_model() -> None:
    """What waits to be read is bounded, and nothing of it is lost."""
    model = Endless(10_000)
    texts = scripted_agent(model).execute_stream(COMMAND)
    await anext(texts)

    await rounds(1000)
    ahead = model.said
    rest = [text async for text in texts]

    assert ahead < 300
    assert len(rest) == 9_999


async def test_a_slow_reader_slows_no_other_run() -> None:
    """Other runs of the same engine come to their ends meanwhile."""
    agent = scripted_agent(Endless(1000))
    slow = agent.execute_stream(COMMAND)
    await anext(slow)

    others = [await agent.execute(COMMAND) for _ in range(3)]
    quick = await list_texts(agent, COMMAND)
    await slow.aclose()

    assert all(other.success for other in others)
    assert set(quick) == {"word "}


class Late(ChatModel):
    """Has said everything, and does not come to its end."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        raise NotImplementedError

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        yield ChatDelta(text="Everything.")
        await asyncio.Event().wait()


async def test_a_deadline_after_the_last_piece_saves_nothing() -> None:
    """A run is either a success that is saved or a TIMEOUT that is not."""
    manager = ListConversationManager()
    agent = scripted_agent(
        Late(), settings(concurrency={"request_timeout_s": 0.01}), conversation_manager=manager
    )

    result = await streamed(agent, COMMAND)

    assert (result.error_code, result.partial_content) == (AgentErrorCode.TIMEOUT, "Everything.")
    assert manager.messages == []


class SlowManager(ListConversationManager):
    """Saves only after the deadline of the run."""

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        await asyncio.sleep(0.03)
        await super().save_streaming_history(command, content, result=result)


async def test_saving_is_not_part_of_the_deadline() -> None:
    """A success is saved, though the deadline passes meanwhile."""
    manager = SlowManager()
    agent = scripted_agent(
        ScriptedChatModel(["Hi."]),
        settings(concurrency={"request_timeout_s": 0.02}),
        conversation_manager=manager,
    )

    result = await streamed(agent, COMMAND)

    assert result.success
    assert len(manager.messages) == 2


class Shouting(ResponseFilter):
    """Would change the answer."""

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        return content.upper()


async def test_filters_and_cache_do_not_apply() -> None:
    """What has been handed out cannot be changed afterwards, and is not kept."""
    cache, metrics = DictResponseCache(), RecordingMetrics()
    agent = scripted_agent(
        ScriptedChatModel(["Hi.", "Hi."]),
        settings(cache={"enabled": True}, llm={"temperature": 0}),
        response_cache=cache,
        response_filter_chain=ResponseFilterChain((Shouting(),)),
        agent_metrics=metrics,
    )

    results: list[AgentResult] = [await streamed(agent, COMMAND) for _ in range(2)]

    assert [result.content for result in results] == ["Hi.", "Hi."]
    assert (cache.responses, metrics.cache_lookups) == ({}, [])
