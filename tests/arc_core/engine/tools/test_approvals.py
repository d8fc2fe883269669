"""Tool calls that wait for a person."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentResult,
    ApprovalPolicy,
    ApprovalRequested,
    Approve,
    Ask,
    Decision,
    Deny,
    FunctionTool,
    PolicyResult,
    Run,
    RunFinished,
    Tool,
    ToolCall,
    ToolCallContext,
    ToolContext,
    ToolOutcome,
    ToolResultMessage,
    ToolSource,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.settings import AgentSettings, ApprovalsSettings, DecidersSettings, ToolsSettings
from arc_core.testing import ScriptedChatModel
from arc_core.testing.fakes import EveryCallPolicy
from arc_core.testing.run_journals import DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent
from tests.arc_core.engine.asking_agents import agent_of

COMMAND = AgentCommand(user_prompt="Pay.", user_id="ann")


def pay_tool(paid: Counter[int], **options: Any) -> FunctionTool:
    """A tool that pays."""

    @tool(**options)
    async def pay(amount: int) -> str:
        """Pay."""
        paid[amount] += 1
        return f"paid {amount}"

    return pay


def calls(*amounts: int) -> list[ToolCall]:
    """Calls that pay these amounts."""
    return [ToolCall(f"c{each}", "pay", f'{{"amount": {each}}}') for each in amounts]


def engine_of(journals: DictRunJournals, *turns: Any, **parts: Any) -> ReActAgentExecutor:
    """An engine whose model says these."""
    return scripted_agent(ScriptedChatModel(turns), run_journals=journals, **parts)


async def decide(
    journals: DictRunJournals, result: AgentResult, *answers: Approve | Deny
) -> AgentResult:
    """Decide what waits, in its order, and take the run up."""
    for request, answer in zip(result.waiting, answers, strict=True):
        decision = Decision(answer=answer, by="boss", at=datetime.now(UTC))
        await journals.decide(result.run_id, request.key, decision)
    return await journals.take_up(result.run_id)


def outcomes_of(result: AgentResult) -> list[ToolOutcome]:
    """How the calls of a run ended."""
    told = (each for each in result.messages if isinstance(each, ToolResultMessage))
    return [called.outcome for each in told for called in each.results]


async def test_all_calls_of_a_turn_that_wait_are_asked_at_once() -> None:
    """The run waits for all of them, and each gets its own answer."""
    paid, journals = Counter[int](), DictRunJournals()
    parts = {"tools": (pay_tool(paid, needs_approval=True),)}
    engine = engine_of(journals, calls(1, 2, 3), "Done.", **parts)
    await engine.start()

    result = await engine.execute(COMMAND)
    ended = await decide(journals, result, Approve(), Deny("no"), Approve())

    assert [each.key for each in result.waiting] == ["approve/0", "approve/1", "approve/2"]
    assert paid == {1: 1, 3: 1}
    assert outcomes_of(ended) == [ToolOutcome.SUCCESS, ToolOutcome.DENIED, ToolOutcome.SUCCESS]
    assert ended.content == "Done."


async def test_a_function_says_which_calls_wait() -> None:
    """It gets the call, with its arguments."""
    paid, journals = Counter[int](), DictRunJournals()

    async def is_much(call: ToolCallContext) -> bool:
        return int(call.arguments["amount"]) > 100

    tools = (pay_tool(paid, needs_approval=is_much),)
    engine = engine_of(journals, calls(7, 500), "Done.", tools=tools)
    await engine.start()

    result = await engine.execute(COMMAND)

    assert [each.arguments for each in result.waiting] == [{"amount": 500}]
    assert paid == {7: 1}


async def test_settings_name_tools_by_patterns() -> None:
    """A tool need not know of it."""
    paid, journals = Counter[int](), DictRunJournals()
    settings = AgentSettings(tools=ToolsSettings(needs_approval=("pa*",)))
    engine = engine_of(journals, calls(7), tools=(pay_tool(paid),), settings=settings)
    await engine.start()

    result = await engine.execute(COMMAND)

    assert [(each.tool, each.user_id) for each in result.waiting] == [("pay", "ann")]
    assert not paid


RULES = ApprovalsSettings(
    by=(
        DecidersSettings(tools=("send_*",), deciders=("writers",)),
        DecidersSettings(tools=("pa*",), deciders=("finance",), people=2),
        DecidersSettings(deciders=("boss",)),
    )
)


class AsksTheBoard(ApprovalPolicy):
    """Asks three of one group about large sums."""

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        """By the amount."""
        is_large = call.arguments["amount"] > 100
        return Ask("large", deciders="board", people=3) if is_large else Ask()


async def test_the_request_says_which_people_approve() -> None:
    """The first rule that fits says it, unless the policy does; a name alone is one name."""
    paid, journals = Counter[int](), DictRunJournals()
    settings = AgentSettings(approvals=RULES)
    parts = {"tools": (pay_tool(paid),), "approval_policy": AsksTheBoard(), "settings": settings}
    engine = engine_of(journals, calls(7, 500), **parts)
    await engine.start()

    result = await engine.execute(COMMAND)

    asked = [(each.deciders, each.people) for each in result.waiting]
    assert asked == [(("finance",), 2), (("board",), 3)]


class ByAmount(ApprovalPolicy):
    """Small sums run, large ones wait, huge ones are denied; 13 brings it down."""

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        """By the amount."""
        amount = call.arguments["amount"]
        if amount == 13:
            raise RuntimeError("unlucky")
        if amount > 1000:
            return Deny("far too much")
        return Ask(f"pays {amount}") if amount > 100 else Run()


async def test_a_policy_decides_and_fails_closed() -> None:
    """What it denies, and what it cannot judge, is not called; what it asks has its words."""
    paid, journals = Counter[int](), DictRunJournals()
    parts = {"tools": (pay_tool(paid),), "approval_policy": ByAmount()}
    engine = engine_of(journals, calls(7, 500, 5000, 13), "Done.", **parts)
    await engine.start()

    result = await engine.execute(COMMAND)
    ended = await decide(journals, result, Approve())

    assert [each.summary for each in result.waiting] == ["pays 500"]
    assert paid == {7: 1, 500: 1}
    denied = ToolOutcome.DENIED
    assert outcomes_of(ended) == [ToolOutcome.SUCCESS, ToolOutcome.SUCCESS, denied, denied]
    assert "unlucky" not in str(ended.messages)


async def test_a_delegated_agent_waits_with_the_run_that_asked_it() -> None:
    """People are asked in the name of the run that a program has started."""
    paid, journals = Counter[int](), DictRunJournals()
    agents = (
        agent_of("support", delegates=["clerk"], tools=[]),
        agent_of("clerk", tools=[pay_tool(paid, needs_approval=True)]),
    )
    ask = [ToolCall("a", "ask_clerk", '{"task": "Pay 3."}')]
    engine = engine_of(journals, ask, calls(3), "Paid.", "All done.", agents=agents)
    await engine.start()

    result = await engine.execute(COMMAND.model_copy(update={"agent": "support"}))
    ended = await decide(journals, result, Approve())

    [request] = result.waiting
    assert (request.run_id, request.key) == (result.run_id, "tool/0/approve/0")
    assert request.agent == "clerk"
    assert (ended.content, paid) == ("All done.", {3: 1})


@pytest.mark.parametrize("texts", [False, True])
async def test_a_stream_ends_with_what_waits(*, texts: bool) -> None:
    """Readers of events are told at once; readers of texts get no error."""
    paid, journals = Counter[int](), DictRunJournals()
    parts = {"tools": (pay_tool(paid, needs_approval=True),)}
    engine = engine_of(journals, calls(3), **parts)
    await engine.start()

    if texts:
        assert [each async for each in engine.execute_stream(COMMAND)] == []
        return
    events = [each async for each in engine.stream_events(COMMAND)]

    asked, end = events[-2:]
    assert isinstance(asked, ApprovalRequested)
    assert isinstance(end, RunFinished)
    assert end.result.waiting == (asked.request,)
    assert end.result.error_code is None


class Denying:
    """Denies every call; for classes that also say that they never ask."""

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        """Deny it."""
        return Deny("no")


class Inheriting(EveryCallPolicy):
    """Says nothing of `never_asks` itself."""

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        """Deny it."""
        return Deny("no")


class Mixed(Denying, EveryCallPolicy):
    """Has `decide` of one class and `never_asks` of another."""


class Worded(Denying, ApprovalPolicy):
    """Means no, and says it in a word."""

    never_asks = "no"


class SaidBelow(Denying, ApprovalPolicy):
    """Says of a `decide` that it did not write that it never asks."""

    never_asks = True


class Transparent(Denying):
    """Has all other attributes of the policy that it wraps."""

    def __getattr__(self, name: str) -> Any:
        return getattr(EveryCallPolicy(), name)


def patched() -> ApprovalPolicy:
    """A policy whose `decide` was put on the instance."""
    policy = EveryCallPolicy()
    vars(policy)["decide"] = Denying().decide
    return policy


@pytest.mark.parametrize(
    "policy", [Inheriting(), Mixed(), Worded(), SaidBelow(), Transparent(), patched()]
)
async def test_a_policy_is_asked_unless_its_own_class_says_that_it_never_asks(
    policy: ApprovalPolicy,
) -> None:
    """An inherited, borrowed or misspelt `never_asks` approves nothing."""
    paid, journals = Counter[int](), DictRunJournals()
    parts = {"tools": (pay_tool(paid),), "approval_policy": policy}
    engine = engine_of(journals, calls(7), "Done.", **parts)
    await engine.start()

    result = await engine.execute(COMMAND)

    assert not paid
    assert outcomes_of(result) == [ToolOutcome.DENIED]


class Source(ToolSource):
    """Brings a tool that nothing knows of before a run."""

    def __init__(self, *tools: Tool) -> None:
        self._tools = tools

    def tools(self) -> Sequence[Tool]:
        """What it brings."""
        return self._tools


async def test_a_mark_on_a_tool_of_a_source_is_heeded() -> None:
    """Though no tool was marked when the engine was made."""
    paid, journals = Counter[int](), DictRunJournals()
    engine = engine_of(journals, calls(7), tools=(Source(pay_tool(paid, needs_approval=True)),))
    await engine.start()

    result = await engine.execute(COMMAND)

    assert not paid
    assert [each.tool for each in result.waiting] == ["pay"]


class Unreadable(Tool):
    """Fails when it is asked for its mark."""

    name, description, timeout_s = "pay", "Pay.", None
    parameters: Mapping[str, Any] = {"type": "object"}

    @property
    def needs_approval(self) -> bool:
        """There is no telling."""
        raise RuntimeError("unlucky")

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Pay."""
        raise AssertionError("it is not called")


async def test_a_mark_that_cannot_be_read_denies_the_call() -> None:
    """As one that cannot be checked."""
    engine = engine_of(DictRunJournals(), calls(7), "Done.", tools=(Unreadable(),))
    await engine.start()

    result = await engine.execute(COMMAND)

    assert outcomes_of(result) == [ToolOutcome.DENIED]
