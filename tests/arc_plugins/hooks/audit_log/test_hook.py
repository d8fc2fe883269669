"""One record per run and tool call, without secrets, and without texts unless they are wanted."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from structlog.stdlib import BoundLogger
from structlog.testing import CapturingLogger

from arc_core import (
    AgentErrorCode,
    AgentResult,
    Approve,
    Decision,
    Deny,
    FinishReason,
    Hook,
    HookContext,
    TokenUsage,
    ToolCall,
    ToolCallContext,
    ToolCallResult,
    ToolOutcome,
    UserMessage,
    tool,
)
from arc_core.command import AgentCommand
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.conformance.hook import HookConformance
from arc_plugins.hooks.audit_log import AuditSettings
from arc_plugins.hooks.audit_log.hook import AuditLogHook

RUN = HookContext(
    run_id="run-1",
    user_id="ann",
    session_id="s-1",
    tenant_id="acme",
    user_prompt="Mail Bob.",
    started_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
)
CALL = ToolCallContext(
    agent_context=RUN,
    tool_name="send_mail",
    arguments={
        "to": "bob@example.com",
        "api_key": "sk-1",
        "monkey": "see",
        "copies": 2,
        "parts": [{"text": "hi", "password": "hunter2"}],
    },
    call_index=3,
)
RESULT = ToolCallResult(outcome=ToolOutcome.SUCCESS, content="sent", duration_ms=12.34567)


def sha256(text: str) -> str:
    """The hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def log() -> CapturingLogger:
    """What is recorded."""
    return CapturingLogger()


def hook_with(log: CapturingLogger, *, include_text: bool = False) -> AuditLogHook:
    """A hook whose records can be read."""
    settings = AuditSettings(enabled=True, include_text=include_text)
    return AuditLogHook(settings=settings, logger=BoundLogger(log, [], {}))


def only_record(log: CapturingLogger) -> dict[str, Any]:
    """The fields of the one record there is."""
    [call] = log.calls
    assert call.method_name == "info"
    return dict(call.kwargs)


class TestConformance(HookConformance):
    """It is a hook like any other."""

    def make_hook(self) -> Hook:
        return hook_with(CapturingLogger())


DONE = AgentResult(
    success=True,
    content="Done.",
    tools_used=("send_mail",),
    token_usage=TokenUsage(10, 5, 4, 3, 2),
    duration_ms=99.87654,
    finish_reason=FinishReason.STOP,
    model="quick",
    provider="acme",
)


RECORD = {
    "event": "audit: run",
    "run_id": "run-1",
    "user_id": "ann",
    "session_id": "s-1",
    "tenant_id": "acme",
    "started_at": "2026-01-02T03:04:05+00:00",
    "success": True,
    "error_code": None,
    "duration_ms": 99.877,
    "tools_used": ["send_mail"],
    "prompt_tokens": 10,
    "completion_tokens": 5,
    "cached_tokens": 4,
    "cache_write_tokens": 3,
    "reasoning_tokens": 2,
    "finish_reason": "stop",
    "cache_hit": False,
    "agent": "default",
    "model": "quick",
    "provider": "acme",
    "prompt_sha256": sha256("Mail Bob."),
    "prompt_chars": 9,
    "answer_sha256": sha256("Done."),
    "answer_chars": 5,
}


async def test_a_run_is_one_record(log: CapturingLogger) -> None:
    """It says who, when, how it ended, how long it took and what it cost."""
    await hook_with(log).after_agent_complete(RUN, DONE)

    assert only_record(log) == RECORD


async def test_a_failure_is_recorded_with_what_was_handed_out(log: CapturingLogger) -> None:
    """The code says why; the partial content is the answer there was."""
    response = AgentResult(success=False, error_code=AgentErrorCode.TIMEOUT, partial_content="So f")

    await hook_with(log, include_text=True).after_agent_complete(RUN, response)

    record = only_record(log)
    assert record["error_code"] == "TIMEOUT"
    assert record["answer"] == "So f"
    assert record["prompt"] == "Mail Bob."


async def test_what_tools_and_messages_hold_is_not_recorded(log: CapturingLogger) -> None:
    """The form of a result has more texts than the two that may be wanted."""
    said = "a text of the user"
    response = replace(
        DONE,
        messages=(UserMessage(said),),
        metadata={"said": said},
        output=said,
        reasoning=said,
        error_message=said,
    )

    await hook_with(log, include_text=True).after_agent_complete(RUN, response)

    assert said not in str(only_record(log))


async def test_a_tool_call_is_one_record(log: CapturingLogger) -> None:
    """It says which tool, how it ended and how long it took."""
    await hook_with(log).after_tool_call(CALL, RESULT)

    record = only_record(log)
    assert record["event"] == "audit: tool call"
    assert record["run_id"] == "run-1"
    assert record["tool"] == "send_mail"
    assert record["call_index"] == 3
    assert record["outcome"] == "success"
    assert record["duration_ms"] == 12.346
    assert record["result_sha256"] == sha256("sent")


@pytest.mark.parametrize(
    ("answer", "how"),
    [
        (Approve(), {"approved": True, "arguments_changed": False}),
        (Approve({"copies": 1}), {"approved": True, "arguments_changed": True}),
        (
            Deny("too much"),
            {
                "approved": False,
                "arguments_changed": False,
                "reason_sha256": sha256("too much"),
                "reason_chars": 8,
            },
        ),
    ],
)
async def test_a_decision_is_recorded_with_who_has_made_it(
    log: CapturingLogger, answer: Approve | Deny, how: dict[str, object]
) -> None:
    """And when, and whether the arguments are those that the model wrote."""
    decision = Decision(answer=answer, by="boss", at=datetime(2026, 1, 2, tzinfo=UTC))

    await hook_with(log).after_tool_call(replace(CALL, decision=decision), RESULT)

    assert only_record(log)["decision"] == {"by": "boss", "at": "2026-01-02T00:00:00+00:00", **how}


async def test_a_call_that_did_not_wait_has_no_decision(log: CapturingLogger) -> None:
    """The field is there all the same."""
    await hook_with(log).after_tool_call(CALL, RESULT)

    assert only_record(log)["decision"] is None


async def test_texts_in_arguments_are_hashed(log: CapturingLogger) -> None:
    """At any depth; numbers stay, secrets are masked, and a monkey is not a key."""
    await hook_with(log).after_tool_call(CALL, RESULT)

    assert only_record(log)["arguments"] == {
        "to": f"sha256:{sha256('bob@example.com')}",
        "api_key": "***",
        "monkey": f"sha256:{sha256('see')}",
        "copies": 2,
        "parts": [{"text": f"sha256:{sha256('hi')}", "password": "***"}],
    }


async def test_wanted_texts_are_recorded_and_secrets_are_not(log: CapturingLogger) -> None:
    """`audit.include_text` shows texts; secret-looking arguments stay masked."""
    await hook_with(log, include_text=True).after_tool_call(CALL, RESULT)

    record = only_record(log)
    assert record["result"] == "sent"
    assert record["arguments"]["to"] == "bob@example.com"
    assert record["arguments"]["api_key"] == "***"
    assert record["arguments"]["parts"] == [{"text": "hi", "password": "***"}]


async def test_a_real_run_leaves_one_record_per_call_and_one_for_itself(
    log: CapturingLogger,
) -> None:
    """Two tool calls and an answer are three records of one run, in the order of events."""

    @tool
    async def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    calls = [ToolCall("1", "add", '{"a": 1, "b": 2}'), ToolCall("2", "no_such_tool", "{}")]
    agent = scripted_agent(ScriptedChatModel([calls, "3"]), hooks=(hook_with(log),), tools=(add,))

    result = await agent.execute(AgentCommand(user_prompt="1 + 2?"))

    records = [call.kwargs for call in log.calls]
    assert {record["run_id"] for record in records} == {result.run_id}
    assert sorted(record.get("outcome", "") for record in records) == ["", "not_found", "success"]
    assert records[-1]["event"] == "audit: run"
