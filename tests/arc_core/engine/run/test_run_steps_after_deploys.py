"""Runs that go on in a process which has less than the one before."""

from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Approve,
    Decision,
    Deny,
    FunctionTool,
    RunSuspended,
    ToolCall,
    ToolContext,
    ToolOutcome,
    tool,
)
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals
from tests.arc_core.leaving_runs import leave_run_before


@tool
async def look_up() -> str:
    """Look it up."""
    return "found"


@tool
async def count() -> int:
    """Count."""
    return 1


async def lives(command: AgentCommand, first: dict[str, Any], later: dict[str, Any]) -> AgentResult:
    """The result of a run whose process ends before its tool call."""
    journals = DictRunJournals()
    model = ScriptedChatModel([[ToolCall("1", "look_up", "{}")], "Done without it."])
    await scripted_agent(model, run_journals=journals, **first).start()
    await leave_run_before("tool/0", journals, command, run_id="r1")

    await scripted_agent(model, run_journals=journals, **later).start()
    return await journals.take_up("r1")


@pytest.mark.parametrize("left", [(count,), ()], ids=["another is left", "none is left"])
async def test_a_tool_that_is_gone_is_told_to_the_model(left: tuple[Any, ...]) -> None:
    """Its call has an error for a result, and the model goes on without it."""
    command = AgentCommand(user_prompt="Look it up.")

    result = await lives(command, {"tools": (look_up, count)}, {"tools": left})

    assert result.content == "Done without it."
    assert ToolOutcome.NOT_FOUND.value in str(result.messages)


CLERK = Agent(name="clerk", instructions="Help.")


async def test_a_run_whose_agent_is_gone_is_held() -> None:
    """No other agent goes on with it, and it is named; it goes on once the agent is back."""
    command = AgentCommand(user_prompt="Look it up.", agent="clerk")
    deployed = {"tools": (look_up,), "agents": (CLERK,)}

    with pytest.raises(RunSuspended) as held:
        await lives(command, deployed, {"tools": (look_up,)})

    assert held.value.problem == "its agent 'clerk' is not there"
    assert (await lives(command, deployed, deployed)).success


async def test_a_run_that_begins_without_its_agent_ends() -> None:
    """Its agent was never there, so that it does not wait for one."""
    journals = DictRunJournals()
    await scripted_agent(ScriptedChatModel([]), run_journals=journals).start()
    command = AgentCommand(user_prompt="Look it up.", agent="clerk")
    assert journals.body is not None

    result = await journals.body(command, journals.open(command, run_id="r1"))

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert "no agent 'clerk'" in (result.error_message or "")


async def test_a_run_whose_next_agent_is_gone_is_held() -> None:
    """The one that has taken over before the deploy."""
    journals = DictRunJournals()
    asking = Agent(name="asking", instructions="Ask.", handoffs=("clerk",))
    command = AgentCommand(user_prompt="Look it up.", agent="asking")
    turns: list[Any] = [[ToolCall("1", "transfer_to_clerk", "{}")], "Done."]
    agent = scripted_agent(ScriptedChatModel(turns), run_journals=journals, agents=(asking, CLERK))
    await agent.start()
    await leave_run_before("model/2", journals, command, run_id="r1")

    lonely = Agent(name="asking", instructions="Ask.")
    await scripted_agent(ScriptedChatModel([]), run_journals=journals, agents=(lonely,)).start()
    with pytest.raises(RunSuspended) as held:
        await journals.take_up("r1")

    assert held.value.problem == "its agent 'clerk' is not there"


def pay_tool(name: str = "pay", *, needs_approval: bool = True, kind: type = int) -> FunctionTool:
    """A tool of which a person is asked."""

    @tool(name=name, needs_approval=needs_approval)
    async def pay(amount: kind) -> str:  # type: ignore[valid-type]
        """Pay."""
        return f"paid {amount}"

    return pay


class Deploys:
    """A run that waits for a person while the application is deployed again."""

    def __init__(self) -> None:
        self.journals = DictRunJournals()

    async def ask(self, *tools: Any, arguments: str = '{"amount": 3}', **parts: Any) -> None:
        """Begin the run, and wait."""
        turns: list[Any] = [[ToolCall("1", "pay", arguments)], "Done."]
        model = self.model = ScriptedChatModel(turns)
        agent = scripted_agent(model, run_journals=self.journals, tools=tools, **parts)
        await agent.start()
        command = AgentCommand(user_prompt="Pay.")
        journal = self.journals.open(command, run_id="r1")
        assert self.journals.body is not None
        with pytest.raises(RunSuspended) as waits:
            await self.journals.body(command, journal)
        assert waits.value.requests

    async def go_on(self, answer: Approve | Deny, *tools: Any) -> AgentResult:
        """Deploy these tools, and decide."""
        await scripted_agent(self.model, run_journals=self.journals, tools=tools).start()
        decision = Decision(answer=answer, by="carol", at=datetime.now(UTC))
        await self.journals.decide("r1", "approve/0", decision)
        return await self.journals.take_up("r1")

    async def hold(self, answer: Approve | Deny, *tools: Any) -> str:
        """Deploy these tools, decide, and say why the run is held."""
        with pytest.raises(RunSuspended) as held:
            await self.go_on(answer, *tools)
        return held.value.problem


@pytest.mark.parametrize("left", [(), (count,), (pay_tool("settle"),)])
async def test_an_approved_call_is_held_while_its_tool_is_gone(left: tuple[Any, ...]) -> None:
    """The run has no end, and the call is made once the tool is back."""
    deploys = Deploys()
    await deploys.ask(pay_tool())

    problem = await deploys.hold(Approve(), *left)
    result = await deploys.go_on(Approve(), pay_tool())

    assert problem == "a call of the tool 'pay' was approved, which is not there"
    assert "paid 3" in str(result.messages)


async def test_a_denied_call_needs_no_tool() -> None:
    """The model reads that it was denied."""
    deploys = Deploys()
    await deploys.ask(pay_tool())

    result = await deploys.go_on(Deny("too much"))

    assert ToolOutcome.DENIED.value in str(result.messages)
    assert result.success


async def test_an_approved_call_is_held_while_its_arguments_do_not_fit() -> None:
    """If they did when the person was asked, and what is wrong is named."""
    deploys = Deploys()
    await deploys.ask(pay_tool(kind=str), arguments='{"amount": "three"}')

    problem = await deploys.hold(Approve(), pay_tool())

    assert (
        "does not take the arguments any more: amount: Input should be a valid integer" in problem
    )


async def test_arguments_that_never_did_fit_are_told_to_the_model() -> None:
    """No deploy can mend what the model has written."""
    deploys = Deploys()
    await deploys.ask(pay_tool(), arguments='{"amount": "three"}')

    result = await deploys.go_on(Approve(), pay_tool())

    assert ToolOutcome.INVALID_ARGUMENTS.value in str(result.messages)


@pytest.mark.parametrize("answer", [Approve(), Deny("too much")])
async def test_a_decision_stands_though_no_one_is_asked_any_more(answer: Approve | Deny) -> None:
    """A tool that has lost its mark does not make what was denied."""
    deploys = Deploys()
    await deploys.ask(pay_tool())

    result = await deploys.go_on(answer, pay_tool(needs_approval=False))

    assert ("paid 3" in str(result.messages)) == isinstance(answer, Approve)


async def test_a_run_with_a_delegate_that_is_gone_is_held() -> None:
    """Its call below was approved, and the tool that has asked the delegate is not there."""
    deploys = Deploys()
    clerk = Agent(name="clerk", instructions="Pay.", tools=[pay_tool()])
    model = ScriptedChatModel(
        [[ToolCall("1", "ask_clerk", '{"task": "Pay."}')], [ToolCall("2", "pay", '{"amount": 3}')]]
    )
    journals, command = deploys.journals, AgentCommand(user_prompt="Pay.", agent="desk")
    desk = Agent(name="desk", instructions="Ask.", delegates=("clerk",))
    await scripted_agent(model, run_journals=journals, agents=(desk, clerk)).start()
    journal = journals.open(command, run_id="r1")
    assert journals.body is not None
    with pytest.raises(RunSuspended):
        await journals.body(command, journal)

    alone = Agent(name="desk", instructions="Ask.")
    await scripted_agent(model, run_journals=journals, agents=(alone,)).start()
    with pytest.raises(RunSuspended) as held:
        await journals.take_up("r1")

    assert held.value.problem == "the tool 'ask_clerk' was being called, which is not there"


@tool
async def note(context: ToolContext) -> str:
    """Note something."""
    assert isinstance(context.metadata, dict)
    context.metadata["found"] = [object()]
    return "noted"


async def test_metadata_that_cannot_be_kept_is_named(caplog: pytest.LogCaptureFixture) -> None:
    """The run fails, and the log has the key; its caller reads nothing of it."""
    model = ScriptedChatModel([[ToolCall("1", "note", "{}")], "Done."])
    journals = DictRunJournals()
    agent = scripted_agent(model, run_journals=journals, tools=(note,))
    await agent.start()
    command = AgentCommand(user_prompt="Note it.")
    assert journals.body is not None

    result = await journals.body(command, journals.open(command, run_id="r1"))

    assert result.error_code is AgentErrorCode.UNKNOWN
    assert "object" not in (result.error_message or "")
    assert "$.metadata.found[0]: JSON would change this object" in caplog.text
