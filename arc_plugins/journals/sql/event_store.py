"""Reads what runs told."""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, bindparam, outerjoin, select

from arc_core import AgentEvent, ReasoningDelta, TextDelta
from arc_core.errors import UnknownRunError
from arc_core.forms import from_json, to_json
from arc_core.runs.store import RunState
from arc_plugins.journals.sql.references import (
    RecordedValues,
    Records,
    read_records,
    steps_named_in,
)
from arc_plugins.journals.sql.run_store import FINISHED, Batch
from arc_plugins.journals.sql.tables import LAYOUTS, events, find_hold_problem, runs

_REASONING = "reasoning"
_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBatch:
    """A batch as it was read.

    Attributes:
        before: The `seq` of the run's own last event before.
        items: The members of its body.
    """

    before: int
    items: Sequence[Any]

    @property
    def steps(self) -> set[str]:
        """The keys of the steps to which its events refer."""
        return {key for item in self.items if _is_event(item) for key in steps_named_in(item)}


def read_batch(*, before: int, body: bytes) -> ReadBatch:
    """A batch of its row.

    Args:
        before: As the row has it.
        body: As the row has it.
    """
    return ReadBatch(before=before, items=json.loads(zlib.decompress(body)))


def make_batch(
    events: Sequence[AgentEvent], *, run_id: str, number: int, before: int, recorded: RecordedValues
) -> Batch:
    """Events as one row.

    Args:
        events: At least one, in their order.
        run_id: Of the run that a program has started.
        number: The place of the batch among those of the run.
        before: The `seq` of the run's own last event before.
        recorded: What is not written again: steps that are there, or are written with the batch.
    """
    last = max((event.seq for event in events if event.run_id == run_id), default=before)
    items: list[Any] = []
    for event in events:
        if isinstance(event, TextDelta | ReasoningDelta) and _is_unicode(event.text):
            _add_piece(items, event)
        else:
            items.append(recorded.refer(json.loads(to_json(event))))
    body = _WRITER.encode(items)
    if not _is_unicode(body):
        body = json.dumps(items, separators=(",", ":"))
    packed = zlib.compress(body.encode())
    return Batch(number=number, before=before, last=max(last, before), body=packed)


def _is_unicode(text: str) -> bool:
    """Return true if it has no half of a character, which databases do not take."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _add_piece(items: list[Any], event: TextDelta | ReasoningDelta) -> None:
    kind = [_REASONING] if isinstance(event, ReasoningDelta) else []
    if items and isinstance(items[-1], list):
        run_id, first, pieces, *other = items[-1]
        if (run_id, first + len(pieces), other) == (event.run_id, event.seq, kind):
            pieces.append(event.text)
            return
    items.append([event.run_id, event.seq, [event.text], *kind])


def events_after(
    batch: ReadBatch, records: Records, *, run_id: str, after: int
) -> Iterator[AgentEvent]:
    """The events of a batch that a reader does not have.

    Args:
        batch: One whose `last` is `after` or more.
        records: Of the steps to which it refers.
        run_id: Of the run that a program has started.
        after: The `seq` of the run's own event that the reader has seen last; of those of the runs
            below it, the reader has what comes before this one.

    Raises:
        FormError: A step is not there to which an event refers.
    """
    reached = batch.before
    for event in _read_events(batch, records):
        is_own = event.run_id == run_id
        if is_own:
            reached = event.seq
        if reached > after or (reached == after and not is_own):
            yield event


def _is_event(item: Any) -> bool:
    """Return true if it is one event; else it is pieces of text."""
    return isinstance(item, dict)


def _read_events(batch: ReadBatch, records: Records) -> Iterator[AgentEvent]:
    for item in batch.items:
        if _is_event(item):
            yield from_json(json.dumps(records.restore(item)), AgentEvent)
            continue
        run_id, first, pieces, *kind = item
        made = ReasoningDelta if kind else TextDelta
        for seq, text in enumerate(pieces, first):
            yield made(text, run_id=run_id, seq=seq)


_AT_ONCE = 200

_IS_NEW = and_(
    events.c.run_id == runs.c.run_id,
    events.c.number > bindparam("seen"),
    events.c.last >= bindparam("after"),
)
_PAGE = (
    select(runs.c.state, runs.c.layout, events.c.number, events.c.before, events.c.body)
    .select_from(outerjoin(runs, events, _IS_NEW))
    .where(runs.c.run_id == bindparam("id"))
    .order_by(events.c.number)
    .limit(_AT_ONCE)
)
"""One statement: the state is that of the moment of the events, or the last ones could be missed.

Made once, as readers of runs that go on ask often.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPage:
    """A part of a run's events, for a reader.

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


def read_page(connection: Connection, run_id: str, *, after: int, number: int) -> EventPage:
    """Read the next events of a run.

    Args:
        connection: Of the database.
        run_id: Of the run.
        after: The `seq` of its own event that the reader has.
        number: Of the last batch that the reader has.

    Raises:
        UnknownRunError: There is no such run.
        FormError: A step is not there to which an event refers.
    """
    rows = connection.execute(_PAGE, {"id": run_id, "seen": number, "after": after}).all()
    if not rows:
        raise UnknownRunError(run_id)
    if rows[0].layout not in LAYOUTS:
        return EventPage(events=(), number=number, is_all=True, ends=True)
    read = {
        row.number: read_batch(before=row.before, body=row.body)
        for row in rows
        if row.number is not None  # the run has none that are new
    }
    batches = list(read.values())
    named = {key for batch in batches for key in batch.steps}
    records = read_records(connection, run_id, named)
    is_all = len(batches) < _AT_ONCE
    return EventPage(
        events=[
            event
            for batch in batches
            for event in events_after(batch, records, run_id=run_id, after=after)
        ],
        number=max(read, default=number),
        is_all=is_all,
        ends=is_all and _is_at_rest(connection, run_id, rows[0].state),
    )


def _is_at_rest(connection: Connection, run_id: str, state: str) -> bool:
    if state == RunState.QUEUED:
        return find_hold_problem(connection, run_id) is not None
    return state in {FINISHED, RunState.WAITING}


def find_last_seqs(connection: Connection, run_id: str) -> dict[str, int]:
    """The highest `seq` that a run and each of those below it have told.

    Raises:
        FormError: A step is not there to which an event refers.
    """
    found: dict[str, int] = {}
    number, is_all = 0, False
    while not is_all:
        some = read_page(connection, run_id, after=0, number=number)
        found |= {event.run_id: event.seq for event in some.events}
        number, is_all = some.number, some.is_all
    return found
