"""Runs that are one call of a tool, and ask no model."""

from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Answer,
    Approve,
    AssistantMessage,
    Decision,
    Deny,
    Reject,
    ToolCall,
    ToolContext,
    ToolOutcome,
    ToolResultMessage,
    tool,
)
from arc_core.interfaces.hook import Hook, HookContext, HookResult
from arc_core.settings import AgentSettings
from arc_core.testing import ListConversationManager, ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals

SIZE = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}


@tool
async def order(what: str, context: ToolContext) -> str:
    """Order something to wear."""
    answer = await context.ask("Which size?", SIZE)
    return f"{what} of size {answer['size']} for {context.user_id} ({context.idempotency_key})"


@tool(needs_approval=lambda call: call.arguments.get("amount") == 11)
async def pay(amount: int) -> str:
    """Pay."""
    if amount < 0:
        raise RuntimeError("password=hunter2")
    return f"paid {amount}"


def calling(name: str, arguments: str) -> AgentCommand:
    """The command of a run that calls a tool."""
    call = ToolCall("c1", name, arguments)
    return AgentCommand(user_prompt="", tool_call=call, user_id="ann", session_id="s1")


async def execute(command: AgentCommand, **parts: Any) -> AgentResult:
    """How a run ends in an engine whose model says nothing."""
    return await scripted_agent(ScriptedChatModel([]), tools=(order, pay), **parts).execute(command)


class Starts(Hook):
    """Lets a run in, or not."""

    def __init__(self, *, lets_in: bool) -> None:
        self.seen: list[str] = []
        self._lets_in = lets_in

    async def before_agent_start(self, context: HookContext) -> HookResult | None:
        self.seen.append("before")
        return None if self._lets_in else Reject("not today")

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        self.seen.append("after")


async def test_the_text_of_the_result_is_the_answer() -> None:
    """The messages have the call and its result; a model without turns is not asked."""
    result = await execute(calling("pay", '{"amount": 3}'))

    call, called, answer = result.messages
    assert (result.success, result.content, result.tools_used) == (True, "paid 3", ("pay",))
    assert isinstance(call, AssistantMessage)
    assert call.tool_calls == (ToolCall("c1", "pay", '{"amount": 3}'),)
    assert isinstance(called, ToolResultMessage)
    assert [each.outcome for each in called.results] == [ToolOutcome.SUCCESS]
    assert answer == AssistantMessage("paid 3")


async def test_the_conversation_of_its_session_stays_as_it_is() -> None:
    """Nothing was said in it."""
    conversations = ListConversationManager()

    await execute(calling("pay", '{"amount": 3}'), conversation_manager=conversations)

    assert conversations.messages == []


@pytest.mark.parametrize("lets_in", [True, False])
async def test_hooks_let_it_in_and_are_told_of_its_end(*, lets_in: bool) -> None:
    """As those of any run."""
    hook = Starts(lets_in=lets_in)

    result = await execute(calling("pay", '{"amount": 3}'), hooks=(hook,))

    assert hook.seen == ["before", "after"]
    assert result.error_code is (None if lets_in else AgentErrorCode.HOOK_REJECTED)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("pay", '{"amount": -1}', "Error: Tool 'pay' failed"),
        ("pay", '{"amount": "x"}', "amount: Input should be a valid integer"),
        ("refund", "{}", "Tool 'refund' not found"),
    ],
)
async def test_a_call_that_fails_fails_the_run(name: str, arguments: str, said: str) -> None:
    """With what a model would have read."""
    result = await execute(calling(name, arguments))

    assert result.error_code is AgentErrorCode.TOOL_ERROR
    assert said in (result.error_message or "")


async def wait_and_decide(command: AgentCommand, decision: Any) -> tuple[str, AgentResult]:
    """The key of what a run waits for, and its end in another process after a decision."""
    journals = DictRunJournals()
    model = ScriptedChatModel([])
    agent = scripted_agent(model, tools=(order, pay), run_journals=journals)
    await agent.start()
    result = await agent.execute(command)
    [request], run_id = result.waiting, result.run_id
    made = Decision(answer=decision, by="ann", at=datetime.now(UTC))
    await journals.decide(run_id, request.key, made)
    await scripted_agent(model, tools=(order, pay), run_journals=journals).start()
    return request.key, await journals.take_up(run_id)


@pytest.mark.parametrize(
    ("command", "decision", "key", "said"),
    [
        (
            calling("order", '{"what": "a shirt"}'),
            Answer({"size": 40}),
            "ask/0/1",
            "a shirt of size 40 for ann ({run_id}/0)",
        ),
        (calling("order", '{"what": "a hat"}'), Deny("no"), "ask/0/1", "was denied: no"),
        (calling("pay", '{"amount": 11}'), Approve(), "approve/0", "paid 11"),
        (calling("pay", '{"amount": 11}'), Deny("too much"), "approve/0", "denied: too much"),
    ],
)
async def test_it_waits_for_people(
    command: AgentCommand, decision: Any, key: str, said: str
) -> None:
    """And goes on in another process, with the idempotency key that it had."""
    asked, result = await wait_and_decide(command, decision)

    assert asked == key
    assert said.format(run_id=result.run_id) in (result.content or result.error_message or "")


async def test_a_long_result_is_cut() -> None:
    """There is no model that could ask for the rest."""

    @tool
    async def recite() -> str:
        """Recite."""
        return "word " * 1000

    settings = AgentSettings.model_validate({"tools": {"max_output_chars": 100}})
    agent = scripted_agent(ScriptedChatModel([]), tools=(recite,), settings=settings)
    result = await agent.execute(calling("recite", "{}"))

    assert 0 < len(result.content or "") <= 200
