"""One run, as those who read it hold it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from pydantic_core import to_jsonable_python

from arc_core.errors import AgentErrorCode
from arc_core.events import AgentEvent, RunFinished
from arc_core.result import AgentResult
from arc_core.runs.run_ids import RunIds
from arc_core.runs.store import RunState, RunStore, Waiting

_MAX_SEQ = 2**53
_MESSAGES = {
    RunState.HELD: "This run goes on once what it needs is deployed again.",
    RunState.INCOMPATIBLE: "Another version of Arc keeps this run, and this one cannot read it.",
}


@dataclass(slots=True, eq=False)
class Hold:
    """The state that all who hold a run in this process share.

    Attributes:
        run_id: The id under which the run is kept.
        readers: How many hold it.
        ends_unread: Whether it is cancelled when the last of them leaves.
        ending: Cancels it, if the server closes.
    """

    run_id: str
    readers: int = 0
    ends_unread: bool = False
    ending: asyncio.Task[None] | None = None


class RunHandle:
    """A run that a caller holds.

    Attributes:
        run_id: The id by which the caller knows it.
    """

    def __init__(self, hold: Hold, store: RunStore, ids: RunIds) -> None:
        self.run_id = ids.known_as(hold.run_id)
        self._hold, self._store, self._ids = hold, store, ids

    @property
    def readers(self) -> int:
        """The number of those who hold it in this process now."""
        return self._hold.readers

    async def events(self, *, after: int = 0) -> AsyncGenerator[AgentEvent]:
        """Its events from one on, and those of runs below it, `RunFinished` last.

        A run that waits for a person ends with a `RunFinished` whose result has `waiting`.

        Args:
            after: The last `seq` of the run that the reader has; 0 has none.
        """
        run_id, ids = self._hold.run_id, self._ids
        async with aclosing(read_events(self._store, run_id, after=after)) as events:
            async for event in events:
                if isinstance(event, RunFinished) and event.run_id == run_id:
                    # A decision may come before the reader has left.
                    self._hold.ends_unread &= not event.result.waiting
                yield ids.event(event)

    async def result(self) -> AgentResult[Any]:
        """Wait for its end; the result has `waiting` if a person has to decide first."""
        found: AgentResult[Any] | None = None
        async for event in self.events():
            if isinstance(event, RunFinished) and event.run_id == self.run_id:
                found = event.result
        assert found is not None, "the last event of a run is its end"
        return found


async def read_events(
    store: RunStore, run_id: str, *, after: int = 0
) -> AsyncGenerator[AgentEvent]:
    """Read the events of a run, `RunFinished` last, also if it waits for people.

    Args:
        store: Keeps the run.
        run_id: The id of the run.
        after: The last `seq` of the run that the reader has; 0 has none.
    """
    seq, empty_readings = min(max(after, 0), _MAX_SEQ), 0
    finished: RunFinished | None = None
    while empty_readings < 2:  # one may be decided between its last event and the question
        empty_readings += 1
        async with aclosing(store.events(run_id, after=seq)) as events:
            async for event in events:
                empty_readings = 0
                seq = event.seq if event.run_id == run_id else seq
                if isinstance(event, RunFinished) and event.run_id == run_id:
                    finished = replace(event, result=as_kept(event.result))
                else:
                    yield event
        if finished is None:
            finished = _finish(await store.result(run_id), run_id, seq)
        if finished is not None:  # only now, so that its reader finds the result
            yield finished
            return


def as_kept(result: AgentResult[Any]) -> AgentResult[Any]:
    """Return the result as a database has it: a structured answer is what JSON carries."""
    if result.output is None:
        return result
    return replace(result, output=to_jsonable_python(result.output))


def _finish(found: AgentResult[Any] | Waiting, run_id: str, seq: int) -> RunFinished | None:
    """Return the end that a reader is told; None if the run goes on."""
    if not isinstance(found, Waiting):
        return RunFinished(as_kept(found), run_id, seq)
    if found.state in {RunState.QUEUED, RunState.RUNNING}:
        return None
    result: AgentResult[Any] = found.result
    if message := _MESSAGES.get(found.state):
        code = AgentErrorCode.UNAVAILABLE
        result = replace(result, error_code=code, error_message=message)
    return RunFinished(result, run_id, seq)
