"""Reads what runs told."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from arc_core import AgentEvent
from arc_core.errors import UnknownRunError
from arc_core.interfaces.run_journal import RunState
from arc_plugins.journals.sql.event_batches import ReadBatch, events_after, read_batch
from arc_plugins.journals.sql.held_runs import problem_of
from arc_plugins.journals.sql.run_store import FINISHED
from arc_plugins.journals.sql.step_store import records_of
from arc_plugins.journals.sql.tables import LAYOUT, events, runs

__all__ = ["Told", "read_told", "told_by_each"]

_AT_ONCE = 200

_STATE = select(runs.c.state, runs.c.layout).where(runs.c.run_id == bindparam("id"))
_BATCHES = (
    select(events.c.number, events.c.before, events.c.body)
    .where(
        events.c.run_id == bindparam("id"),
        events.c.number > bindparam("seen"),
        events.c.last >= bindparam("after"),
    )
    .order_by(events.c.number)
    .limit(_AT_ONCE)
)
"""Made once, as readers of runs that go on ask often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What there is to read of a run.

    Attributes:
        events: In their order.
        number: Of the last batch that is read.
        is_all: Whether that was the last batch that there is.
        ends: Whether nothing follows, for now or ever.
    """

    events: Sequence[AgentEvent]
    number: int
    is_all: bool
    ends: bool


def read_told(connection: Connection, run_id: str, *, after: int, number: int) -> Told:
    """What a run told.

    Args:
        connection: Of the database.
        run_id: Of the run.
        after: The `seq` of its own event that the reader has.
        number: Of the last batch that the reader has.

    Raises:
        UnknownRunError: There is no such run.
        FormError: A step is not there to which an event refers.
    """
    state = _state_of(connection, run_id)  # before the events, or the last ones could be missed
    if state is None:
        return Told(events=(), number=number, is_all=True, ends=True)
    read = _batches_after(connection, run_id, after=after, number=number)
    batches = list(read.values())
    named = {key for batch in batches for key in batch.steps}
    records = records_of(connection, run_id, named)
    is_all = len(batches) < _AT_ONCE
    return Told(
        events=[
            event
            for batch in batches
            for event in events_after(batch, records, run_id=run_id, after=after)
        ],
        number=max(read, default=number),
        is_all=is_all,
        ends=is_all and _is_at_rest(connection, run_id, state),
    )


def _is_at_rest(connection: Connection, run_id: str, state: str) -> bool:
    if state == RunState.QUEUED:
        return problem_of(connection, run_id) is not None
    return state in {FINISHED, RunState.WAITING}


def _state_of(connection: Connection, run_id: str) -> str | None:
    """Where a run is; None for one of another layout."""
    row = connection.execute(_STATE, {"id": run_id}).one_or_none()
    if row is None:
        raise UnknownRunError(run_id)
    state: str = row.state
    return state if row.layout == LAYOUT else None


def _batches_after(
    connection: Connection, run_id: str, *, after: int, number: int
) -> dict[int, ReadBatch]:
    """Some batches by their numbers, in their order."""
    rows = connection.execute(_BATCHES, {"id": run_id, "seen": number, "after": after})
    return {number: read_batch(before=before, body=body) for number, before, body in rows}


def told_by_each(connection: Connection, run_id: str) -> dict[str, int]:
    """The highest `seq` that a run and each of those below it have told.

    Raises:
        FormError: A step is not there to which an event refers.
    """
    told: dict[str, int] = {}
    number, is_all = 0, False
    while not is_all:
        some = read_told(connection, run_id, after=0, number=number)
        told |= {event.run_id: event.seq for event in some.events}
        number, is_all = some.number, some.is_all
    return told
