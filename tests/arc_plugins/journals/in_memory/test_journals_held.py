"""Runs in memory that lack something, as a tool of an MCP server that does not answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    RunJournal,
    RunState,
    RunSuspended,
    Waiting,
)
from arc_core.log import get_logger
from arc_plugins.journals.in_memory.journals import InMemoryRunJournals

COMMAND = AgentCommand(user_prompt="pay")
PROBLEM = "a call of the tool 'pay' was approved, which is not there"


class Lacking:
    """A body that lacks a tool for some attempts."""

    def __init__(self, attempts: int) -> None:
        self.attempts = attempts

    async def run(self, command: AgentCommand, journal: RunJournal) -> AgentResult:
        """End, if it can."""
        self.attempts -= 1
        if journal.is_cancelled:
            code = AgentErrorCode.CANCELLED
            return AgentResult(success=False, error_code=code, run_id=journal.run_id)
        if self.attempts >= 0:
            raise RunSuspended(problem=PROBLEM)
        return AgentResult(success=True, content="paid", run_id=journal.run_id)


@asynccontextmanager
async def holding(attempts: int, *, held_s: float) -> AsyncIterator[InMemoryRunJournals]:
    """Journals with a run that is held for some attempts."""
    journals = InMemoryRunJournals(logger=get_logger("test"), held_s=held_s)
    await journals.start(Lacking(attempts).run)
    try:
        await journals.submit(COMMAND, run_id="r")
        yield journals
    finally:
        await journals.aclose()


async def end_of(journals: InMemoryRunJournals) -> AgentResult:
    """The result of the run, which is tried again by itself."""
    while isinstance(found := (await journals.find("r")).outcome, Waiting):  # noqa: ASYNC110 -- no reader
        await asyncio.sleep(0)
    return found


async def test_a_held_run_says_what_it_lacks() -> None:
    """Its readers leave, and it has no end."""
    async with holding(1, held_s=60.0) as journals:
        assert [event async for event in journals.events("r")] == []
        found = (await journals.find("r")).outcome
        summary = await journals.find("r")

    assert found == Waiting(run_id="r", state=RunState.HELD, problem=PROBLEM)
    assert (summary.state, summary.problem) == (RunState.HELD, PROBLEM)


async def test_a_held_run_gets_a_retry() -> None:
    """Until what it lacks is there."""
    async with holding(2, held_s=0.001) as journals:
        result = await end_of(journals)

    assert result.content == "paid"


async def test_a_held_run_is_ended_by_cancelling_it() -> None:
    """Nothing of it goes on then."""
    async with holding(1, held_s=60.0) as journals:
        assert [event async for event in journals.events("r")] == []
        await journals.cancel("r")
        result = await end_of(journals)

    assert result.error_code is AgentErrorCode.CANCELLED
