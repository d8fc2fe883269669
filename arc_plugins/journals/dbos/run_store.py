"""What is written and read of runs, a transaction each.

A writer for an attempt holds the row of its run while the transaction lasts, and writes only
if the row still names the attempt: an attempt that another one has followed changes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.expression import true

from arc_core.errors import RunConflictError, UnknownRunError
from arc_core.interfaces.run_journal import RunState
from arc_plugins.journals.dbos.tables import (
    LAYOUT,
    approvals,
    datetime_of,
    events,
    moment_of,
    now,
    runs,
    steps,
)

__all__ = [
    "FINISHED",
    "FINISH_KEY",
    "Batch",
    "Ending",
    "Taken",
    "Ticket",
    "append",
    "ask_to_cancel",
    "cancelled_runs",
    "finish",
    "hand_back",
    "hold",
    "insert_once",
    "leave_to_others",
    "mark_carried",
    "other_layouts",
    "queue_again",
    "remove_finished",
    "requeue_of_executor",
    "row_of",
    "submit",
    "take",
    "taken_new",
    "tickets_to_carry",
]

FINISHED = "finished"
"""The state of a run that has a result."""

FINISH_KEY = "finish"
"""The step whose value is the result of a run."""

_AT_ONCE = 100
"""How many runs one transaction removes, or one look finds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """A run that waits in a queue for the nth time."""

    run_id: str
    number: int
    queue: str
    tenant: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A run that an attempt owns now, and what earlier ones have recorded."""

    command: str
    deps: str | None
    told: int
    last_batch: int
    crashes: int
    is_cancelling: bool
    values: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Events that are written together."""

    number: int
    before: int
    last: int
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The end of a run.

    Attributes:
        result: The form of the result; None if the step `finish` has it.
        batch: What is told last.
    """

    result: str | None
    batch: Batch


def insert_once(connection: Connection, table: Any) -> Any:
    """An insertion that does nothing if the row is there."""
    dialect = connection.dialect.name
    statement: Any = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    return statement.on_conflict_do_nothing()


def submit(connection: Connection, row: Mapping[str, Any]) -> bool:
    """Add a run; whether it is new.

    Raises:
        RunConflictError: There is one of this id that asks something else.
    """
    values = {
        "layout": LAYOUT, "ticket": 1, "carried": False, "crashes": 0, "cancelling": False,
        "told": 0, "created_at": now(), **row,
    }  # fmt: skip
    added = insert_once(connection, runs).values(**values).returning(runs.c.run_id)
    if connection.execute(added).first() is not None:
        return True
    columns = select(runs.c.command, runs.c.deps).where(runs.c.run_id == row["run_id"])
    found = connection.execute(columns).one()
    if tuple(found) != (row["command"], row["deps"]):
        raise RunConflictError(row["run_id"])
    return False


def take(
    connection: Connection, run_id: str, *, ticket: int, life: str, executor: str
) -> Taken | None:
    """Make an attempt the owner of a run; None if the ticket is not the run's newest."""
    row = hold(connection, run_id)
    may_run = row is not None and row.ticket == ticket and row.layout == LAYOUT
    if row is None or not may_run or row.state not in {RunState.QUEUED, RunState.RUNNING}:
        return None
    crashes = row.crashes + (row.state == RunState.RUNNING)
    taken = {"state": RunState.RUNNING.value, "life": life, "executor": executor}
    connection.execute(_of(run_id).values(**taken, crashes=crashes))
    recorded = select(steps.c.key, steps.c.value).where(steps.c.run_id == run_id)
    last = select(events.c.number).where(events.c.run_id == run_id)
    return Taken(
        command=row.command,
        deps=row.deps,
        told=row.told,
        last_batch=connection.scalar(last.order_by(events.c.number.desc()).limit(1)) or 0,
        crashes=crashes,
        is_cancelling=row.cancelling,
        values={key: value for key, value in connection.execute(recorded)},  # noqa: C416 -- typed
    )


def taken_new(row: Mapping[str, Any]) -> Taken:
    """A run that an attempt has owned from the beginning."""
    return Taken(
        command=row["command"],
        deps=row["deps"],
        told=0,
        last_batch=0,
        crashes=0,
        is_cancelling=False,
        values={},
    )


def append(
    connection: Connection,
    run_id: str,
    *,
    life: str,
    records: Sequence[tuple[str, str]],
    batches: Sequence[Batch],
) -> bool:
    """Write steps and what was told before they ended; whether the attempt owns the run.

    The same once more changes nothing, for a writer that does not know whether it was written.
    """
    owner = select(runs.c.life).where(runs.c.run_id == run_id)
    owner = owner.with_for_update() if batches else owner.with_for_update(read=True)
    if connection.scalar(owner) != life:
        return False
    if records:
        at = now()
        rows = [{"run_id": run_id, "key": key, "value": text, "at": at} for key, text in records]
        connection.execute(insert_once(connection, steps), rows)
    _tell(connection, run_id, batches)
    return True


def _tell(connection: Connection, run_id: str, batches: Sequence[Batch]) -> None:
    if not batches:
        return
    rows = [
        {
            "run_id": run_id, "number": each.number, "before": each.before, "last": each.last,
            "body": each.body,
        }
        for each in batches
    ]  # fmt: skip
    connection.execute(insert_once(connection, events), rows)
    connection.execute(_of(run_id).values(told=batches[-1].last))


def finish(connection: Connection, run_id: str, *, life: str | None, ending: Ending) -> bool:
    """Keep the end of a run; whether it was the attempt's to end, or, without one, not begun."""
    row = hold(connection, run_id)
    if row is None or row.state == FINISHED or row.life != life:
        return False
    _tell(connection, run_id, [ending.batch])
    values = {"state": FINISHED, "result": ending.result, "finished_at": now()}
    connection.execute(_of(run_id).values(**values, life=None, executor=None, carried=True))
    return True


def hand_back(
    connection: Connection,
    run_id: str,
    *,
    life: str,
    waits_for: Sequence[str] = (),
    has_crashed: bool = False,
) -> None:
    """End an attempt without an end of the run.

    Args:
        connection: In a transaction.
        run_id: Of the run.
        life: Of the attempt; nothing happens if another one owns the run.
        waits_for: The keys of what people have to decide; if one is decided meanwhile, or if there
            are none, the run is queued again.
        has_crashed: Whether the attempt could not write any more.
    """
    row = hold(connection, run_id)
    if row is None or row.life != life:
        return
    decided = select(approvals.c.key).where(
        approvals.c.run_id == run_id,
        approvals.c.key.in_(waits_for),
        approvals.c.decision.is_not(None),
    )
    if row.cancelling or not waits_for or connection.execute(decided).first() is not None:
        queue_again(connection, row, has_crashed=has_crashed)
        return
    waiting = {"state": RunState.WAITING.value, "life": None, "executor": None, "crashes": 0}
    connection.execute(_of(run_id).values(**waiting))


def queue_again(connection: Connection, row: Row[Any], *, has_crashed: bool = False) -> None:
    """Give a run the next ticket, which DBOS does not have yet."""
    crashes = row.crashes + has_crashed
    queued = {"state": RunState.QUEUED.value, "life": None, "executor": None, "carried": False}
    connection.execute(_of(row.run_id).values(**queued, ticket=row.ticket + 1, crashes=crashes))


def leave_to_others(connection: Connection, run_id: str, *, ticket: int) -> None:
    """Give a ticket back that was not begun."""
    row = hold(connection, run_id)
    if row is not None and row.state == RunState.QUEUED and row.ticket == ticket:
        queue_again(connection, row)


def requeue_of_executor(connection: Connection, executor: str) -> int:
    """Queue what a process that died had begun by itself, without DBOS; how many runs it had."""
    is_its = (runs.c.state == RunState.RUNNING.value, runs.c.executor == executor)
    all_its = connection.scalars(_ids(*is_its, runs.c.layout == LAYOUT)).all()
    found = _ids(*is_its, ~runs.c.carried, runs.c.layout == LAYOUT)
    for run_id in connection.scalars(found).all():
        row = hold(connection, run_id)
        if row is not None and row.state == RunState.RUNNING and row.executor == executor:
            queue_again(connection, row, has_crashed=True)
    return len(all_its)


def ask_to_cancel(connection: Connection, run_id: str) -> Row[Any]:
    """Say of a run that it is to end; the row as it was.

    Raises:
        UnknownRunError: There is no such run.
    """
    row = hold(connection, run_id)
    if row is None:
        raise UnknownRunError(run_id)
    if row.state != FINISHED and not row.cancelling:
        connection.execute(_of(run_id).values(cancelling=True))
    return row


def cancelled_runs(connection: Connection, executor: str) -> Sequence[str]:
    """Runs of a process that are to end."""
    found = _ids(
        runs.c.state == RunState.RUNNING.value, runs.c.executor == executor, runs.c.cancelling
    )
    return connection.scalars(found).all()


def tickets_to_carry(connection: Connection) -> Sequence[Ticket]:
    """Runs that are queued and due, whose ticket DBOS does not have."""
    columns = select(runs.c.run_id, runs.c.ticket, runs.c.queue, runs.c.tenant)
    found = columns.where(
        runs.c.state == RunState.QUEUED.value,
        ~runs.c.carried,
        runs.c.layout == LAYOUT,
        or_(runs.c.not_before.is_(None), runs.c.not_before <= now()),
    )
    rows = connection.execute(found.order_by(runs.c.created_at).limit(_AT_ONCE))
    return [
        Ticket(run_id=one, number=two, queue=three, tenant=four) for one, two, three, four in rows
    ]


def mark_carried(connection: Connection, tickets: Sequence[Ticket]) -> None:
    """Note that DBOS has these tickets."""
    same = (runs.c.run_id == bindparam("ticket_of"), runs.c.ticket == bindparam("number"))
    ordered = sorted(tickets, key=lambda each: each.run_id)  # others lock them in this order, too
    connection.execute(
        update(runs).where(*same, runs.c.state != FINISHED).values(carried=True),
        [{"ticket_of": each.run_id, "number": each.number} for each in ordered],
    )


def other_layouts(connection: Connection) -> Mapping[str, int]:
    """How many runs without an end there are of each layout that this version does not know."""
    found = select(runs.c.layout).where(runs.c.layout != LAYOUT, runs.c.state != FINISHED)
    counts: dict[str, int] = {}
    for layout in connection.scalars(found):
        counts[layout] = counts.get(layout, 0) + 1
    return counts


def remove_finished(connection: Connection, *, days: float) -> int:
    """Remove some runs that ended long ago, with all that belongs to them; how many."""
    limit = moment_of(datetime_of(now()) - timedelta(days=days))
    old = _ids(runs.c.state == FINISHED, runs.c.finished_at < limit).limit(_AT_ONCE)
    found = connection.scalars(old).all()
    for table in (steps, events, approvals, runs):
        connection.execute(delete(table).where(table.c.run_id.in_(found)))
    return len(found)


def row_of(connection: Connection, run_id: str) -> Row[Any]:
    """The row of a run.

    Raises:
        UnknownRunError: There is no such run.
    """
    row = connection.execute(select(runs).where(runs.c.run_id == run_id)).one_or_none()
    if row is None:
        raise UnknownRunError(run_id)
    return row


def hold(connection: Connection, run_id: str) -> Row[Any] | None:
    """The row of a run, which no other transaction changes meanwhile; None if not found."""
    found = select(runs).where(runs.c.run_id == run_id).with_for_update()
    return connection.execute(found).one_or_none()


def _ids(*conditions: Any) -> Select[str]:
    return select(runs.c.run_id).where(true(), *conditions)


def _of(run_id: str) -> Any:
    return update(runs).where(runs.c.run_id == run_id)
