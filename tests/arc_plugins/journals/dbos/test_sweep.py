"""What a process does between its looks at the queues."""

import pytest

pytest.importorskip("dbos", reason="needs the extra durable")

from arc_core import AgentCommand, AgentResult
from arc_core.testing.conformance.run_journal.bodies import Attempt, NotingBody, command
from arc_core.testing.conformance.run_journal.rules import end_of, taking_runs
from arc_plugins.journals.dbos import sweep
from tests.arc_plugins.journals.dbos.databases import journals_at

_NEVER_S = 1e6


async def _finish(attempt: Attempt, _: AgentCommand) -> AgentResult:
    return await attempt.finish()


async def test_a_long_queue_is_carried_in_one_look(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers that have room do not wait for the next look."""
    names = [f"r{number}" for number in range(120)]
    submitting = journals_at(sqlite_database)
    submitting.work_on(())
    async with taking_runs(submitting, NotingBody(_finish)):
        for name in names:
            await submitting.submit(command(), run_id=name)
    monkeypatch.setattr(sweep, "_LOOK_S", _NEVER_S)
    async with taking_runs(journals_at(sqlite_database), NotingBody(_finish)) as journals:
        ends = [await end_of(journals, name) for name in names]

    assert all(end.success for end in ends)
