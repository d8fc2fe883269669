"""A run that a store keeps and has done, as the caller that has asked for it holds it."""

import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from arc_core.command import AgentCommand, ResponseFormat
from arc_core.engine.answer import FinalAnswer
from arc_core.error_base import AgentErrorCode
from arc_core.errors import FormError, UnknownRunError
from arc_core.events import AgentEvent, RunFinished
from arc_core.log import get_logger
from arc_core.result import AgentResult
from arc_core.runs.store import RunState, RunStore
from arc_core.timing.cancellation import finish_despite_cancellation

logger = get_logger("runs")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRuns:
    """The parts that all runs need which programs ask for in a store that keeps them.

    Attributes:
        store: If it fails, callers get UNAVAILABLE; a run that began goes on.
        asked: The runs whose callers are here, by their ids.
    """

    store: RunStore
    read: Callable[[FinalAnswer, AgentCommand, Any], Awaitable[FinalAnswer | None]]
    get_text: Callable[[AgentErrorCode], str]
    asked: set[str] = field(default_factory=set)


class RecordedRun:
    """A run in this process or another one, which begins when it is read; see `LocalRun`.

    All of its events come by way of the store.

    Args:
        asked: The command as it is kept.
        command: The same, with what the agent says of its answer.
    """

    def __init__(
        self, asked: AgentCommand, command: AgentCommand, deps: Any, *, runs: StoredRuns
    ) -> None:
        self.run_id = str(uuid4())
        self._asked, self._command, self._deps = asked, command, deps
        self._runs, self._store = runs, runs.store
        self._result: AgentResult | None = None
        self._after = 0
        self._events = self._read()

    def poll(self) -> None:
        """Return None: the next event is waited for."""

    async def get(self) -> AgentEvent | None:
        """The next event; None after `RunFinished` of the run."""
        return await anext(self._events, None)

    async def wait(self) -> AgentResult:
        """Await the end of the run, or until it waits for a person; no more events are read."""
        self._after = sys.maxsize
        async for _ in self._events:
            pass
        assert self._result is not None, "the last event of a run is its end"
        return self._result

    async def leave(self) -> None:
        """Cancel the run, unless it has been read to its end."""
        await self._events.aclose()

    async def _read(self) -> AsyncGenerator[AgentEvent]:
        run_id, store, seq = self.run_id, self._store, 0
        self._runs.asked.add(run_id)
        try:
            await store.begin(self._asked, run_id=run_id, deps=self._deps, is_wrapped=True)
            async with aclosing(store.events(run_id, after=self._after)) as events:
                async for event in events:
                    seq = event.seq if event.run_id == run_id else seq
                    if event.run_id != run_id or not isinstance(event, RunFinished):
                        yield event
            self._result = await self._find_result()
        except FormError as error:
            self._result = AgentResult(
                success=False,
                run_id=run_id,
                error_code=AgentErrorCode.INVALID_INPUT,
                error_message=f"This run cannot be kept: {error}",
            )
        except Exception:  # a run that has begun goes on, and only its caller gets a failure
            logger.exception("a run could not be begun or read", run_id=run_id)
            self._result = self._failure()
        finally:
            self._runs.asked.discard(run_id)
            if self._result is None:
                await finish_despite_cancellation(self._cancel())
        assert self._result is not None, "without one, an error leaves"
        yield RunFinished(self._result, run_id, seq)

    async def _cancel(self) -> None:
        """Cancel a run whose caller has left, perhaps before it was kept."""
        try:
            await self._store.cancel(self.run_id)
        except UnknownRunError:
            return
        except Exception:  # what has ended the reading leaves, and not this
            logger.exception("a run could not be cancelled", run_id=self.run_id)

    async def _find_result(self) -> AgentResult:
        summary = await self._store.find(self.run_id)
        found = summary.result
        if summary.state is not RunState.FINISHED or found is None:
            return self._failure() if summary.state is RunState.HELD else summary.so_far
        command = self._command
        is_text = command.response_format is ResponseFormat.TEXT
        if is_text or not found.success or found.content is None:
            return found
        answer = await self._runs.read(FinalAnswer(content=found.content), command, self._deps)
        return found if answer is None else replace(found, output=answer.output)

    def _failure(self) -> AgentResult:
        """Return the result for a caller whose store fails."""
        code = AgentErrorCode.UNAVAILABLE
        message = self._runs.get_text(code)
        return AgentResult(
            success=False, run_id=self.run_id, error_code=code, error_message=message
        )
