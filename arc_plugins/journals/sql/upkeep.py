"""Upkeep of all runs: what a process looks for and does about it, a transaction each.

It asks often, so each question has an index.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    case,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    union_all,
    update,
)

from arc_core import AgentResult, TurnRestarted
from arc_core.errors import RetryError, UnknownRunError
from arc_core.runs.store import RunState
from arc_plugins.journals.sql import approval_store
from arc_plugins.journals.sql.event_store import make_batch
from arc_plugins.journals.sql.references import (
    FINISH_KEY,
    RecordedValues,
    drop_parts,
    find_lost_users,
    has_stopped,
)
from arc_plugins.journals.sql.run_queries import find_run
from arc_plugins.journals.sql.run_store import FINISHED, hold, queue_again
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Agenda:
    """All that a process has to see to, at one moment.

    Attributes:
        running: The processes that have runs as the database knows it, by the runs.
        cancelled: Those of these runs that are to end.
        others: Other processes that have runs.
        queues: Those with a run that is due.
        next_at: When the next request expires or, if no run is due, the next run becomes so, as
            tables have it; None never.
    """

    running: Mapping[str, str]
    cancelled: Sequence[str]
    others: Sequence[str]
    queues: Sequence[str]
    has_expired: bool
    next_at: str | None


def look(connection: Connection, *, executor: str, is_file: bool, queues: Sequence[str]) -> Agenda:
    """Read all that there is to see to, by one statement.

    On a file, this process sees to the runs of all. It has room for runs of these queues.
    """
    cancelling, until = case((runs.c.cancelling, "1"), else_=""), approvals.c.until
    running = _part("running", runs.c.run_id, runs.c.executor, cancelling).where(_IS_RUNNING)
    parts = [running if is_file else running.where(runs.c.executor == executor)]
    if not is_file:
        others = _part("other", runs.c.executor).where(_IS_RUNNING, runs.c.executor != executor)
        parts.append(others.distinct())
    parts.append(_part("expired", _NONE).where(approval_store.late().exists()))
    is_open = approvals.c.decision.is_(None)
    parts.append(_part("next", func.min(until)).where(is_open, until > now()))
    due = {queue: exists().where(is_due(queue)) for queue in queues}
    parts += [_part("queue", literal(queue)).where(found) for queue, found in due.items()]
    if queues:  # a long queue is read only if none of it is due
        later = select(func.min(runs.c.not_before)).where(UNCARRIED, runs.c.queue.in_(queues))
        later = later.where(runs.c.not_before > now())
        first = case((or_(*due.values()), None), else_=later.scalar_subquery())
        parts.append(_part("next", first))
    found = defaultdict[str, list[tuple[str, str, str]]](list)
    for kind, name, other, flag in connection.execute(union_all(*parts)):
        found[kind].append((name, other, flag))
    return Agenda(
        running={run_id: its for run_id, its, _ in found["running"]},
        cancelled=[run_id for run_id, _, flag in found["running"] if flag],
        others=[name for name, _, _ in found["other"]],
        queues=[name for name, _, _ in found["queue"]],
        has_expired=bool(found["expired"]),
        next_at=min((moment for moment, _, _ in found["next"] if moment), default=None),
    )


_NONE = literal("")
_IS_RUNNING = and_(
    runs.c.state == RunState.RUNNING.value, runs.c.layout.in_(LAYOUTS), runs.c.executor.is_not(None)
)


def _part(kind: str, *columns: Any) -> Select[*tuple[Any, ...]]:
    """Select a name, and up to two columns more."""
    return select(literal(kind), *columns, *[_NONE] * (3 - len(columns)))


def is_due(queue: str) -> ColumnElement[bool]:
    """Of a run: whether it is in a queue, and may begin."""
    return and_(
        UNCARRIED,
        runs.c.queue == queue,
        runs.c.layout.in_(LAYOUTS),
        or_(runs.c.not_before.is_(None), runs.c.not_before <= now()),
    )


def requeue_of_executor(connection: Connection, executor: str) -> int:
    """Queue what a process that died had; how many runs."""
    is_its = (runs.c.state == RunState.RUNNING.value, runs.c.executor == executor)
    its = _ids(*is_its, runs.c.layout.in_(LAYOUTS)).order_by(runs.c.run_id)
    found = connection.scalars(its).all()  # others lock rows in this order, too
    for run_id in found:
        requeue_run(connection, run_id, executor=executor)
    return len(found)


def hold_back(
    connection: Connection, run_id: str, *, attempt_id: str, problem: str, seconds: float
) -> None:
    """End an attempt that lacks what the run needs; another one looks again later.

    Nothing happens if another attempt owns the run.
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


def release_carried(connection: Connection) -> None:
    """Have runs taken that an older version has queued in DBOS, which this one does not ask."""
    queued = (runs.c.state == RunState.QUEUED.value, runs.c.carried, runs.c.layout.in_(LAYOUTS))
    connection.execute(update(runs).where(*queued).values(carried=False))


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
    ending = [key for key, text in recorded if key == FINISH_KEY or has_stopped(json.loads(text))]
    connection.execute(delete(steps).where(own, steps.c.key.in_(ending)))
    kept = {key for key, _ in recorded} - set(ending)
    turn = 1 + sum(key.startswith("model/") for key in kept)
    _replace_last_event(connection, run_id, TurnRestarted(turn, run_id=run_id))


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
