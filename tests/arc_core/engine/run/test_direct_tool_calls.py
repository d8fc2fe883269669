"""Tools that other programs call, without a model."""

import asyncio
from typing import Any

import pytest

from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    ApprovalPolicy,
    Ask,
    Continue,
    Deny,
    Hook,
    HookResult,
    PolicyResult,
    Reject,
    RunFailedError,
    Tool,
    ToolCall,
    ToolCallContext,
    ToolCallProgress,
    ToolCallResult,
    ToolContext,
    ToolOutcome,
    ToolResult,
    tool,
)
from arc_core.testing import FixedRunScopes, ScriptedChatModel, scripted_agent

FOR = AgentCommand(user_prompt="", user_id="ann")


@tool
async def add(a: int, context: ToolContext) -> str:
    """Add."""
    await context.progress("adding")
    return f"{a + 1} for {context.user_id}"


@tool(timeout_s=0.01)
async def hang() -> str:
    """Hang."""
    await asyncio.Event().wait()
    return ""


@tool
async def cancel_itself() -> str:
    """Raise what a cancelled future does."""
    raise asyncio.CancelledError


@tool(needs_approval=lambda call: call.arguments.get("a") == 7)
async def pay(a: int) -> str:
    """Pay."""
    return f"paid {a}"


class Watcher(Hook):
    """Notes calls, and rejects one."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def before_tool_call(self, context: ToolCallContext) -> HookResult:
        self.seen.append(f"before {context.arguments}")
        return Reject("not that") if context.arguments == {"a": 13} else Continue()

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        self.seen.append(f"after {result.outcome}")


class Policy(ApprovalPolicy):
    """Says the same of every call."""

    def __init__(self, word: PolicyResult) -> None:
        self.word = word

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        return self.word


async def call(
    tools: tuple[Tool, ...], name: str, arguments: str = "{}", **more: Any
) -> ToolResult:
    """Call one of some tools."""
    report = more.pop("report", None)
    executor = scripted_agent(ScriptedChatModel([]), tools=tools, **more)
    return await executor.call_tool(ToolCall("c1", name, arguments), FOR, report=report)


async def test_a_tool_is_called_for_a_user() -> None:
    """Its progress is told, and hooks see the call."""
    reports: list[ToolCallProgress] = []
    watcher = Watcher()

    result = await call((add,), "add", '{"a": 1}', report=reports.append, hooks=(watcher,))

    assert (result.content, result.outcome) == ("2 for ann", ToolOutcome.SUCCESS)
    assert [each.message for each in reports] == ["adding"]
    assert watcher.seen == ["before {'a': 1}", "after success"]


@pytest.mark.parametrize(
    ("name", "arguments", "outcome", "said"),
    [
        ("add", '{"a": "x"}', ToolOutcome.INVALID_ARGUMENTS, "a: Input should be"),
        ("add", '{"a": 13}', ToolOutcome.BLOCKED, "Tool call rejected: not that"),
        ("hang", "{}", ToolOutcome.TIMED_OUT, "timed out after 0.01 seconds"),
        ("cancel_itself", "{}", ToolOutcome.FAILED, "Tool 'cancel_itself' failed"),
        ("nothing", "{}", ToolOutcome.NOT_FOUND, "Tool 'nothing' not found"),
        ("pay", '{"a": 7}', ToolOutcome.DENIED, "A person has to approve"),
        ("pay", '{"a": 8}', ToolOutcome.SUCCESS, "paid 8"),
    ],
)
async def test_what_binds_a_model_binds_others(
    name: str, arguments: str, outcome: ToolOutcome, said: str
) -> None:
    """Schemas, hooks, time-outs, approvals; failures are results."""
    tools = (add, hang, cancel_itself, pay)

    result = await call(tools, name, arguments, hooks=(Watcher(),))

    assert result.outcome is outcome
    assert said in result.text


@pytest.mark.parametrize(
    ("word", "said"), [(Deny("not today"), "was denied: not today"), (Ask(), "has to approve")]
)
async def test_the_policy_is_asked(word: PolicyResult, said: str) -> None:
    """What it denies, or would ask a person about, is not called."""
    result = await call((add,), "add", '{"a": 1}', approval_policy=Policy(word))

    assert result.outcome is ToolOutcome.DENIED
    assert said in result.text


async def test_what_a_person_always_decides_is_not_offered() -> None:
    """Nor what asks another agent."""

    @tool(needs_approval=True)
    async def refund() -> str:
        """Refund."""
        return ""

    asking = Agent("other", description="Other.").as_tool()
    executor = scripted_agent(ScriptedChatModel([]), tools=(add, refund, asking))

    assert [each.name for each in executor.callable_tools()] == ["add"]


@tool
async def use(how: str, context: ToolContext) -> str:
    """Use a component of the run."""
    started = await context.get(asyncio.Event)
    if how == "fail":
        raise ValueError
    if how == "hang":
        started.set()
        await asyncio.Event().wait()
    return "used"


def scopes_with(started: asyncio.Event) -> FixedRunScopes:
    """Scopes that note how each run ended."""
    return FixedRunScopes({asyncio.Event: started})


async def test_components_of_a_successful_call_are_closed_as_after_an_answer() -> None:
    """Nothing is raised at their `yield`."""
    scopes = scopes_with(asyncio.Event())

    await call((use,), "use", '{"how": "well"}', run_scopes=scopes)

    assert scopes.opened[0].endings == [None]


async def test_components_of_a_failed_call_see_the_failure() -> None:
    """So that a transaction is rolled back."""
    scopes = scopes_with(asyncio.Event())

    await call((use,), "use", '{"how": "fail"}', run_scopes=scopes)

    (ending,) = scopes.opened[0].endings
    assert isinstance(ending, RunFailedError)
    assert ending.result.error_code is AgentErrorCode.TOOL_ERROR


async def test_components_of_a_cancelled_call_see_the_cancellation() -> None:
    """And it leaves the caller afterwards."""
    scopes = scopes_with(started := asyncio.Event())
    calling = asyncio.create_task(call((use,), "use", '{"how": "hang"}', run_scopes=scopes))
    await started.wait()

    calling.cancel()
    await asyncio.wait([calling])

    assert calling.cancelled()
    (ending,) = scopes.opened[0].endings
    assert isinstance(ending, asyncio.CancelledError)
