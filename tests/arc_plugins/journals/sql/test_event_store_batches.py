"""Events come back from the database as they were told, from any place on."""

import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core import (
    AgentEvent,
    AgentStarted,
    ReasoningDelta,
    TextDelta,
    ToolCallFinished,
    ToolResult,
)
from arc_core.forms import to_json
from arc_plugins.journals.sql.event_store import events_after, make_batch, read_body
from arc_plugins.journals.sql.references import RecordedValues, Records
from arc_plugins.journals.sql.run_store import Batch

_HALVES = st.sampled_from(["\ud83d", "\ude00"])
_TEXTS = st.text(st.characters() | _HALVES, min_size=1)
_WRITTEN = st.lists(
    st.tuples(st.sampled_from(["r", "below"]), st.integers(0, 2), _TEXTS), max_size=30
)


def _read_events(told: list[tuple[str, int, str]]) -> list[AgentEvent]:
    seqs = {"r": 0, "below": 0}
    events: list[AgentEvent] = []
    for run_id, kind, text in told:
        seqs[run_id] += 1
        seq = seqs[run_id]
        if kind == 0:
            events.append(TextDelta(text, run_id=run_id, seq=seq))
        elif kind == 1:
            events.append(ReasoningDelta(text, run_id=run_id, seq=seq))
        else:
            events.append(AgentStarted(agent="a", run_id=run_id, seq=seq))
    return events


def _read(events: list[AgentEvent], size: int, after: int) -> list[tuple[type, str, int]]:
    before = 0
    found: list[AgentEvent] = []
    for number, start in enumerate(range(0, len(events), size), 1):
        some = events[start : start + size]
        batch = make_batch(
            some, run_id="r", number=number, before=before, recorded=RecordedValues()
        )
        if batch.last >= after:
            found += _read_again(batch, after=after)
        before = batch.last
    return [(type(each), each.run_id, each.seq) for each in found]


def _read_again(batch: Batch, *, after: int = 0, **steps: str) -> list[AgentEvent]:
    items, before = read_body(batch.body), batch.before
    return list(events_after(items, Records(steps), run_id="r", before=before, after=after))


@given(_WRITTEN, st.integers(1, 7), st.integers(0, 10))
def test_a_reader_goes_on_where_it_was(
    told: list[tuple[str, int, str]], size: int, after: int
) -> None:
    """However they are cut into batches: with what came after an event of the run."""
    events = _read_events(told)
    seen = [place for place, each in enumerate(events) if (each.run_id, each.seq) == ("r", after)]
    if after and not seen:
        return
    rest = events[seen[0] + 1 :] if seen else events

    assert _read(events, size, after) == [(type(each), each.run_id, each.seq) for each in rest]


@given(st.lists(_TEXTS, min_size=1))
def test_pieces_keep_their_texts(texts: list[str]) -> None:
    """Whatever characters they have, and in little room."""
    events = [TextDelta(text, run_id="r", seq=seq) for seq, text in enumerate(texts, 1)]
    batch = make_batch(events, run_id="r", number=1, before=0, recorded=RecordedValues())

    assert _read_again(batch) == events
    assert (batch.before, batch.last) == (0, len(texts))


@given(_TEXTS)
def test_what_a_step_has_recorded_is_not_written_again(text: str) -> None:
    """The event refers to the step, and comes back whole."""
    said = text * 200
    event = ToolCallFinished(ToolResult("c", "find", said), 1.5, run_id="r", seq=1)
    step = json.dumps({"type": "step", "value": json.loads(to_json(event.result))})
    recorded = RecordedValues()
    recorded.add("find", step)
    batch = make_batch([event], run_id="r", number=1, before=0, recorded=recorded)

    assert _read_again(batch, find=step) == [event]
    assert len(zlib.decompress(batch.body)) < 200


def test_batches_of_earlier_versions_are_read() -> None:
    """They have what tools said themselves."""
    event = ToolCallFinished(ToolResult("c", "find", "x" * 500), 1.5, run_id="r", seq=1)
    body = zlib.compress(f"[{to_json(event)}]".encode())
    batch = Batch(number=1, before=0, last=1, body=body)

    assert _read_again(batch) == [event]
