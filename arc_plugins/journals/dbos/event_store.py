"""Reads what runs told."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from arc_core.interfaces.run_journal import RunState
from arc_plugins.journals.dbos.run_store import FINISHED, Batch, row_of
from arc_plugins.journals.dbos.tables import LAYOUT, events

__all__ = ["Told", "last_batch", "read_told"]

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


def last_batch(connection: Connection, run_id: str) -> int:
    """The number of the last batch of a run; 0 if it has told nothing."""
    found = select(func.max(events.c.number)).where(events.c.run_id == run_id)
    return connection.scalar(found) or 0
