"""One run becomes a tree of spans."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import StatusCode, get_current_span

from arc_core import (
    Agent,
    AgentCommand,
    AgentResult,
    Guard,
    GuardRequest,
    Hook,
    Rejected,
    RejectionCategory,
    ToolCall,
    tool,
)
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.conformance.hook import HookConformance
from tests.arc_plugins.metrics.open_telemetry.telemetry import Telemetry, attributes

COMMAND = AgentCommand(user_prompt="secret question", session_id="s1", model="m")


class TestOpenTelemetryHook(HookConformance):
    """What the engine relies on."""

    def make_hook(self) -> Hook:
        """One that records into memory."""
        return Telemetry(include_text=True).hook()


class Closed(Guard):
    """Lets no prompt in."""

    async def check(self, request: GuardRequest) -> Rejected:
        return Rejected("closed", RejectionCategory.UNAUTHORIZED)


@tool
def look_up(word: str) -> str:
    """Look up a word."""
    return f"secret {word}"


async def run(telemetry: Telemetry, turns: Sequence[Any], **components: Any) -> AgentResult:
    """One run with the model's turns, recorded."""
    agent = scripted_agent(
        ScriptedChatModel(turns),
        **{
            "hooks": [telemetry.hook()],
            "tools": [look_up],
            "agent_metrics": telemetry.metrics(),
            **components,
        },
    )
    return await agent.execute(COMMAND)


def parent_of(span: ReadableSpan) -> int | None:
    """The id of the span it is in."""
    return None if span.parent is None else span.parent.span_id


async def test_a_run_is_a_tree_of_spans() -> None:
    """Model calls and tool calls are inside of the run, in one trace."""
    telemetry = Telemetry()

    await run(telemetry, [[ToolCall("1", "look_up", '{"word": "arc"}')], "done"])

    names = [span.name for span in telemetry.spans]
    root = telemetry.span("invoke_agent")
    assert names == ["chat m", "execute_tool look_up", "chat m", "invoke_agent"]
    assert parent_of(root) is None
    assert {parent_of(span) for span in telemetry.spans[:3]} == {root.context.span_id}
    assert len({span.context.trace_id for span in telemetry.spans}) == 1


async def test_spans_say_what_was_done() -> None:
    """By the names of the conventions, without any text."""
    telemetry = Telemetry()

    result = await run(telemetry, [[ToolCall("1", "look_up", '{"word": "arc"}')], "secret answer"])

    assert attributes(telemetry.span("invoke_agent")) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.conversation.id": "s1",
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 10,
        "arc.run.id": result.run_id,
    }
    assert attributes(telemetry.span("execute_tool look_up")) == {
        "gen_ai.tool.call.id": "1",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look_up",
        "gen_ai.tool.type": "function",
    }
    assert "secret" not in "".join(span.to_json() for span in telemetry.spans)


async def test_texts_are_written_where_they_are_wanted() -> None:
    """Prompt, answer, arguments and result; values of secret-looking arguments never are."""
    telemetry = Telemetry(include_text=True)

    await run(telemetry, [[ToolCall("1", "look_up", '{"word": "arc", "api_key": "k"}')], "answer"])

    run_span = attributes(telemetry.span("invoke_agent"))
    call = attributes(telemetry.span("execute_tool look_up"))
    (question,) = json.loads(run_span["gen_ai.input.messages"])
    assert question["parts"] == [{"type": "text", "content": "secret question"}]
    assert json.loads(run_span["gen_ai.output.messages"])[0]["parts"][0]["content"] == "answer"
    assert json.loads(call["gen_ai.tool.call.arguments"]) == {"word": "arc", "api_key": "***"}
    assert call["gen_ai.tool.call.result"].startswith("Error: Invalid arguments")


async def test_a_tools_own_spans_are_inside_of_its_call() -> None:
    """The call's span is the current one while the tool runs."""
    telemetry, seen = Telemetry(), list[int]()

    @tool
    async def look_inside() -> str:
        """Say which span is the current one."""
        seen.append(get_current_span().get_span_context().span_id)
        return "looked"

    await run(telemetry, [[ToolCall("1", "look_inside", "{}")], "done"], tools=[look_inside])

    assert seen == [telemetry.span("execute_tool look_inside").context.span_id]


async def test_a_rejected_run_has_a_span() -> None:
    """Guards come before hooks, and yet the run is seen."""
    telemetry = Telemetry()

    await run(telemetry, [], guards=[Closed()])

    (span,) = telemetry.spans
    assert span.status.status_code is StatusCode.ERROR
    assert attributes(span)["error.type"] == "GUARD_REJECTED"


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [("look_up", "{}", "invalid_arguments"), ("\ud800", "{}", "not_found")],
)
async def test_a_failed_tool_call_has_a_failed_span(name: str, arguments: str, error: str) -> None:
    """Also for a tool that the model has invented, whatever its name."""
    telemetry = Telemetry()

    await run(telemetry, [[ToolCall("1", name, arguments)], "done"])

    span = next(span for span in telemetry.spans if span.name.startswith("execute_tool"))
    assert attributes(span)["error.type"] == error
    assert span.to_json().encode("utf-8")
    assert span.name.encode("utf-8")


async def test_a_cancelled_run_ends_all_its_spans() -> None:
    """Those of tools that were at work, too."""
    telemetry, at_work = Telemetry(), asyncio.Event()

    @tool
    async def wait() -> None:
        """Wait for ever."""
        at_work.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(run(telemetry, [[ToolCall("1", "wait", "{}")]], tools=[wait]))
    await at_work.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    errors = {span.name: attributes(span).get("error.type") for span in telemetry.spans}
    assert errors == {"chat m": None, "execute_tool wait": "cancelled", "invoke_agent": "CANCELLED"}


async def test_concurrent_runs_have_traces_of_their_own() -> None:
    """No span of one is inside of another, and nothing is remembered of either."""
    telemetry = Telemetry()
    hook, metrics = telemetry.hook(), telemetry.metrics()

    async with asyncio.TaskGroup() as group:
        for _ in range(10):
            group.create_task(run(telemetry, ["done"], hooks=[hook], agent_metrics=metrics))

    traces = [span.context.trace_id for span in telemetry.spans]
    assert len(traces) == 20
    assert {traces.count(trace) for trace in traces} == {2}
    assert hook._open == {}


async def test_the_span_of_a_run_names_its_agent() -> None:
    """Unless it is the default one."""
    telemetry, agents = Telemetry(), (Agent("refunds"),)
    agent = scripted_agent(ScriptedChatModel(["Hi."]), hooks=[telemetry.hook()], agents=agents)

    await agent.execute(COMMAND.model_copy(update={"agent": "refunds"}))

    assert attributes(telemetry.span("invoke_agent"))["gen_ai.agent.name"] == "refunds"


async def test_a_run_of_an_agent_that_was_asked_names_the_run_above() -> None:
    """And its span lies in that of the call that asked."""
    telemetry = Telemetry()
    agents = Agent("desk", delegates=["refunds"]), Agent("refunds")
    turns: list[Any] = [[ToolCall("1", "ask_refunds", '{"task": "Well?"}')], "Yes.", "You get it."]
    agent = scripted_agent(ScriptedChatModel(turns), hooks=[telemetry.hook()], agents=agents)

    result = await agent.execute(COMMAND.model_copy(update={"agent": "desk"}))

    inner, outer = [span for span in telemetry.spans if span.name == "invoke_agent"]
    names = [attributes(span)["gen_ai.agent.name"] for span in (outer, inner)]
    assert names == ["desk", "refunds"]
    assert attributes(inner)["arc.run.parent.id"] == result.run_id
    assert "arc.run.parent.id" not in attributes(outer)
    assert parent_of(inner) == telemetry.span("execute_tool ask_refunds").context.span_id
