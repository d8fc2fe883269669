"""The parts of what models were asked, in the database."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from sqlalchemy import Connection, delete, select

from arc_core import AgentCommand, AgentResult
from arc_core.runs.journal import RecordedPart
from arc_core.stores.sql import read_sql_address
from arc_core.testing.conformance.run_journal.rules import (
    Attempt,
    NotingBody,
    command,
    end_of,
    taking_runs,
)
from arc_plugins.journals.sql import upkeep
from arc_plugins.journals.sql.database import Database
from arc_plugins.journals.sql.tables import LAYOUT, keys, part_uses, parts, runs, steps
from tests.arc_plugins.journals.sql.databases import execute, journals_at
from tests.arc_plugins.journals.sql.layouts.shop import open_shop

pytestmark = pytest.mark.slow


@contextmanager
def looking_at(url: str) -> Iterator[Connection]:
    """A transaction of another process."""
    database = Database(read_sql_address(url, setting="test", is_async=False))
    try:
        with database.write() as connection:
            yield connection
    finally:
        database.close()


def texts_in(url: str) -> dict[str, Any]:
    """Return all parts by their digests."""
    with looking_at(url) as connection:
        found = connection.execute(select(parts.c.digest, parts.c.text))
        return {digest: json.loads(text) for digest, text in found}


def value_of(url: str, run_id: str, key: str) -> Any:
    """Return what a step has recorded."""
    with looking_at(url) as connection:
        found = select(steps.c.value).where(steps.c.run_id == run_id, steps.c.key == key)
        return json.loads(connection.scalars(found).one())


async def run(url: str, *run_ids: str) -> None:
    """Let an agent with tools run, once under each id."""
    async with open_shop(url) as app:
        for run_id in run_ids:
            asked = AgentCommand(user_prompt="parallel", agent="clerk")
            await app.submit(asked, run_id=run_id)
            await end_of(app.container.run_journals(), run_id)


async def test_texts_are_kept_once_for_all_runs(database: str) -> None:
    """A second run, in another process, adds none."""
    await run(database, "first")
    after_one = texts_in(database)

    await run(database, "second")

    assert texts_in(database) == after_one
    request = value_of(database, "second", "model/1")["value"]["request"]
    by_kind = {each.get("kind", "message"): each["digest"] for each in request["parts"]}
    assert after_one[by_kind["system_prompt"]] == "You sell."
    [found] = [each for each in after_one[by_kind["tools"]] if each["name"] == "find"]
    assert after_one[found["digest"]]["description"] == "Find an item."


async def test_steps_say_with_what_and_when_they_were_done(sqlite_database: str) -> None:
    """`enter` names the wiring, `model/2` what is new and when it was asked and answered."""
    await run(sqlite_database, "r")

    entered, asked = (value_of(sqlite_database, "r", key) for key in ("enter", "model/2"))
    wired = texts_in(sqlite_database)[entered["value"]["wiring"]]
    [engine] = [each for each in wired if each["place"] == "agent_executor"]
    assert (engine["package"], len(engine["settings"])) == ("arc-agents", 64)
    assert {each["place"] for each in wired} >= {"chat_model", "agents", "guards", "run_journals"}
    assert (asked["value"]["request"]["kept"], len(asked["value"]["request"]["parts"])) == (3, 2)
    assert entered["value"]["started_at"] <= asked["started_at"] <= asked["ended_at"]


async def test_a_recording_has_all_that_a_run_has_recorded(database: str) -> None:
    """Its steps in the order of their ends, with no references in them, and the parts they name."""
    await run(database, "r")
    journals = journals_at(database, work=False)
    async with taking_runs(journals, NotingBody(_finish)):
        recording = await journals.recording("r")

    assert recording.command == AgentCommand(user_prompt="parallel", agent="clerk")
    assert recording.layout == LAYOUT
    ends = [list(recording.steps).index(key) for key in ("enter", "model/1", "tool/0", "finish")]
    assert ends == sorted(ends)
    assert "$recorded" not in recording.steps["finish"]
    texts = {digest: json.loads(text) for digest, text in recording.parts.items()}
    assert texts == texts_in(database)


async def test_what_no_run_names_is_removed(database: str) -> None:
    """With the last run that named it, and the schemas of tools with the list that names them."""
    await run(database, "first", "second")
    kept = texts_in(database)

    journals = journals_at(database)
    async with taking_runs(journals, NotingBody(_finish)):
        await journals.forget("first")
        after_one = texts_in(database)
        await journals.forget("second")

    assert after_one == kept
    assert texts_in(database) == {}
    with looking_at(database) as connection:
        assert connection.execute(select(part_uses)).all() == []


async def test_parts_of_runs_that_an_older_version_has_removed_go_too(database: str) -> None:
    """It knows of no parts."""
    await run(database, "r")
    with looking_at(database) as connection:
        for table in (runs, steps):
            connection.execute(delete(table))

        assert upkeep.has_lost_parts(connection)
        upkeep.remove_lost_parts(connection)

        assert not upkeep.has_lost_parts(connection)
    assert texts_in(database) == {}


async def _finish(attempt: Attempt, _: AgentCommand) -> AgentResult:
    return await attempt.finish()


async def test_all_processes_make_digests_under_one_secret(database: str) -> None:
    """The first has made it; texts of steps show nothing of it."""
    await run(database, "r")
    body = NotingBody(_finish)
    async with taking_runs(journals_at(database), body) as journals:
        await journals.submit(command(), run_id="s")
        await end_of(journals, "s")

    with looking_at(database) as connection:
        [key] = connection.scalars(select(keys.c.key)).all()
    assert body.journals[0].digest_key.hex() == key
    assert len(key) == 64


async def test_a_store_keeps_parts_with_the_step_that_names_them(sqlite_database: str) -> None:
    """And each once, however often it is named."""
    part = RecordedPart("d" * 64, '"one"', (RecordedPart("e" * 64, '"below"'),))

    async def name_twice(attempt: Attempt, _: AgentCommand) -> AgentResult:
        attempt.journal.keep_parts((part,))
        before = texts_in(sqlite_database)
        await attempt.do("model/1")
        attempt.journal.keep_parts((part,))
        assert before == {}
        return await attempt.finish()

    async with taking_runs(journals_at(sqlite_database), NotingBody(name_twice)) as journals:
        await journals.submit(command(), run_id="r")
        await end_of(journals, "r")

    assert texts_in(sqlite_database) == {"d" * 64: "one", "e" * 64: "below"}


@pytest.mark.slow
async def test_a_run_that_an_older_process_has_queued_is_taken(database: str) -> None:
    """Versions before have handed their queues to DBOS, which is not asked any more."""
    async with taking_runs(journals_at(database, work=False), NotingBody(_finish)) as journals:
        await journals.submit(command(), run_id="r")
    execute(database, "UPDATE arc_runs SET carried = true")
    async with taking_runs(journals_at(database), NotingBody(_finish)) as journals:
        result = await end_of(journals, "r")

    assert result.success
