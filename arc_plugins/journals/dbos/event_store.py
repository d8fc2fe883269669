"""Reads what runs told."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from arc_core.interfaces.run_journal import RunState
from arc_plugins.journals.dbos.event_batches import events_after
from arc_plugins.journals.dbos.run_store import FINISHED, Batch, row_of
from arc_plugins.journals.dbos.tables import LAYOUT, events

__all__ = ["Told", "read_told", "told_by_each"]

_AT_ONCE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What there is to read of a run.

    Attributes:
        batches: In their order.
        ends: Whether nothing follows, for now or ever.
    """

    batches: Sequence[Batch]
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
    """
    row = row_of(connection, run_id)  # before the events, or the last ones could be missed
    if row.layout != LAYOUT:
        return Told(batches=(), ends=True)
    columns = select(events.c.number, events.c.before, events.c.last, events.c.body)
    found = columns.where(
        events.c.run_id == run_id, events.c.number > number, events.c.last >= after
    )
    rows = connection.execute(found.order_by(events.c.number).limit(_AT_ONCE))
    batches = [
        Batch(number=one, before=two, last=three, body=four) for one, two, three, four in rows
    ]
    ends = row.state in {FINISHED, RunState.WAITING} and len(batches) < _AT_ONCE
    return Told(batches=batches, ends=ends)


def told_by_each(connection: Connection, run_id: str) -> dict[str, int]:
    """The highest `seq` that a run and each of those below it have told."""
    found = select(events.c.number, events.c.before, events.c.last, events.c.body)
    rows = connection.execute(found.where(events.c.run_id == run_id).order_by(events.c.number))
    told: dict[str, int] = {}
    for one, two, three, four in rows:
        batch = Batch(number=one, before=two, last=three, body=four)
        told |= {event.run_id: event.seq for event in events_after(batch, run_id=run_id, after=0)}
    return told
