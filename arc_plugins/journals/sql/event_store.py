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


def make_batch(
    events: Sequence[AgentEvent], *, run_id: str, number: int, before: int, recorded: RecordedValues
) -> Batch:
    """Events as one row, in their order: at least one.

    What is recorded is not written again: its steps are there, or are written with the batch.
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


def read_body(body: bytes) -> Sequence[Any]:
    """The members of the body of a batch: events, and pieces of text."""
    items: Sequence[Any] = json.loads(zlib.decompress(body))
    return items


def events_after(
    items: Sequence[Any], records: Records, *, run_id: str, before: int, after: int
) -> Iterator[AgentEvent]:
    """The events of a batch that a reader does not have, who has the run's own up to `after`.

    Of the runs below it, the reader has what comes before the last of these.
    """
    reached = before
    for event in _read_events(items, records):
        is_own = event.run_id == run_id
        if is_own:
            reached = event.seq
        if reached > after or (reached == after and not is_own):
            yield event


def _is_event(item: Any) -> bool:
    """Return true if it is one event; else it is pieces of text."""
    return isinstance(item, dict)


def _read_events(items: Sequence[Any], records: Records) -> Iterator[AgentEvent]:
    for item in items:
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
        number: Of the last batch that is read.
        is_all: Whether that was the last batch that there is.
        ends: Whether nothing follows, for now or ever.
    """

    events: Sequence[AgentEvent]
    number: int
    is_all: bool
    ends: bool


def read_page(connection: Connection, run_id: str, *, after: int, number: int) -> EventPage:
    """Read the next events of a run, after the last own one and the last batch of the reader.

    Raises:
        UnknownRunError: There is no such run.
        FormError: A step is not there to which an event refers.
    """
    rows = connection.execute(_PAGE, {"id": run_id, "seen": number, "after": after}).all()
    if not rows:
        raise UnknownRunError(run_id)
    state = rows[0].state
    if rows[0].layout not in LAYOUTS:
        return EventPage(events=(), number=number, is_all=True, ends=True)
    if rows[0].number is None:  # the run has none that are new
        rows = []
    batches = [(row.before, read_body(row.body)) for row in rows]
    whole = [item for _, items in batches for item in items if _is_event(item)]
    records = read_records(
        connection, run_id, {key for item in whole for key in steps_named_in(item)}
    )
    is_all = len(batches) < _AT_ONCE
    return EventPage(
        events=[
            event
            for before, items in batches
            for event in events_after(items, records, run_id=run_id, before=before, after=after)
        ],
        number=rows[-1].number if rows else number,
        is_all=is_all,
        ends=is_all and _is_at_rest(connection, run_id, state),
    )


def _is_at_rest(connection: Connection, run_id: str, state: str) -> bool:
    if state == RunState.QUEUED:
        return find_hold_problem(connection, run_id) is not None
    return state in {FINISHED, RunState.WAITING}


def find_last_seqs(connection: Connection, run_id: str) -> dict[str, int]:
    """The highest `seq` that a run and each of those below it have told."""
    found: dict[str, int] = {}
    number, is_all = 0, False
    while not is_all:
        some = read_page(connection, run_id, after=0, number=number)
        found |= {event.run_id: event.seq for event in some.events}
        number, is_all = some.number, some.is_all
    return found
