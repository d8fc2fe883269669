"""Readers are told of a request once it can be decided."""

from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    Answer,
    AnswerRequested,
    ApprovalRequested,
    Approve,
    Decision,
    LoginRequested,
    NumberedEvent,
    RunSuspended,
    ToolCall,
    ToolContext,
    tool,
)
from arc_core.testing import ScriptedChatModel
from arc_core.testing.fakes import DictCredentials
from arc_core.testing.run_journals import DictRunJournal, DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent

COMMAND = AgentCommand(user_prompt="Go.", user_id="ann")
RUN = "r"


@tool
async def order(context: ToolContext) -> str:
    """Ask the user."""
    return str(await context.ask("Which size?"))


@tool
async def list_issues(context: ToolContext) -> str:
    """Act for the user."""
    return str(await context.credential("github"))


@tool(needs_approval=True)
async def pay() -> str:
    """Pay."""
    return "paid"


class NotingJournal(DictRunJournal):
    """Notes of each request that is told whether it can be decided by then.

    Attributes:
        told: The keys of the requests, and whether the journal has them.
    """

    def __init__(self) -> None:
        super().__init__(COMMAND, run_id=RUN)
        self.told: list[tuple[str, bool]] = []

    async def publish(self, event: NumberedEvent) -> None:
        """Keep an event."""
        if isinstance(event, ApprovalRequested | AnswerRequested | LoginRequested):
            self.told.append((event.request.key, event.request.key in self.asked))
        await super().publish(event)


async def wait(asking: Any) -> tuple[DictRunJournals, NotingJournal]:
    """Have a run wait for what a tool asks."""
    journals, journal = DictRunJournals(), NotingJournal()
    journals.records[RUN] = journal
    agent = scripted_agent(
        ScriptedChatModel([[ToolCall("c1", asking.name, "{}")], "Done."]),
        tools=(asking,),
        run_journals=journals,
        credentials=DictCredentials(),
    )
    await agent.start()
    with pytest.raises(RunSuspended):
        await journals.take_up(RUN)
    return journals, journal


ASKING = [(order, "ask/0/1"), (list_issues, "login/0/1"), (pay, "approve/0")]


@pytest.mark.parametrize(("asking", "key"), ASKING)
async def test_a_request_is_kept_before_readers_are_told(asking: Any, key: str) -> None:
    """A program that decides at once is not told that nothing was asked."""
    _, journal = await wait(asking)

    assert journal.told == [(key, True)]


@pytest.mark.parametrize(
    ("asking", "answer"), [(order, Answer({"answer": "40"})), (pay, Approve())]
)
async def test_a_request_is_told_once_in_all_attempts(asking: Any, answer: Any) -> None:
    """The run goes on with the decision, and tells no more of it."""
    journals, journal = await wait(asking)
    [key] = journal.asked
    await journals.decide(RUN, key, Decision(answer=answer, by="ann", at=datetime.now(UTC)))

    result = await journals.take_up(RUN)

    assert result.content == "Done."
    assert [told for told, _ in journal.told] == [key]
