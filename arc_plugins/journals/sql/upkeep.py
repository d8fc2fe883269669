"""Upkeep of all runs: what a process looks for and does about it, a transaction each.

It asks often, so each question has an index.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Select, bindparam, delete, func, or_, select, update

from arc_core import AgentResult, TurnRestarted
from arc_core.errors import RetryError, UnknownRunError
from arc_core.runs.store import RunState
from arc_plugins.journals.sql.event_store import make_batch
from arc_plugins.journals.sql.references import RecordedValues, drop_parts, find_lost_users
from arc_plugins.journals.sql.run_queries import find_run
from arc_plugins.journals.sql.run_store import (
    FINISH_KEY,
    FINISHED,
    Ticket,
    hold,
    queue_again,
)
from arc_plugins.journals.sql.tables import (
    IS_HELD,
    LAYOUTS,
    UNCARRIED,
    approvals,
    begin_hold,
    end_hold,
    events,
    from_moment,
    now,
    runs,
    steps,
    to_moment,
)

_AT_ONCE = 100
"""The number of runs that one transaction removes, or one look finds."""


def cancelled_runs(connection: Connection, executor: str) -> Sequence[str]:
    """Runs of a process that are to end."""
    found = _ids(
        runs.c.state == RunState.RUNNING.value, runs.c.executor == executor, runs.c.cancelling
    )
    return connection.scalars(found).all()


def running_runs(connection: Connection, executor: str | None) -> Mapping[str, str]:
    """The processes that have runs, by the runs, as the database knows it.

    Args:
        connection: To the database.
        executor: The only process to look at; None is all.
    """
    found = select(runs.c.run_id, runs.c.executor).where(
        runs.c.state == RunState.RUNNING.value, runs.c.layout.in_(LAYOUTS)
    )
    if executor is not None:
        found = found.where(runs.c.executor == executor)
    return {run_id: its for run_id, its in connection.execute(found) if its is not None}


def requeue_of_executor(connection: Connection, executor: str) -> int:
    """Queue what a process that died had; how many runs.

    DBOS brings the tickets again that it had brought, but perhaps to a process of an older version,
    which does nothing with them: the runs get others.
    """
    is_its = (runs.c.state == RunState.RUNNING.value, runs.c.executor == executor)
    found = connection.scalars(_ids(*is_its, runs.c.layout.in_(LAYOUTS))).all()
    for run_id in found:
        requeue_run(connection, run_id, executor=executor)
    return len(found)


def hold_back(
    connection: Connection, run_id: str, *, attempt_id: str, problem: str, seconds: float
) -> None:
    """End an attempt that lacks what the run needs; another one looks again later.

    Args:
        connection: In a transaction.
        run_id: Of the run.
        attempt_id: Of the attempt; nothing happens if another one owns the run.
        problem: What is missing.
        seconds: After how long the run may be tried again.
    """
    row = hold(connection, run_id)
    if row is None or row.life != attempt_id:
        return
    queue_again(connection, row)
    if row.cancelling:
        return
    later = to_moment(from_moment(now()) + timedelta(seconds=seconds))
    its = update(runs).where(runs.c.run_id == run_id)
    connection.execute(its.values(not_before=later, crashes=0))
    begin_hold(connection, run_id, problem=problem)


def try_held_again(connection: Connection) -> int:
    """Let runs that are held be tried at once, since this process may have what they lack."""
    found = _ids(runs.c.state == RunState.QUEUED.value, runs.c.not_before.is_not(None), IS_HELD)
    held = connection.scalars(found.order_by(runs.c.run_id).with_for_update(skip_locked=True)).all()
    for run_id in held:
        connection.execute(update(runs).where(runs.c.run_id == run_id).values(not_before=None))
        end_hold(connection, run_id)
    return len(held)


def requeue_run(connection: Connection, run_id: str, *, executor: str) -> None:
    """Queue a run of a process in which no attempt has it."""
    row = hold(connection, run_id)
    if row is not None and row.state == RunState.RUNNING and row.executor == executor:
        queue_again(connection, row, has_crashed=True)


def tickets_to_carry(connection: Connection) -> Sequence[Ticket]:
    """Runs that are queued and due, whose ticket DBOS does not have."""
    columns = select(runs.c.run_id, runs.c.ticket, runs.c.queue, runs.c.tenant)
    found = columns.where(
        UNCARRIED,
        runs.c.layout.in_(LAYOUTS),
        or_(runs.c.not_before.is_(None), runs.c.not_before <= now()),
    )
    rows = connection.execute(found.order_by(runs.c.created_at).limit(_AT_ONCE))
    return [_make_ticket(row) for row in rows]


def mark_carried(connection: Connection, tickets: Sequence[Ticket]) -> None:
    """Note that DBOS has these tickets."""
    same = (runs.c.run_id == bindparam("ticket_of"), runs.c.ticket == bindparam("number"))
    ordered = sorted(tickets, key=lambda each: each.run_id)  # others lock them in this order, too
    connection.execute(
        update(runs).where(*same, runs.c.state != FINISHED).values(carried=True),
        [{"ticket_of": each.run_id, "number": each.number} for each in ordered],
    )


def tickets_in_queue(connection: Connection, *, after: str) -> Sequence[Ticket]:
    """Some tickets that DBOS has of runs that no process has taken, by the ids of the runs.

    Args:
        connection: To the database.
        after: The id of the last run of the look before; empty begins anew.
    """
    columns = select(runs.c.run_id, runs.c.ticket, runs.c.queue, runs.c.tenant)
    found = columns.where(
        runs.c.state == RunState.QUEUED.value,
        runs.c.carried,
        runs.c.layout.in_(LAYOUTS),
        runs.c.run_id > after,
    )
    rows = connection.execute(found.order_by(runs.c.run_id).limit(_AT_ONCE))
    return [_make_ticket(row) for row in rows]


def replace_tickets(connection: Connection, tickets: Sequence[Ticket]) -> None:
    """Give runs other tickets, if these are still their newest."""
    for ticket in sorted(tickets, key=lambda each: each.run_id):
        row = hold(connection, ticket.run_id)
        is_newest = row is not None and (row.state, row.ticket) == (RunState.QUEUED, ticket.number)
        if row is not None and is_newest and row.carried:
            queue_again(connection, row)


def _make_ticket(row: Any) -> Ticket:
    return Ticket(run_id=row.run_id, number=row.ticket, queue=row.queue, tenant=row.tenant)


def other_layouts(connection: Connection) -> Mapping[str, int]:
    """Count the runs without an end of each layout that this version does not know."""
    found = select(runs.c.layout, func.count()).where(
        runs.c.layout.not_in(LAYOUTS), runs.c.state != FINISHED
    )
    rows = connection.execute(found.group_by(runs.c.layout))
    return {layout: count for layout, count in rows}  # noqa: C416 -- typed


def remove_finished(connection: Connection, *, days: float) -> int:
    """Remove some runs that ended long ago, with all that belongs to them; how many."""
    limit = to_moment(from_moment(now()) - timedelta(days=days))
    old = _ids(runs.c.state == FINISHED, runs.c.finished_at < limit).limit(_AT_ONCE)
    return _remove(connection, old)


def remove_run(connection: Connection, *, run_id: str) -> int:
    """Remove one run that has ended, with all that belongs to it; how many."""
    return _remove(connection, _ids(runs.c.state == FINISHED, runs.c.run_id == run_id))


def _remove(connection: Connection, wanted: Select[str]) -> int:
    found = connection.scalars(wanted.with_for_update(skip_locked=True)).all()
    for table in (steps, events, approvals, runs):
        connection.execute(delete(table).where(table.c.run_id.in_(found)))
    drop_parts(connection, found)
    return len(found)


def has_lost_parts(connection: Connection) -> bool:
    """Return true if an older version has removed runs, and left parts that nothing names."""
    return bool(find_lost_users(connection, limit=1))


def remove_lost_parts(connection: Connection) -> None:
    """Remove the parts of some of these runs."""
    drop_parts(connection, find_lost_users(connection, limit=_AT_ONCE))


def _ids(*conditions: Any) -> Select[str]:
    return select(runs.c.run_id).where(*conditions)


_BELOW = "tool/%/%"
"""The keys of runs that tool calls have started: how these ended is what the calls gave."""

_STOPPED = "stopped"
"""The type of what a step gave that has ended the run without an answer."""


def retry(connection: Connection, run_id: str) -> None:
    """Queue a failed run again, without its end and the step that has brought it about.

    Readers find, in the place of the old end, that its turn begins again; a reader who has that end
    goes on after it, and misses nothing.

    Raises:
        UnknownRunError: There is no such run.
        RetryError: It has not failed.
    """
    row = hold(connection, run_id)
    if row is None:
        raise UnknownRunError(run_id)
    found = find_run(connection, run_id=run_id).outcome
    if not isinstance(found, AgentResult):
        raise RetryError(f"it is {found.state.value}", run_id=run_id)
    if found.success:
        raise RetryError("it has an answer", run_id=run_id)
    _remove_end(connection, run_id)
    queue_again(connection, row)
    anew = {"result": None, "finished_at": None, "cancelling": False, "crashes": 0}
    connection.execute(update(runs).where(runs.c.run_id == run_id).values(**anew))


def _remove_end(connection: Connection, run_id: str) -> None:
    own = steps.c.run_id == run_id
    found = select(steps.c.key, steps.c.value).where(own, ~steps.c.key.like(_BELOW))
    recorded = connection.execute(found).all()
    ending = [key for key, text in recorded if key == FINISH_KEY or _has_stopped(text)]
    connection.execute(delete(steps).where(own, steps.c.key.in_(ending)))
    kept = {key for key, _ in recorded} - set(ending)
    turn = 1 + sum(key.startswith("model/") for key in kept)
    _replace_last_event(connection, run_id, TurnRestarted(turn, run_id=run_id))


def _has_stopped(text: str) -> bool:
    """Return true if a step has ended the run, by the type of what it gave."""
    record = json.loads(text)
    value = record.get("value") if isinstance(record, dict) else None
    return isinstance(value, dict) and value.get("type") == _STOPPED


def _replace_last_event(connection: Connection, run_id: str, event: TurnRestarted) -> None:
    own = events.c.run_id == run_id
    columns = select(events.c.number, events.c.before, events.c.last).where(own)
    last = connection.execute(columns.order_by(events.c.number.desc()).limit(1)).one()
    numbered = replace(event, seq=last.last)
    batch = make_batch(
        [numbered], run_id=run_id, number=last.number, before=last.before, recorded=RecordedValues()
    )
    row = update(events).where(own, events.c.number == last.number)
    connection.execute(row.values(body=batch.body))
