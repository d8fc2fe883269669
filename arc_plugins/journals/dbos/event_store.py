"""Reads what runs told."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from arc_core import AgentEvent
from arc_core.interfaces.run_journal import RunState
from arc_plugins.journals.dbos.event_batches import ReadBatch, events_after, read_batch
from arc_plugins.journals.dbos.run_store import FINISHED, row_of
from arc_plugins.journals.dbos.step_store import records_of
from arc_plugins.journals.dbos.tables import LAYOUT, events

__all__ = ["Told", "last_batch", "read_told"]

_AT_ONCE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What there is to read of a run.

    Attributes:
        events: In their order.
        number: Of the last batch that is read.
        ends: Whether nothing follows, for now or ever.
    """

    events: Sequence[AgentEvent]
    number: int
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
    row = row_of(connection, run_id)  # before the events, or the last ones could be missed
    if row.layout != LAYOUT:
        return Told(events=(), number=number, ends=True)
    read = _batches_after(connection, run_id, after=after, number=number)
    batches = list(read.values())
    named = {key for batch in batches for key in batch.steps}
    records = records_of(connection, run_id, named)
    return Told(
        events=[
            event
            for batch in batches
            for event in events_after(batch, records, run_id=run_id, after=after)
        ],
        number=max(read, default=number),
        ends=row.state in {FINISHED, RunState.WAITING} and len(batches) < _AT_ONCE,
    )


def _batches_after(
    connection: Connection, run_id: str, *, after: int, number: int
) -> dict[int, ReadBatch]:
    """Some batches by their numbers, in their order."""
    columns = select(events.c.number, events.c.before, events.c.body)
    found = columns.where(
        events.c.run_id == run_id, events.c.number > number, events.c.last >= after
    )
    rows = connection.execute(found.order_by(events.c.number).limit(_AT_ONCE))
    return {number: read_batch(before=before, body=body) for number, before, body in rows}


def last_batch(connection: Connection, run_id: str) -> int:
    """The number of the last batch of a run; 0 if it has told nothing."""
    found = select(func.max(events.c.number)).where(events.c.run_id == run_id)
    return connection.scalar(found) or 0
