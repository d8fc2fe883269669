"""Runs that leave their process before a step, as one that closes has them do."""

import pytest

from arc_core import AgentCommand, RunSuspended
from arc_core.testing.run_journals import DictRunJournal, DictRunJournals

__all__ = ["leave_run_before"]


async def leave_run_before(
    step: str, journals: DictRunJournals, command: AgentCommand, *, run_id: str
) -> DictRunJournal:
    """Begin a run, and have it leave before a step; return its journal."""
    journal = journals.open(command, run_id=run_id)
    journal.suspend_before = step
    assert journals.body is not None
    with pytest.raises(RunSuspended):
        await journals.body(command, journal)
    return journal
