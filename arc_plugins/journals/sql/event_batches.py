"""How events are kept: in the order in which they were told, a batch in one compressed text.

A batch is a JSON array. Pieces of text, which are most of the events, stand together: `["run", 7,
["Good", "bye"]]` are the pieces 7 and 8 of a run, and what the model thinks aloud has the same with
a fourth member, `"reasoning"`. Any other event stands in its JSON form, in which references stand
for what steps have recorded: see `references`.
"""

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arc_core import AgentEvent, ReasoningDelta, TextDelta
from arc_core.forms import from_json, to_json
from arc_plugins.journals.sql.references import RecordedValues, Records, steps_named_in
from arc_plugins.journals.sql.run_store import Batch

__all__ = ["ReadBatch", "batch_of", "events_after", "read_batch"]

_REASONING = "reasoning"


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


def batch_of(
    events: Sequence[AgentEvent],
    *,
    run_id: str,
    number: int,
    told: int,
    recorded: RecordedValues,
) -> Batch:
    """Events as one row.

    Args:
        events: At least one, in their order.
        run_id: Of the run that a program has started.
        number: The place of the batch among those of the run.
        told: The `seq` of the run's own last event before.
        recorded: What is not written again: steps that are there, or are written with the batch.
    """
    last = max((event.seq for event in events if event.run_id == run_id), default=told)
    items: list[Any] = []
    for event in events:
        if isinstance(event, TextDelta | ReasoningDelta) and _is_unicode(event.text):
            _add_piece(items, event)
        else:
            items.append(recorded.refer(json.loads(to_json(event))))
    body = json.dumps(items, ensure_ascii=False, separators=(",", ":"))
    if not _is_unicode(body):
        body = json.dumps(items, separators=(",", ":"))
    packed = zlib.compress(body.encode())
    return Batch(number=number, before=told, last=max(last, told), body=packed)


def _is_unicode(text: str) -> bool:
    """Whether it has no half of a character, which databases do not take."""
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
    for event in _events_of(batch, records):
        is_own = event.run_id == run_id
        if is_own:
            reached = event.seq
        if reached > after or (reached == after and not is_own):
            yield event


def _is_event(item: Any) -> bool:
    """Whether it is one event; else it is pieces of text."""
    return isinstance(item, dict)


def _events_of(batch: ReadBatch, records: Records) -> Iterator[AgentEvent]:
    for item in batch.items:
        if _is_event(item):
            yield from_json(json.dumps(records.restore(item)), AgentEvent)
            continue
        run_id, first, pieces, *kind = item
        made = ReasoningDelta if kind else TextDelta
        for seq, text in enumerate(pieces, first):
            yield made(text, run_id=run_id, seq=seq)
