"""What is taken out of a queue, and what the clock begins."""

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Self

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from sqlalchemy import Connection, insert, select

from arc_core.testing.conformance.run_journal.rules import (
    NotingBody,
    end_of,
    finish,
    taking_runs,
    until,
)
from arc_plugins.journals.settings import QueueSettings, ScheduleSettings
from arc_plugins.journals.sql import queues
from arc_plugins.journals.sql.queues import claim
from arc_plugins.journals.sql.tables import LAYOUT, runs
from tests.arc_plugins.journals.sql.databases import journals_at

_ROW = {
    "layout": LAYOUT, "state": "queued", "queue": "q", "command": "{}", "ticket": 0,
    "carried": False, "crashes": 0, "cancelling": False, "told": 0,
}  # fmt: skip
_LATER = "2999-01-01T00:00:00.000000Z"


def _queue(connection: Connection, *run_ids: str, **columns: str | None) -> None:
    """Have runs wait, one after the other."""
    for number, run_id in enumerate(run_ids):
        row = {"run_id": run_id, "created_at": f"2026-01-01T00:00:{number:02}.000000Z"}
        connection.execute(insert(runs).values(_ROW | row | columns))


def _claim(connection: Connection, *, room: int = 9, **limits: int) -> Sequence[str]:
    """The runs that a process takes."""
    settings = QueueSettings(**limits)
    found = claim(connection, "q", limits=settings, room=room, executor="here")
    return [each.run_id for each in found]


def test_the_oldest_runs_that_are_due_are_taken(connection: Connection) -> None:
    """As many as there is room for, each once; those of other queues and for later stay."""
    _queue(connection, "a", "b", "c")
    _queue(connection, "later", not_before=_LATER)
    _queue(connection, "other", queue="another")

    taken = [_claim(connection, room=2) for _ in range(3)]

    assert taken == [["a", "b"], ["c"], []]


def test_a_queue_has_no_more_runs_than_it_lets(connection: Connection) -> None:
    """Those that go on count, and those of another process do."""
    _queue(connection, "a", "b", "c", "d")

    assert _claim(connection, room=1) == ["a"]
    assert _claim(connection, max_running=3) == ["b", "c"]
    assert _claim(connection, max_running=3) == []


def test_a_tenant_has_no_more_runs_than_it_may(connection: Connection) -> None:
    """The next ones of others pass by; those of no tenant are one tenant's."""
    _queue(connection, "a1", "a2", "a3", tenant="a")
    _queue(connection, "b1", "b2", tenant="b")
    _queue(connection, "n1", "n2", tenant=None)

    first = _claim(connection, per_tenant=1)
    second = _claim(connection, per_tenant=2)

    assert sorted(first) == ["a1", "b1", "n1"]
    assert sorted(second) == ["a2", "b2", "n2"]


def test_a_run_that_a_caller_waits_for_has_no_place_of_a_queue(connection: Connection) -> None:
    """It was begun at once, whatever the queue lets."""
    _queue(connection, "begun", state="running", executor="there")
    _queue(connection, "a")

    assert _claim(connection, max_running=1) == ["a"]


def test_a_claim_makes_an_attempt_the_owner(connection: Connection) -> None:
    """Its number is one that the run has not had."""
    _queue(connection, "a")

    [found] = claim(connection, "q", limits=QueueSettings(), room=1, executor="here")

    columns = select(runs.c.state, runs.c.life, runs.c.executor, runs.c.ticket)
    assert tuple(connection.execute(columns).one()) == ("running", found.attempt_id, "here", 1)


class _Clock(datetime):
    """Shows a moment before a tick, and then that of the tick."""

    seconds = iter((59, 59))

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """The moment."""
        seconds = next(cls.seconds, 60)
        return cls(2026, 1, 1, 6 + seconds // 60, 59 * (seconds < 60), seconds % 60, tzinfo=tz)


async def test_a_tick_is_one_run_of_all_that_have_the_schedule(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its id says which schedule and when, so that each process may begin it."""
    schedule = ScheduleSettings(cron="0 7 * * *", prompt="Brief me.")
    monkeypatch.setattr(queues, "datetime", _Clock)
    body = NotingBody(finish)
    working = journals_at(sqlite_database, schedules=[schedule])
    async with taking_runs(working, body) as journals:

        async def is_there() -> bool:
            return bool(await journals.list())

        await until(is_there)
        [run] = await journals.list()
        await end_of(journals, run.run_id)

    assert len(body.lives) == 1
    assert run.run_id.endswith("-20260101T070000Z")
