"""The state of one run."""

import asyncio
import time
from datetime import UTC, datetime
from uuid import UUID

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AssistantMessage,
    ChatResponse,
    TextDelta,
    TokenUsage,
    ToolCall,
    ToolCallStarted,
)
from arc_core.engine.event_channel import EventChannel
from arc_core.engine.run_state import ActiveRun, RunStoppedError

COMMAND = AgentCommand(
    user_prompt="Hello", session_id="7", tenant_id="acme", metadata={"channel": "web"}
)


def test_a_new_run_has_an_id_and_a_context() -> None:
    """A UUID, the command's fields, the time of acceptance in UTC."""
    before = datetime.now(UTC)

    run = ActiveRun.of(COMMAND)

    context = run.hook_context
    assert str(UUID(run.run_id)) == run.run_id == context.run_id
    assert (context.user_id, context.session_id, context.tenant_id) == ("anonymous", "7", "acme")
    assert (context.user_prompt, context.metadata) == ("Hello", {"channel": "web"})
    assert before <= context.started_at <= datetime.now(UTC)


def test_the_commands_metadata_stay_its_own() -> None:
    """What hooks note does not go back into the command."""
    run = ActiveRun.of(COMMAND)

    run.hook_context.metadata["note"] = 1

    assert COMMAND.metadata == {"channel": "web"}


@pytest.mark.parametrize("user_id", [None, "", "  "])
def test_a_run_without_a_user_is_anonymous(user_id: str | None) -> None:
    """One bucket for missing, empty and blank."""
    run = ActiveRun.of(AgentCommand(user_prompt="Hello", user_id=user_id))

    assert run.hook_context.user_id == "anonymous"


def test_a_replaced_prompt_is_replaced_everywhere() -> None:
    """In the command and for the hooks; everything else stays, the notes too."""
    run = ActiveRun.of(COMMAND)
    notes = run.hook_context.metadata

    run.go_on_with("Hi", ())

    assert (run.command.user_prompt, run.hook_context.user_prompt) == ("Hi", "Hi")
    assert run.command.session_id == "7"
    assert run.hook_context.metadata is notes
    assert COMMAND.user_prompt == "Hello"


def test_usage_adds_up() -> None:
    """None adds nothing, and nothing at all stays None."""
    run = ActiveRun.of(COMMAND)

    run.add_response(_response(None))
    first = run.token_usage
    for usage in (TokenUsage(1, 2), None, TokenUsage(10, 20)):
        run.add_response(_response(usage))

    assert first is None
    assert run.token_usage == TokenUsage(11, 22)


async def test_what_is_handed_out_is_remembered_and_told() -> None:
    """The text so far is the partial content."""
    channel = EventChannel(1)
    run = ActiveRun.of(COMMAND, channel)

    empty = run.partial_content
    waiting = run.hand_out("Hel")

    assert waiting is None
    assert empty is None
    assert run.partial_content == "Hel"
    assert await channel.get() == TextDelta("Hel")
    assert run.streaming


async def test_what_finds_no_room_waits_for_it() -> None:
    """It is told as soon as the reader has taken something."""
    channel = EventChannel(1)
    run = ActiveRun.of(COMMAND, channel)
    run.hand_out("Hel")

    waiting = run.hand_out("lo")
    assert waiting is not None
    put = asyncio.ensure_future(waiting)

    assert [await channel.get(), await channel.get()] == [TextDelta("Hel"), TextDelta("lo")]
    await put


async def test_events_are_numbered_in_the_order_they_are_read() -> None:
    """Those of tool calls at once, too, of which some have waited for room."""
    channel = EventChannel(2)
    run = ActiveRun.of(COMMAND, channel)
    calls = [ToolCallStarted(ToolCall(f"{number}", "look", "{}")) for number in range(9)]
    for text in ("One", "Two"):
        run.hand_out(text)

    waiting = [asyncio.ensure_future(run.emit(call)) for call in calls]
    read = [await channel.get() for _ in range(2 + len(calls))]

    assert [getattr(event, "seq", 0) for event in read] == [*range(1, 12)]
    assert {getattr(event, "run_id", "") for event in read} == {run.run_id}
    assert all(each.done() for each in waiting)


async def test_a_run_without_a_channel_sends_no_events() -> None:
    """`execute` has no events."""
    run = ActiveRun.of(COMMAND)

    await run.emit(ToolCallStarted(ToolCall("1", "look", "{}")))
    run.hand_out("Hello")

    assert not run.streaming
    assert run.partial_content == "Hello"


def test_durations_are_milliseconds_since_the_start() -> None:
    """They grow."""
    run = ActiveRun.of(COMMAND)
    run.started = time.perf_counter() - 2

    assert 2000 <= run.duration_ms < 3000


def test_a_stop_has_a_code_and_maybe_a_message() -> None:
    """No message is the resolver's."""
    stopped = RunStoppedError(AgentErrorCode.TIMEOUT)

    assert (stopped.code, stopped.message) == (AgentErrorCode.TIMEOUT, None)
    assert RunStoppedError(AgentErrorCode.GUARD_REJECTED, "No.").message == "No."


def _response(usage: TokenUsage | None) -> ChatResponse:
    return ChatResponse(AssistantMessage("Hi"), usage)
