"""How many runs are in each state, as metrics are told."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from arc_core import (
    AgentCommand,
    AgentResult,
    ApprovalRequest,
    Approve,
    Decision,
    KeptRunCounts,
    RunJournal,
    RunSuspended,
)
from arc_core.log import get_logger
from arc_plugins.journals.in_memory.journals import InMemoryRunJournals

COMMAND = AgentCommand(user_prompt="pay")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
YES = Decision(answer=Approve(), by="ann", at=NOW)
WAITING, RUNNING = KeptRunCounts(waiting=1), KeptRunCounts(running=1)
QUEUED, NONE = KeptRunCounts(queued=1), KeptRunCounts()


async def engine(_: AgentCommand, journal: RunJournal) -> AgentResult:
    """A run with a call that a person decides."""
    request = ApprovalRequest(run_id=journal.run_id, key="approve/0", tool="pay", since=NOW)
    await journal.decision("approve/0", request)
    return AgentResult(success=True, run_id=journal.run_id)


async def rest(journals: InMemoryRunJournals, run_id: str) -> None:
    """Until the run has ended, or waits."""
    async for _ in journals.events(run_id):
        pass


@pytest.fixture
def told() -> list[KeptRunCounts]:
    """What metrics are told."""
    return []


@pytest.fixture
async def journals(told: list[KeptRunCounts]) -> AsyncIterator[InMemoryRunJournals]:
    journals = InMemoryRunJournals(logger=get_logger("journals"))
    journals.report_runs(told.append)
    await journals.start(engine)
    yield journals
    await journals.aclose()


async def test_a_run_is_counted_from_state_to_state(
    journals: InMemoryRunJournals, told: list[KeptRunCounts]
) -> None:
    """It runs, waits for a person, runs again, and is over."""
    await journals.submit(COMMAND, run_id="r1")
    await rest(journals, "r1")
    await journals.decide("r1", "approve/0", YES)
    await rest(journals, "r1")

    assert told == [RUNNING, WAITING, RUNNING, NONE]


async def test_a_run_that_begins_later_is_queued(
    journals: InMemoryRunJournals, told: list[KeptRunCounts]
) -> None:
    """Until it is cancelled, and so ended by an attempt."""
    later = datetime.now(UTC).replace(year=datetime.now(UTC).year + 1)
    await journals.submit(COMMAND, run_id="r1", not_before=later)
    await journals.cancel("r1")

    assert told == [QUEUED, RUNNING, NONE]


async def test_a_run_in_place_is_counted_once_it_waits(
    journals: InMemoryRunJournals, told: list[KeptRunCounts]
) -> None:
    """Its caller has it before."""
    journal = journals.open(COMMAND, run_id="r1")
    with pytest.raises(RunSuspended):
        await engine(COMMAND, journal)
    await journals.decide("r1", "approve/0", YES)
    await rest(journals, "r1")

    assert told == [WAITING, RUNNING, NONE]


async def test_runs_are_counted_together(
    journals: InMemoryRunJournals, told: list[KeptRunCounts]
) -> None:
    """Each in its state."""
    for number in range(3):
        await journals.submit(COMMAND, run_id=f"r{number}")
        await rest(journals, f"r{number}")
    await journals.decide("r0", "approve/0", YES)

    assert told[-1] == KeptRunCounts(waiting=2, running=1)


async def test_runs_that_are_lost_are_not_counted(
    journals: InMemoryRunJournals, told: list[KeptRunCounts]
) -> None:
    """They end with the process."""
    await journals.submit(COMMAND, run_id="r1")
    await rest(journals, "r1")

    await journals.aclose()

    assert told[-1] == NONE
