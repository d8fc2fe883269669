"""Durable runs whose database is away, is not there, or refuses."""

from typing import Any

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")
from sqlalchemy import make_url

from arc_core import ConfigurationError
from arc_core.interfaces.optional import HealthStatus
from arc_core.testing.conformance.run_journal.rules import NotingBody, command, taking_runs
from arc_plugins.journals.sql.journals import DurableRunJournals
from tests.arc_plugins.journals.sql.bodies import Gate, do_step
from tests.arc_plugins.journals.sql.databases import end_of_despite, journals_at
from tests.arc_plugins.journals.sql.proxy import proxied

pytestmark = pytest.mark.slow


async def test_a_database_that_is_away_for_a_while_loses_nothing(postgres_database: str) -> None:
    """Steps wait for it, and events come through."""
    gate = Gate()
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
        await journals_at(url).start(NotingBody(do_step))


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
        await journals_at(url.render_as_string(hide_password=False)).start(NotingBody(do_step))

    assert "hunter2" not in str(refused.value)
