"""Runs of a process that died are taken over by one that lives."""

import pytest

pytest.importorskip("dbos", reason="needs the extra durable")

from arc_core import AgentCommand, AgentResult
from arc_core.testing.conformance.run_journal.bodies import Attempt, NotingBody, command
from arc_core.testing.conformance.run_journal.rules import end_of, taking_runs
from tests.arc_plugins.journals.dbos.databases import execute, journals_at


async def _finish(attempt: Attempt, _: AgentCommand) -> AgentResult:
    await attempt.do("model/1")
    return await attempt.finish()


@pytest.mark.slow
async def test_runs_without_a_process_go_on(postgres_database: str) -> None:
    """A lock that nothing holds in two looks is that of a process that died."""
    async with taking_runs(journals_at(postgres_database, work=False), NotingBody(_finish)) as one:
        await one.submit(command(), run_id="r")
    dead = "UPDATE arc_runs SET state = 'running', carried = false, executor = 'dead', life = 'x'"
    execute(postgres_database, dead)
    body = NotingBody(_finish)
    async with taking_runs(journals_at(postgres_database), body) as journals:
        result = await end_of(journals, "r")

    assert (result.success, body.counts["model/1"]) == (True, 1)
