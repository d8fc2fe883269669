"""The events of a run that a store keeps: read from the beginning, or resumed from any place."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from typing import Any

from pydantic_core import to_jsonable_python

from arc_core.errors import AgentErrorCode
from arc_core.events import AgentEvent, RunFinished
from arc_core.result import AgentResult
from arc_core.runs.run_ids import RunIds
from arc_core.runs.store import RunState, RunStore, RunSummary

_MAX_SEQ = 2**53
_MESSAGES = {
    RunState.HELD: "This run goes on once what it needs is deployed again.",
    RunState.INCOMPATIBLE: "Another version of Arc keeps this run, and this one cannot read it.",
}


@dataclass(slots=True, eq=False)
class Hold:
    """The state that all who hold a run in this process share; `ending` cancels it at the close."""

    run_id: str
    readers: int = 0
    ends_unread: bool = False
    ending: asyncio.Task[None] | None = None


class ResumableEvents:
    """The events of a run that a store keeps, by the ids that its reader knows.

    Readers who name no number begin after `after`.
    """

    def __init__(
        self,
        holding: AbstractAsyncContextManager[Hold],
        *,
        store: RunStore,
        ids: RunIds,
        run_id: str = "",
        after: int = 0,
    ) -> None:
        self.run_id = run_id
        self._holding, self._store, self._ids = holding, store, ids
        self._stack = AsyncExitStack()
        self._hold = Hold(run_id)
        self._after, self._seen = after, after
        self._result: AgentResult[Any] | None = None

    @property
    def readers(self) -> int:
        """The number of those who hold it in this process now."""
        return self._hold.readers

    async def open(self) -> None:
        """Hold the run."""
        self._hold = await self._stack.enter_async_context(self._holding)
        self.run_id = self._ids.known_as(self._hold.run_id)

    async def aclose(self) -> None:
        """Let go of the run."""
        await self._stack.aclose()

    async def stop(self) -> bool:
        """Return False: it is the store that cancels it."""
        return False

    async def read(self, name: str, *, after: int | None) -> AsyncGenerator[AgentEvent]:
        """Its events from one on, and those of runs below it; `RunFinished` last.

        That comes also if the run waits for people, and only once its result is kept.
        """
        run_id, finished, empty_readings = self._hold.run_id, None, 0
        seq = min(max(self._after if after is None else after, 0), _MAX_SEQ)
        while empty_readings < 2:  # one may be decided between its last event and the question
            empty_readings += 1
            async with aclosing(self._store.events(run_id, after=seq)) as events:
                async for event in events:
                    empty_readings = 0
                    if event.run_id == run_id:
                        seq = event.seq
                        if isinstance(event, RunFinished):
                            finished = replace(event, result=make_kept(event.result))
                            continue
                        self._seen = max(self._seen, seq)
                    yield self._ids.event(event)
            if finished is None:
                finished = _finish(await self._store.find(run_id), seq)
            if finished is not None:
                self._note_end(finished)
                yield self._ids.event(finished)
                return

    async def wait_for_end(self) -> AgentResult[Any] | None:
        """The result, once the run has ended, or waits for a person."""
        found = self._result
        if found is None:
            async with aclosing(self.read("result", after=self._seen)) as events:
                async for event in events:
                    if isinstance(event, RunFinished) and event.run_id == self.run_id:
                        found = event.result
        return found

    def _note_end(self, event: RunFinished) -> None:
        # A decision may come before the reader has left.
        self._hold.ends_unread &= not event.result.waiting
        if not event.result.waiting:
            self._result = self._ids.rename_in(event.result)


def _finish(found: RunSummary, seq: int) -> RunFinished | None:
    """Return the end that a reader is told; None if the run goes on."""
    if found.state in {RunState.QUEUED, RunState.RUNNING}:
        return None
    result: AgentResult[Any] = found.so_far
    if message := _MESSAGES.get(found.state):
        code = AgentErrorCode.UNAVAILABLE
        result = replace(result, error_code=code, error_message=message)
    return RunFinished(make_kept(result), found.run_id, seq)


def make_kept(result: AgentResult[Any]) -> AgentResult[Any]:
    """Return the result as a database has it: a structured answer is what JSON carries."""
    if result.output is None:
        return result
    return replace(result, output=to_jsonable_python(result.output))
