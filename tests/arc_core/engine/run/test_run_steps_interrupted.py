"""Runs that are let go in the middle of a step, and what a later life makes of it."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Approve,
    Decision,
    Deny,
    Hook,
    HookContext,
    Limits,
    Request,
    RunSuspended,
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
from tests.arc_core.engine.suspending import let_go

COMMAND = AgentCommand(user_prompt="Pay.")


class Payments:
    """A tool that pays and does not come back in the first life."""

    def __init__(self) -> None:
        self.made = Counter[str]()
        self.begun = asyncio.Event()

    needs_approval = False

    def tool(self, *, once: bool) -> Any:
        """The tool."""

        @tool(once=once, needs_approval=self.needs_approval)
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
    await let_go(journals, journal, payments.begun.wait())

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
    await let_go(journals, journal, payments.begun.wait())
    recorded = journal.texts["model/1"]
    journal.texts["model/1"] = with_active_s(recorded, 3600)

    await payments.engine(journals, once=False).start()
    result = await journals.take_up("r1")

    assert result.error_code is AgentErrorCode.TIMEOUT
    assert result.duration_ms >= 3600 * 1000


def with_active_s(text: str, active_s: float) -> str:
    """The record of a step that has ended so much later."""
    return json.dumps({**json.loads(text), "active_s": active_s})


class ApprovedPayments(Payments):
    """The same tool, of each call of which a person is asked."""

    needs_approval = True

    async def interrupt(self, journals: DictRunJournals) -> DictRunJournal:
        """A run whose process ends in the middle of the call that a person has approved."""
        journal = journals.open(COMMAND, run_id="r1")
        await self.engine(journals, once=True).start()
        await suspend(journals, journal)
        decide(journal, "approve/0", Approve())
        await let_go(journals, journal, self.begun.wait())
        journal.begin_life()
        await self.engine(journals, once=True).start()
        return journal


async def suspend(journals: DictRunJournals, journal: DictRunJournal) -> Sequence[Request]:
    """Run until a person is asked; what they are asked."""
    assert journals.body is not None
    with pytest.raises(RunSuspended) as suspended:
        await journals.body(journal.command, journal)
    return suspended.value.requests


def decide(journal: DictRunJournal, key: str, answer: Approve | Deny) -> None:
    """Say so."""
    journal.decisions[key] = Decision(answer=answer, by="carol", at=datetime.now(UTC))


def outcome_of(result: AgentResult) -> tuple[ToolOutcome, str]:
    """What the model reads of the call."""
    told = result.messages[2]
    assert isinstance(told, ToolResultMessage)
    return told.results[0].outcome, str(told.results[0].content)


async def test_a_person_is_asked_again_about_an_approved_call_in_flight() -> None:
    """Under a key of its own; they read that it may have taken effect."""
    payments, journals = ApprovedPayments(), DictRunJournals()
    journal = await payments.interrupt(journals)

    [request] = await suspend(journals, journal)

    assert (request.key, request.tool, request.arguments) == ("approve/0/2", "pay", {"amount": 3})
    assert "unknown whether it took effect" in request.summary
    assert payments.made["pay"] == 1


async def test_an_interrupted_call_that_is_approved_again_is_made_again() -> None:
    """With the same idempotency key, and with what the person has written."""
    payments, journals = ApprovedPayments(), DictRunJournals()
    journal = await payments.interrupt(journals)
    await suspend(journals, journal)

    decide(journal, "approve/0/2", Approve({"amount": 2}))
    result = await journals.take_up("r1")

    assert outcome_of(result) == (ToolOutcome.SUCCESS, "paid 2")
    assert payments.made["pay"] == 2


async def test_an_interrupted_call_that_is_denied_is_not_made_again() -> None:
    """The model reads that it is unknown whether it took effect, and why it is left at that."""
    payments, journals = ApprovedPayments(), DictRunJournals()
    journal = await payments.interrupt(journals)
    await suspend(journals, journal)

    decide(journal, "approve/0/2", Deny("the bank has it"))
    outcome, text = outcome_of(await journals.take_up("r1"))

    assert (outcome, payments.made["pay"]) == (ToolOutcome.INTERRUPTED, 1)
    assert "It is unknown whether it took effect" in text
    assert "the bank has it" in text


async def test_a_call_that_is_interrupted_twice_is_asked_about_twice() -> None:
    """Each time that it was in flight, a person decides."""
    payments, journals = ApprovedPayments(), DictRunJournals()
    journal = await payments.interrupt(journals)
    await suspend(journals, journal)
    decide(journal, "approve/0/2", Approve())
    payments.made.clear()
    payments.begun.clear()
    await let_go(journals, journal, payments.begun.wait())
    journal.begin_life()

    [request] = await suspend(journals, journal)

    assert request.key == "approve/0/3"
    assert {"tool/0/begun", "tool/0/begun/2"} <= journal.texts.keys()


async def test_a_call_that_was_made_again_is_not_asked_about_in_a_later_life() -> None:
    """Its result is recorded, in whichever life it was begun."""
    payments, journals = ApprovedPayments(), DictRunJournals()
    journal = await payments.interrupt(journals)
    await suspend(journals, journal)
    decide(journal, "approve/0/2", Approve())
    journal.suspend_before = "model/2"
    await suspend(journals, journal)
    await payments.engine(journals, once=True).start()

    result = await journals.take_up("r1")

    assert outcome_of(result) == (ToolOutcome.SUCCESS, "paid 3")


async def test_a_tool_that_lost_its_mark_is_not_called_again_by_itself() -> None:
    """What was noted of the call when it was begun stands."""
    payments, journals = Payments(), DictRunJournals()
    journal = journals.open(COMMAND, run_id="r1")
    await payments.engine(journals, once=True).start()
    await let_go(journals, journal, payments.begun.wait())

    await payments.engine(journals, once=False).start()
    result = await journals.take_up("r1")

    assert (outcome_of(result)[0], payments.made["pay"]) == (ToolOutcome.INTERRUPTED, 1)
