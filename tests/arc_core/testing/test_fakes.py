"""The fakes: real, small implementations that remember."""

from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    AssistantMessage,
    CacheLookup,
    Document,
    FaultSource,
    HookContext,
    ModelCallRecord,
    RunRecord,
    ToolCallContext,
    ToolCallResult,
    ToolOutcome,
    UserMessage,
    tool,
)
from arc_core.testing import (
    CharacterEstimator,
    CodeMessageResolver,
    EveryToolSelector,
    FixedRetriever,
    ListConversationManager,
    RecordingHook,
    RecordingMetrics,
)

COMMAND = AgentCommand(user_prompt="Hello")
CONTEXT = HookContext(
    run_id="r", user_id="ann", user_prompt="Hello", started_at=datetime(2025, 1, 1, tzinfo=UTC)
)
CALL = ToolCallContext(agent_context=CONTEXT, tool_name="look", arguments={}, call_index=0)


@tool
async def look() -> str:
    """Looks."""
    return "seen"


async def test_a_hook_remembers_its_calls() -> None:
    """Names and last arguments, in order; the last response apart."""
    hook = RecordingHook()
    result = ToolCallResult(outcome=ToolOutcome.SUCCESS, content="seen", duration_ms=1)
    first, last = AgentResult(success=False), AgentResult(success=True)

    await hook.before_agent_start(CONTEXT)
    await hook.before_tool_call(CALL)
    await hook.after_tool_call(CALL, result)
    await hook.after_agent_complete(CONTEXT, first)
    await hook.after_agent_complete(CONTEXT, last)

    assert [value for _, value in hook.calls] == [CONTEXT, CALL, result, first, last]
    assert hook.names[:3] == ["before_agent_start", "before_tool_call", "after_tool_call"]
    assert hook.response is last


def test_metrics_remember_their_records() -> None:
    """A list for each kind."""
    metrics = RecordingMetrics()
    run = RunRecord(streaming=True, error_code=None, duration_ms=1, token_usage=None)
    call = ModelCallRecord(model=None, attempts=1, error_code=None, duration_ms=1, token_usage=None)

    metrics.record_run(run)
    metrics.record_model_call(call)
    metrics.record_tool_call("look", 1, ToolOutcome.SUCCESS)
    metrics.record_cache_lookup(CacheLookup.MISS)
    metrics.record_fault(FaultSource.HOOK)

    assert (metrics.runs, metrics.model_calls) == ([run], [call])
    assert metrics.tool_calls == [("look", ToolOutcome.SUCCESS)]
    assert (metrics.cache_lookups, metrics.faults) == ([CacheLookup.MISS], [FaultSource.HOOK])


@pytest.mark.parametrize(
    ("result", "kept"),
    [
        (AgentResult(success=True, content="Hi."), ["Hi."]),
        (AgentResult(success=False, partial_content="Half"), ["Half"]),
        (AgentResult(success=False), []),
    ],
    ids=["success", "partial", "failure"],
)
async def test_a_manager_keeps_question_and_answer(result: AgentResult, kept: list[str]) -> None:
    """After the history it was given; of a failure what was handed out."""
    manager = ListConversationManager([UserMessage("Before")])

    await manager.save_history(COMMAND, result)

    answers: list[Any] = [AssistantMessage(text) for text in kept]
    assert list(await manager.load_history(COMMAND)) == [
        UserMessage("Before"),
        UserMessage("Hello"),
        *answers,
    ]


async def test_a_manager_keeps_streams_too() -> None:
    """The text of the last turn."""
    manager = ListConversationManager()

    await manager.save_streaming_history(COMMAND, "Hi.")

    assert manager.messages == [UserMessage("Hello"), AssistantMessage("Hi.")]


def test_a_character_is_a_token() -> None:
    """So that tests can count."""
    assert [CharacterEstimator().estimate(text) for text in ("", "abc", "한국")] == [0, 3, 2]


async def test_every_tool_is_selected() -> None:
    """Whatever the prompt."""
    assert list(await EveryToolSelector().select("?", [look])) == [look]


async def test_the_same_documents_are_found() -> None:
    """For every query, up to the limit."""
    documents = [Document("one"), Document("two")]

    assert list(await FixedRetriever(documents).retrieve("?", limit=1)) == documents[:1]


@pytest.mark.parametrize("code", AgentErrorCode)
def test_a_code_is_its_own_message(code: AgentErrorCode) -> None:
    """In a sentence, so that texts and codes are not mixed up."""
    assert CodeMessageResolver().resolve(code) == f"It ended with {code.value}."
