"""Streamed runs do all that others do: tools, hooks, limits, time-outs, history, metrics."""

import asyncio
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentEvent,
    AgentMode,
    AssistantMessage,
    Hook,
    HookResult,
    Reject,
    RunFinished,
    TextDelta,
    TokenUsage,
    ToolCall,
    ToolCallContext,
    ToolCallFinished,
    ToolCallResult,
    ToolCallStarted,
    ToolOutcome,
    UserMessage,
    tool,
)
from arc_core.settings import AgentSettings
from arc_core.testing import (
    ListConversationManager,
    RecordingHook,
    RecordingMetrics,
    ScriptedChatModel,
    scripted_agent,
)
from arc_core.testing.scripted_model import Turn
from tests.arc_core.engine.entry_points import events_of, list_texts

COMMAND = AgentCommand(user_prompt="How is the weather in Seoul?", user_id="user-123")
SEOUL = ToolCall("call-1", "weather", '{"city": "Seoul"}')
TIME = ToolCall("call-2", "time", '{"zone": "KST"}')
ASKING = AssistantMessage("Let me look. ", (SEOUL,))


@tool
async def weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: sunny, 25 degrees"


@tool
async def time(zone: str) -> str:
    """The time in a zone."""
    return f"15:00 {zone}"


@tool
async def broken(city: str) -> str:
    """Fails."""
    raise ConnectionError("password=hunter2")


class World:
    """A streaming agent and everything around it."""

    def __init__(self, *turns: Turn, tools: Any = (weather, time), **components: Any) -> None:
        self.model = ScriptedChatModel(turns)
        self.hook, self.metrics = RecordingHook(), RecordingMetrics()
        self.history = ListConversationManager()
        hooks = (*components.pop("hooks", ()), self.hook)
        settings = AgentSettings.model_validate(components.pop("settings", {}))
        self.agent = scripted_agent(
            self.model,
            settings,
            tools=tools,
            hooks=hooks,
            agent_metrics=self.metrics,
            conversation_manager=self.history,
            **components,
        )

    async def texts(self, command: AgentCommand = COMMAND) -> list[str]:
        """The pieces of text."""
        return await list_texts(self.agent, command)

    async def events(self, command: AgentCommand = COMMAND) -> list[AgentEvent]:
        """The events."""
        return await events_of(self.agent, command)


async def test_a_tool_call_is_detected() -> None:
    """A stream that calls a tool goes on after it with another turn of the model."""
    world = World(ASKING, "It is sunny.")

    await world.texts()

    assert len(world.model.requests) == 2
    assert world.model.requests[1].messages[1] == ASKING


async def test_a_tool_call_is_run_and_told() -> None:
    """Its beginning and its end are events, with outcome and duration, between the texts."""
    events = await World(ASKING, "Sunny.").events()

    kinds = [type(event) for event in events]
    assert kinds == [*[TextDelta] * 3, ToolCallStarted, ToolCallFinished, TextDelta, RunFinished]
    started, finished = events[3], events[4]
    assert isinstance(started, ToolCallStarted)
    assert isinstance(finished, ToolCallFinished)
    assert started.call == SEOUL
    assert finished.result.content == "Seoul: sunny, 25 degrees"
    assert (finished.result.outcome, finished.duration_ms > 0) == (ToolOutcome.SUCCESS, True)


async def test_several_tools_are_run() -> None:
    """All calls of a turn, each told when it begins and ends."""
    events = await World(AssistantMessage("Both.", (SEOUL, TIME)), "Sunny, 15:00.").events()

    ended = [event.result.content for event in events if isinstance(event, ToolCallFinished)]
    assert ended == ["Seoul: sunny, 25 degrees", "15:00 KST"]


async def test_each_call_is_told_when_it_ends() -> None:
    """A call that waits for another one ends after it, though it was called first."""
    ready = asyncio.Event()

    @tool
    async def waits() -> str:
        await ready.wait()
        return "second"

    @tool
    async def goes() -> str:
        ready.set()
        return "first"

    calls = [ToolCall("1", "waits", "{}"), ToolCall("2", "goes", "{}")]
    events = await World(calls, "Done.", tools=(waits, goes)).events()

    ended = [event.result.content for event in events if isinstance(event, ToolCallFinished)]
    assert ended == ["first", "second"]


async def test_react_mode_offers_tools() -> None:
    """Every turn of a streamed run has the tools on offer."""
    world = World(ASKING, "Sunny.")

    await world.texts()

    assert [request.tool_choice for request in world.model.requests] == ["auto", "auto"]


async def test_standard_mode_offers_none() -> None:
    """One turn, and calls in it are not run."""
    world = World(ASKING)

    texts = await world.texts(COMMAND.model_copy(update={"mode": AgentMode.STANDARD}))

    assert "".join(texts) == "Let me look. "
    assert (world.model.requests[0].tools, world.metrics.tool_calls) == ((), [])


async def test_a_hook_before_a_tool_call_is_asked() -> None:
    """With the tool's name and its arguments."""
    world = World(ASKING, "Sunny.")

    await world.texts()

    context = world.hook.calls[1][1]
    assert isinstance(context, ToolCallContext)
    assert (context.tool_name, context.arguments) == ("weather", {"city": "Seoul"})


async def test_a_hook_after_a_tool_call_is_told() -> None:
    """With the outcome and what the model reads."""
    world = World(ASKING, "Sunny.")

    await world.texts()

    result = world.hook.calls[2][1]
    assert isinstance(result, ToolCallResult)
    assert (result.outcome, result.content) == (ToolOutcome.SUCCESS, "Seoul: sunny, 25 degrees")


class Forbidding(Hook):
    """Rejects every tool call."""

    async def before_tool_call(self, context: ToolCallContext) -> HookResult:
        return Reject("not today")


async def test_a_rejected_tool_call_is_skipped() -> None:
    """The model reads why, and the stream goes on."""
    world = World(ASKING, "I may not.", hooks=(Forbidding(),))

    texts = await world.texts()

    assert "".join(texts) == "Let me look. I may not."
    assert world.metrics.tool_calls == [("weather", ToolOutcome.BLOCKED)]
    assert "Tool call rejected: not today" in str(world.model.requests[1].messages)


async def test_the_limit_of_tool_calls_ends_them() -> None:
    """A model that goes on calling is asked for its answer without tools."""
    world = World(ASKING, ASKING, "Enough.", settings={"max_tool_calls": 2})

    texts = await world.texts()

    assert texts[-1] == "Enough."
    assert [request.tool_choice for request in world.model.requests] == ["auto", "auto", "none"]


async def test_a_deadline_ends_the_stream() -> None:
    """With an error in the text, and the code for hooks and metrics."""

    @tool
    async def weather(city: str) -> str:
        await asyncio.Event().wait()
        return city

    world = World(ASKING, tools=(weather,), settings={"concurrency": {"request_timeout_s": 0.01}})

    texts = await world.texts()

    assert texts == ["Let ", "me ", "look. ", "[error] It ended with TIMEOUT."]
    assert world.hook.response.error_code is AgentErrorCode.TIMEOUT
    assert world.history.messages == []


async def test_the_last_hook_is_told_of_a_success() -> None:
    """Once, with the content of the last turn."""
    world = World(ASKING, "It is sunny.")

    await world.texts()

    assert world.hook.names.count("after_agent_complete") == 1
    assert (world.hook.response.success, world.hook.response.content) == (True, "It is sunny.")


async def test_the_last_hook_is_told_of_a_failure() -> None:
    """Once, with code, message and what had been handed out."""
    world = World(ASKING, ValueError("password=hunter2"))

    await world.texts()

    assert world.hook.names.count("after_agent_complete") == 1
    response = world.hook.response
    assert (response.success, response.error_code) == (False, AgentErrorCode.UNKNOWN)
    assert (response.content, response.partial_content) == (None, "Let me look. ")


async def test_the_last_hook_is_told_of_the_tools() -> None:
    """Names in first-call order, and the usage of all turns."""
    world = World(AssistantMessage("", (TIME, SEOUL)), "Sunny.")

    await world.texts()

    assert world.hook.response.tools_used == ("time", "weather")
    assert world.hook.response.token_usage == TokenUsage(20, 10)


async def test_a_stream_is_measured() -> None:
    """As one streaming run, with its tool calls and model calls."""
    world = World(ASKING, "Sunny.")

    await world.texts()

    assert [(run.streaming, run.error_code) for run in world.metrics.runs] == [(True, None)]
    assert world.metrics.tool_calls == [("weather", ToolOutcome.SUCCESS)]
    assert len(world.metrics.model_calls) == 2


async def test_history_is_saved() -> None:
    """Question and answer of a stream of text alone."""
    world = World("It is sunny.")

    await world.texts()

    question = UserMessage(COMMAND.user_prompt)
    assert world.history.messages == [question, AssistantMessage("It is sunny.")]


async def test_history_after_tools_has_the_last_turn_only() -> None:
    """What was said before a tool call is for the reader, not for later."""
    world = World(ASKING, "It is sunny.")

    await world.texts()

    assert world.history.messages[1:] == [AssistantMessage("It is sunny.")]


async def test_a_failing_tool_does_not_end_the_stream() -> None:
    """The model reads that it failed and not why; the stream goes on."""
    call = ToolCall("call-1", "broken", SEOUL.arguments)
    world = World([call], "I could not find out.", tools=(broken,))

    texts = await world.texts()

    assert "".join(texts) == "I could not find out."
    assert "Error: Tool 'broken' failed" in str(world.model.requests[1].messages)
    assert "hunter2" not in str(world.model.requests[1].messages)


async def test_an_unknown_tool_does_not_end_the_stream() -> None:
    """The model reads that there is no such tool; the name is not among the tools used."""
    world = World([ToolCall("call-1", "crystal_ball", "{}")], "I do not know.")

    texts = await world.texts()

    assert "".join(texts) == "I do not know."
    assert "Error: Tool 'crystal_ball' not found" in str(world.model.requests[1].messages)
    assert world.hook.response.tools_used == ()


@pytest.mark.parametrize("fields", [{}, {"session_id": "s-1"}, {"metadata": {"a": 1}}])
async def test_texts_are_the_texts_of_the_events(fields: dict[str, Any]) -> None:
    """The stream of texts is a projection of the stream of events."""
    command = COMMAND.model_copy(update=fields)

    texts = await World(ASKING, "It is sunny.").texts(command)
    events = await World(ASKING, "It is sunny.").events(command)

    assert texts == [event.text for event in events if isinstance(event, TextDelta)]
