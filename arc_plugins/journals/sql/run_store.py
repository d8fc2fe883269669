"""Writes and reads the rows of runs, a transaction each.

A writer for an attempt holds the row of its run while the transaction lasts, and writes only
if the row still names the attempt: an attempt that another one has followed changes nothing.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import JSON, Connection, Row, bindparam, delete, func, literal, select, true, update
from sqlalchemy.dialects import postgresql

from arc_core import ConfigurationError
from arc_core.errors import RunConflictError, UnknownRunError
from arc_core.runs.store import RunState
from arc_plugins.journals.sql.references import insert_once, share_parts
from arc_plugins.journals.sql.tables import (
    HELD_KEY,
    LAYOUT,
    LAYOUTS,
    WRAPPED_KEY,
    approvals,
    end_hold,
    events,
    now,
    runs,
    steps,
)

FINISHED = "finished"
"""The state of a run that has a result."""

_BATCH = ("number", "before", "last", "body")
_OWNER = (
    update(runs)
    .where(runs.c.run_id == bindparam("id"), runs.c.life == bindparam("attempt"))
    .values(
        told=func.coalesce(bindparam("last"), runs.c.told),
        crashes=func.coalesce(bindparam("deaths"), runs.c.crashes),
    )
)


def _make_append() -> Any:
    """Return all that `append` does as one statement of PostgreSQL, without a row if refused."""
    owner = _OWNER.returning(runs.c.run_id).cte()
    record = func.json_each_text(bindparam("records", type_=JSON)).table_valued("key", "value")
    recorded = select(owner.c.run_id, record.c.key, record.c.value, bindparam("at"))
    batch = [bindparam(name, type_=events.c[name].type) for name in _BATCH]
    written = select(owner.c.run_id, *batch).where(batch[0].is_not(None))
    insertions = (
        postgresql.insert(steps).from_select(
            ["run_id", "key", "value", "at"], recorded.join_from(owner, record, true())
        ),
        postgresql.insert(events).from_select(["run_id", *_BATCH], written),
    )
    return select(owner.c.run_id).add_cte(
        *(each.on_conflict_do_nothing().cte() for each in insertions)
    )


_APPEND = _make_append()
"""Made once, as a step is what happens most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A run that an attempt owns now, and what earlier ones have recorded.

    Attributes:
        held: Why the last attempt could not go on with it; None if it could.
    """

    run_id: str
    attempt_id: str
    command: str
    deps: str | None
    last_seq: int = 0
    last_batch: int = 0
    crashes: int = 0
    is_cancelling: bool = False
    values: dict[str, str] = field(default_factory=dict)
    held: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Events that are written together."""

    number: int
    before: int
    last: int
    body: bytes


def insert_run(connection: Connection, row: Mapping[str, Any], *, is_wrapped: bool = False) -> bool:
    """Add a run; return whether it is new.

    It `is_wrapped` if its caller, who waits for it, has passed what wraps the engine.

    Raises:
        RunConflictError: There is one of this id that asks something else.
    """
    values = {
        "layout": LAYOUT, "ticket": 0, "carried": False, "crashes": 0, "cancelling": False,
        "told": 0, "created_at": now(), **row,
    }  # fmt: skip
    added = insert_once(connection, runs).values(**values).returning(runs.c.run_id)
    if connection.execute(added).first() is not None:
        if is_wrapped:
            mark = {"run_id": row["run_id"], "key": WRAPPED_KEY, "value": "true", "at": now()}
            connection.execute(steps.insert().values(**mark))
        return True
    columns = select(runs.c.command, runs.c.deps).where(runs.c.run_id == row["run_id"])
    found = connection.execute(columns).one()
    if tuple(found) != (row["command"], row["deps"]):
        raise RunConflictError(row["run_id"])
    return False


def fork_run(
    connection: Connection, run_id: str, *, row: Mapping[str, Any], keys: Sequence[str]
) -> None:
    """Add a run with some steps of another one, and its deps unless it has others."""
    found = read_run(connection, run_id, runs.c.deps)
    insert_run(connection, {**row, "deps": row["deps"] or found.deps})
    fork_id = literal(row["run_id"]).label("fork_id")
    its = select(fork_id, steps.c.key, steps.c.value, steps.c.at).where(
        steps.c.run_id == run_id, steps.c.key.in_(keys)
    )
    connection.execute(steps.insert().from_select(["run_id", "key", "value", "at"], its))
    share_parts(connection, used_by=run_id, also_by=row["run_id"])


def end_run(connection: Connection, run_id: str, *, attempt_id: str, executor: str) -> Taken | None:
    """Say of a run that it is to end, and make an attempt its owner if no attempt has it.

    Return the run for its last attempt; None if another one has it, or if it has ended.

    Raises:
        ConfigurationError: Only another version of Arc can end it.
    """
    row = hold(connection, run_id)
    if row is None:
        raise UnknownRunError(run_id)
    if row.state == FINISHED:
        return None
    if row.layout not in LAYOUTS:
        raise ConfigurationError(
            f"the run {run_id!r} is of another version of Arc, and is left as it is",
            evidence=[f"its layout is {row.layout}, and this version has {', '.join(LAYOUTS)}"],
            remedy="cancel it with a version that has its layout",
        )
    connection.execute(_update_run(run_id).values(cancelling=True))
    if row.state == RunState.RUNNING:
        return None
    # Without a place of the queue: it is not begun, but ended.
    mine = {"executor": executor, "ticket": row.ticket + 1, "carried": False, "not_before": None}
    return take(connection, run_id, attempt_id=attempt_id, **mine)


def take(connection: Connection, run_id: str, *, attempt_id: str, **columns: Any) -> Taken:
    """Make an attempt the owner of a run whose row is locked; what it records has this layout.

    Among the columns is a `ticket` that the run has not had: older versions have given the others
    to DBOS.
    """
    columns |= {"state": RunState.RUNNING.value, "layout": LAYOUT, "life": attempt_id}
    running = _update_run(run_id).values(**columns)
    row = connection.execute(
        running.returning(
            runs.c.command, runs.c.deps, runs.c.told, runs.c.crashes, runs.c.cancelling
        )
    ).one()
    recorded = select(steps.c.key, steps.c.value).where(steps.c.run_id == run_id)
    last = select(func.max(events.c.number)).where(events.c.run_id == run_id)
    values = {key: value for key, value in connection.execute(recorded)}  # noqa: C416 -- typed
    held = values.pop(HELD_KEY, None)
    if held is not None:
        end_hold(connection, run_id)
    return Taken(
        run_id=run_id,
        attempt_id=attempt_id,
        command=row.command,
        deps=row.deps,
        last_seq=row.told,
        last_batch=connection.scalar(last) or 0,
        crashes=row.crashes,
        is_cancelling=row.cancelling,
        values=values,
        held=None if held is None else str(json.loads(held)),
    )


def append(
    connection: Connection,
    run_id: str,
    *,
    attempt_id: str,
    records: Sequence[tuple[str, str]],
    batch: Batch | None,
    has_died: bool = False,
) -> bool:
    """Write steps and what was told before they ended; whether the attempt owns the run.

    The same once more changes nothing, for a writer that does not know whether it was written. On
    PostgreSQL it is one statement, in a transaction or outside of any. If processes of the run
    have died, a new step makes it good.
    """
    at = now()
    deaths = 0 if records and has_died else None
    owner = {"id": run_id, "attempt": attempt_id, "last": batch and batch.last, "deaths": deaths}
    if connection.dialect.name == "postgresql":
        columns: dict[str, Any] = dict.fromkeys(_BATCH) if batch is None else asdict(batch)
        written = {"records": dict(records), "at": at, **columns}
        return connection.execute(_APPEND, {**owner, **written}).first() is not None
    if connection.execute(_OWNER, owner).rowcount != 1:
        return False
    if records:
        rows = [{"run_id": run_id, "key": key, "value": text, "at": at} for key, text in records]
        connection.execute(insert_once(connection, steps), rows)
    if batch is not None:
        _tell(connection, run_id, batch)
    return True


def _tell(connection: Connection, run_id: str, batch: Batch) -> None:
    connection.execute(insert_once(connection, events), {"run_id": run_id, **asdict(batch)})


def owns(connection: Connection, run_id: str, *, attempt_id: str) -> bool:
    """Return true if a run belongs to an attempt."""
    return connection.scalar(select(runs.c.life).where(runs.c.run_id == run_id)) == attempt_id


def finish(
    connection: Connection, run_id: str, *, attempt_id: str, result: str | None, batch: Batch
) -> bool:
    """Keep the end of a run, and what is told last; whether it was the attempt's to end.

    The result is None if the step `finish` has it.
    """
    values = {
        "state": FINISHED, "result": result, "finished_at": now(),
        "told": batch.last, "life": None, "executor": None, "carried": True,
    }  # fmt: skip
    mine = _update_run(run_id).where(runs.c.life == attempt_id)
    if connection.execute(mine.values(**values)).rowcount != 1:
        return False
    _tell(connection, run_id, batch)
    return True


def hand_back(
    connection: Connection,
    run_id: str,
    *,
    attempt_id: str,
    waits_for: Sequence[str] = (),
    so_far: str | None = None,
    has_crashed: bool = False,
) -> None:
    """End an attempt without an end of the run; nothing happens if another one owns it.

    The run waits for what people have to decide, with what it has `so_far` in the place of a
    result. If one is decided meanwhile, or if it waits for nothing, it is queued again.
    """
    row = hold(connection, run_id)
    if row is None or row.life != attempt_id:
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
    connection.execute(_update_run(run_id).values(**waiting, result=so_far))
    is_mark = (steps.c.run_id == run_id, steps.c.key == WRAPPED_KEY)
    connection.execute(delete(steps).where(*is_mark))  # its caller is told that it waits


def queue_again(connection: Connection, row: Row[Any], *, has_crashed: bool = False) -> None:
    """Put a run into its queue again."""
    crashes = row.crashes + has_crashed
    queued = {"state": RunState.QUEUED.value, "life": None, "executor": None, "carried": False}
    connection.execute(_update_run(row.run_id).values(**queued, crashes=crashes))


def read_run(connection: Connection, run_id: str, *columns: Any) -> Row[Any]:
    """Read columns of a run.

    Raises:
        UnknownRunError: There is no such run.
    """
    query = select().add_columns(*columns).where(runs.c.run_id == run_id)
    row: Row[Any] | None = connection.execute(query).one_or_none()
    if row is None:
        raise UnknownRunError(run_id)
    return row


def hold(connection: Connection, run_id: str) -> Row[Any] | None:
    """Lock the row of a run for this transaction, and return it; None if not found."""
    columns = select(
        runs.c.run_id, runs.c.layout, runs.c.state, runs.c.ticket, runs.c.carried, runs.c.life,
        runs.c.executor, runs.c.crashes, runs.c.cancelling,
    )  # fmt: skip
    found: Any = columns.where(runs.c.run_id == run_id).with_for_update()
    row: Row[Any] | None = connection.execute(found).one_or_none()
    return row


def _update_run(run_id: str) -> Any:
    return update(runs).where(runs.c.run_id == run_id)
