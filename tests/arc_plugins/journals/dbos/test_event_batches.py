"""Events come back from the database as they were told, from any place on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("dbos", reason="needs the extra durable")

from arc_core import AgentEvent, AgentStarted, ReasoningDelta, TextDelta
from arc_plugins.journals.dbos.event_batches import batch_of, events_after

_HALVES = st.sampled_from(["\ud83d", "\ude00"])
_TEXTS = st.text(st.characters() | _HALVES, min_size=1)
_TOLD = st.lists(st.tuples(st.sampled_from(["r", "below"]), st.integers(0, 2), _TEXTS), max_size=30)


def _events_of(told: list[tuple[str, int, str]]) -> list[AgentEvent]:
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
    told = 0
    found: list[AgentEvent] = []
    for number, start in enumerate(range(0, len(events), size), 1):
        some = events[start : start + size]
        batch = batch_of(some, run_id="r", number=number, told=told)
        told = batch.last
        if batch.last >= after:
            found += events_after(batch, run_id="r", after=after)
    return [(type(each), each.run_id, each.seq) for each in found]


@given(_TOLD, st.integers(1, 7), st.integers(0, 10))
def test_a_reader_goes_on_where_it_was(
    told: list[tuple[str, int, str]], size: int, after: int
) -> None:
    """However they are cut into batches: with what came after an event of the run."""
    events = _events_of(told)
    seen = [place for place, each in enumerate(events) if (each.run_id, each.seq) == ("r", after)]
    if after and not seen:
        return
    rest = events[seen[0] + 1 :] if seen else events

    assert _read(events, size, after) == [(type(each), each.run_id, each.seq) for each in rest]


@given(st.lists(_TEXTS, min_size=1))
def test_pieces_keep_their_texts(texts: list[str]) -> None:
    """Whatever characters they have, and in little room."""
    events = [TextDelta(text, run_id="r", seq=seq) for seq, text in enumerate(texts, 1)]
    batch = batch_of(events, run_id="r", number=1, told=0)

    assert list(events_after(batch, run_id="r", after=0)) == events
    assert (batch.before, batch.last) == (0, len(texts))
