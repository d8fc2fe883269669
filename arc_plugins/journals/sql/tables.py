"""The tables of the runs, in the layout `arc-2`; `docs/durable-runs.md` describes them.

Moments are texts in UTC, `2026-11-22T07:00:00.000000Z`, which sort as they follow each other and
read alike in both databases.
"""

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    and_,
    delete,
    exists,
    select,
    text,
)

from arc_core.runs.journal import LAYOUT as LAYOUT
from arc_core.runs.journal import LAYOUTS as LAYOUTS

METADATA = MetaData()
_MOMENT = String(32)

versions = Table("arc_run_schema", METADATA, Column("version", Integer, primary_key=True))
"""One row: the revision of the tables."""

runs = Table(
    "arc_runs",
    METADATA,
    Column("run_id", Text, primary_key=True),
    Column("layout", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("queue", Text, nullable=False),
    Column("tenant", Text),
    Column("command", Text, nullable=False),
    Column("deps", Text),
    Column("ticket", Integer, nullable=False),
    Column("carried", Boolean, nullable=False),
    Column("executor", Text),
    Column("life", Text),
    Column("crashes", Integer, nullable=False),
    Column("cancelling", Boolean, nullable=False),
    Column("told", BigInteger, nullable=False),
    Column("not_before", _MOMENT),
    Column("created_at", _MOMENT, nullable=False),
    Column("finished_at", _MOMENT),
    Column("result", Text),
)
"""One row a run.

`ticket` counts the attempts, and `carried` says whether the run has a place of its queue. `life`
names the attempt that owns the run, and `executor` its process; `crashes` counts attempts whose
process died. `told` is the highest `seq` of the run's own events. `result` is empty for a finished
run whose step `finish` has it; for one that waits it is what the run has so far.
"""

Index("arc_runs_state", runs.c.state, runs.c.executor)
Index("arc_runs_created", runs.c.created_at)  # lists, newest first
Index("arc_runs_finished", runs.c.finished_at)  # removal

UNCARRIED = and_(runs.c.state == text("'queued'"), ~runs.c.carried)
"""Runs that wait for a place of their queue; databases know their index by the same words."""

Index(
    "arc_runs_uncarried",
    runs.c.state,
    runs.c.created_at,
    sqlite_where=UNCARRIED,
    postgresql_where=UNCARRIED,
)

steps = Table(
    "arc_run_steps",
    METADATA,
    Column("run_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Column("at", _MOMENT, nullable=False),
)
"""The results of steps, each in the JSON form of its step."""

events = Table(
    "arc_run_events",
    METADATA,
    Column("run_id", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("before", BigInteger, nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
)
"""The events of a run, a batch a row, in their order.

`before` and `last` are the `seq` of the run's own events before the batch and at its end; `body`
has the events of the run and of those below it, as JSON that zlib has compressed: what tools say
stands in their steps already, in plain text.
"""

parts = Table(
    "arc_run_parts",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("text", Text, nullable=False),
)
"""The parts of what models were asked, once each; steps name them by their digests."""

part_uses = Table(
    "arc_run_part_uses",
    METADATA,
    Column("used_by", Text, primary_key=True),
    Column("digest", String(64), primary_key=True),
)
"""The users of a part: a run, by its id, or another part, by its digest."""

Index("arc_run_part_uses_digest", part_uses.c.digest)

keys = Table("arc_run_keys", METADATA, Column("key", String(64), primary_key=True))
"""One row: the secret under which digests are made, in hexadecimal figures."""

approvals = Table(
    "arc_approvals",
    METADATA,
    Column("run_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("request", Text, nullable=False),
    Column("since", _MOMENT, nullable=False),
    Column("until", _MOMENT),
    Column("decision", Text),
    Column("decided_by", Text),
    Column("decided_at", _MOMENT),
)
"""The requests to people and their decisions; a row without `decision` waits."""

Index(
    "arc_approvals_open",
    approvals.c.until,  # every process looks for what has expired, twice a second
    sqlite_where=approvals.c.decision.is_(None),
    postgresql_where=approvals.c.decision.is_(None),
)


def to_moment(when: datetime) -> str:
    """A moment as the tables have it."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def from_moment(moment: str) -> datetime:
    """A moment of the tables, in UTC."""
    return datetime.fromisoformat(moment)


def now() -> str:
    """This moment, as the tables have it."""
    return to_moment(datetime.now(UTC))


WRAPPED_KEY = "wrapped"
"""Stands among the steps of a run whose caller has passed what wraps the engine, and waits."""

HELD_KEY = "held"
"""Stands among the steps of a run that is held, and says why."""

IS_HELD: Any = exists().where(steps.c.run_id == runs.c.run_id, steps.c.key == HELD_KEY)
"""Of a run that is queued: whether it is held."""


def begin_hold(connection: Connection, run_id: str, *, problem: str) -> None:
    """Note what a run lacks."""
    row = {"run_id": run_id, "key": HELD_KEY, "value": json.dumps(problem), "at": now()}
    connection.execute(steps.insert().values(**row))


def end_hold(connection: Connection, run_id: str) -> None:
    """Note that a run is not held any more."""
    connection.execute(delete(steps).where(steps.c.run_id == run_id, steps.c.key == HELD_KEY))


def find_hold_problem(connection: Connection, run_id: str) -> str | None:
    """Return why a run is held; None if it is not."""
    step = select(steps.c.value).where(steps.c.run_id == run_id, steps.c.key == HELD_KEY)
    text = connection.scalar(step)
    return None if text is None else str(json.loads(text))
