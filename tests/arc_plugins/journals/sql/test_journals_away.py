"""Durable runs whose database is away, is not there, or refuses."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("dbos", reason="needs the extra durable")
from sqlalchemy import make_url

from arc_core import (
    AgentCommand,
    AgentResult,
    ConfigurationError,
)
from arc_core.interfaces.optional import HealthStatus
from arc_core.testing.conformance.run_journal.rules import (
    Attempt,
    NotingBody,
    command,
    taking_runs,
)
from arc_plugins.journals.sql.journals import DurableRunJournals
from tests.arc_plugins.journals.sql.databases import (
    end_of_despite,
    journals_at,
)
from tests.arc_plugins.journals.sql.proxy import proxied

pytestmark = pytest.mark.slow


async def _finish(attempt: Attempt, _: AgentCommand) -> AgentResult:
    await attempt.do("model/1")
    return await attempt.finish()


class _Gate:
    """A body whose second step ends when the test says so."""

    def __init__(self) -> None:
        self.at_work, self.may_end = asyncio.Event(), asyncio.Event()

    async def act(self, attempt: Attempt, _: AgentCommand) -> AgentResult:
        async def wait() -> None:
            self.at_work.set()
            await self.may_end.wait()

        await attempt.do("enter")
        await attempt.do("model/1", during=wait)
        return await attempt.finish()


async def test_a_database_that_is_away_for_a_while_loses_nothing(postgres_database: str) -> None:
    """Steps wait for it, and events come through."""
    gate = _Gate()
    body = NotingBody(gate.act)
    async with (
        proxied(postgres_database) as proxy,
        taking_runs(journals_at(proxy.url), body) as journals,
    ):
        await journals.submit(command(), run_id="r")
        await gate.at_work.wait()
        await proxy.cut()
        gate.may_end.set()
        assert isinstance(journals, DurableRunJournals)
        health = await journals.check_health()
        await proxy.listen()
        result = await end_of_despite(journals, "r")

    assert (health.status, result.success) == (HealthStatus.ERROR, True)
    assert body.counts == {"enter": 1, "model/1": 1, "finish": 1}


@pytest.mark.parametrize(
    "url", ["postgresql://nobody@127.0.0.1:1/runs", "sqlite:////no/such/folder/runs.db"]
)
async def test_a_database_that_is_not_there_stops_the_start(url: str) -> None:
    """The message names the setting, and nothing stays open."""
    with pytest.raises(ConfigurationError, match=r"durable\.url"):
        await journals_at(url).start(NotingBody(_finish))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"username": "nobody-there"}, "refuses the connection[\\s\\S]*user, password, database"),
        ({"database": "nowhere"}, "refuses the connection[\\s\\S]*user, password, database"),
        ({"query": {"search_path": "nowhere"}}, "no schema of this name[\\s\\S]*search_path"),
    ],
)
async def test_a_server_that_refuses_is_not_said_to_be_down(
    postgres_database: str, change: dict[str, Any], said: str
) -> None:
    """The remedy names what of the address may be wrong; the password is not shown."""
    url = make_url(postgres_database).set(password="hunter2", **change)
    with pytest.raises(ConfigurationError, match=said) as refused:
        await journals_at(url.render_as_string(hide_password=False)).start(NotingBody(_finish))

    assert "hunter2" not in str(refused.value)
