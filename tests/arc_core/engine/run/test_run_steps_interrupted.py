"""Runs that are let go in the middle of a step, and what a later life makes of it."""

import asyncio
import json
from collections import Counter
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Hook,
    HookContext,
    Limits,
    ToolCall,
    ToolOutcome,
    ToolResultMessage,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.testing import ScriptedChatModel
from arc_core.testing.fakes import RecordingHook
from arc_core.testing.run_journals import DictRunJournal, DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent

COMMAND = AgentCommand(user_prompt="Pay.")


class Payments:
    """A tool that pays and does not come back in the first life."""

    def __init__(self) -> None:
        self.made = Counter[str]()
        self.begun = asyncio.Event()

    def tool(self, *, once: bool) -> Any:
        """The tool."""

        @tool(once=once)
        async def pay(amount: int) -> str:
            """Pay."""
            self.made["pay"] += 1
            if self.made["pay"] == 1:
                self.begun.set()
                await asyncio.Event().wait()
            return f"paid {amount}"

        return pay

    def engine(self, journals: DictRunJournals, *, once: bool, **parts: Any) -> ReActAgentExecutor:
        """An engine with it."""
        model = ScriptedChatModel([self._answer] * 9)
        return scripted_agent(model, run_journals=journals, tools=(self.tool(once=once),), **parts)

    def _answer(self, request: Any) -> Any:
        self.made["model"] += 1
        if len(request.messages) > 1:
            return "Done."
        return [ToolCall("a", "pay", '{"amount": 3}')]


async def let_go(journals: DictRunJournals, journal: DictRunJournal, begun: asyncio.Event) -> None:
    """End the process in the middle of the tool, as closing it does."""
    assert journals.body is not None
    task = asyncio.ensure_future(journals.body(journal.command, journal))
    await begun.wait()
    journal.lets_go = True
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    journal.lets_go = False


@pytest.mark.parametrize(
    ("once", "made", "outcome"),
    [(False, 2, ToolOutcome.SUCCESS), (True, 1, ToolOutcome.INTERRUPTED)],
)
async def test_a_call_in_flight_is_made_again_unless_it_may_not(
    *, once: bool, made: int, outcome: ToolOutcome
) -> None:
    """Of a tool that must not be called twice the model reads that its outcome is unknown."""
    payments, journals = Payments(), DictRunJournals()
    journal = journals.open(COMMAND, run_id="r1")
    hook = RecordingHook()
    first = payments.engine(journals, once=once, hooks=(hook,))
    await first.start()
    await let_go(journals, journal, payments.begun)

    assert "after_agent_complete" not in dict(hook.calls)
    await payments.engine(journals, once=once).start()
    result = await journals.take_up("r1")

    assert payments.made == {"pay": made, "model": 2}
    told = result.messages[2]
    assert isinstance(told, ToolResultMessage)
    assert told.results[0].outcome is outcome


async def test_cancelling_is_not_letting_go() -> None:
    """A run that is cancelled ends with CANCELLED, and its hooks are told so."""
    payments, journals = Payments(), DictRunJournals()
    journal = journals.open(COMMAND, run_id="r1")
    ends: list[AgentResult] = []

    class Ends(Hook):
        async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
            ends.append(response)

    await payments.engine(journals, once=False, hooks=(Ends(),)).start()
    assert journals.body is not None
    task = asyncio.ensure_future(journals.body(COMMAND, journal))
    await payments.begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert [each.error_code for each in ends] == [AgentErrorCode.CANCELLED]
    assert "finish" in journal.texts


async def test_the_deadline_counts_the_time_of_all_lives() -> None:
    """What a run was active in an earlier life is taken from its time; waiting is free."""
    journals, payments = DictRunJournals(), Payments()
    command = COMMAND.model_copy(update={"limits": Limits(deadline_s=60)})
    journal = journals.open(command, run_id="r1")
    await payments.engine(journals, once=False).start()
    await let_go(journals, journal, payments.begun)
    recorded = journal.texts["model/1"]
    journal.texts["model/1"] = with_active_s(recorded, 3600)

    await payments.engine(journals, once=False).start()
    result = await journals.take_up("r1")

    assert result.error_code is AgentErrorCode.TIMEOUT
    assert result.duration_ms >= 3600 * 1000


def with_active_s(text: str, active_s: float) -> str:
    """The record of a step that has ended so much later."""
    return json.dumps({**json.loads(text), "active_s": active_s})
