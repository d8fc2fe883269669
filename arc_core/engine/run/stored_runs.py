"""Runs that a journal keeps, asked by a caller that waits for them or reads them."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any
from uuid import uuid4

from arc_core.command import AgentCommand, ResponseFormat
from arc_core.engine.answer import Answer
from arc_core.engine.run.shielding import finish_despite_cancellation
from arc_core.error_base import AgentErrorCode
from arc_core.errors import FormError, UnknownRunError
from arc_core.events import AgentEvent, RunFinished, TextDelta
from arc_core.log import get_logger
from arc_core.result import AgentResult
from arc_core.runs.store import RunState, RunStore, Waiting

logger = get_logger("runs")


class StoredRuns:
    """Begins runs, and reads them to their ends; a caller that leaves cancels its run.

    Args:
        journals: Keep them. If they fail, the caller gets UNAVAILABLE; a run that began goes on.
        read: Makes the value of a structured answer.
        get_text: What people are told of a failure.

    Attributes:
        asked: The runs whose callers are here, by their ids.
    """

    def __init__(
        self,
        journals: RunStore,
        *,
        read: Callable[[Answer, AgentCommand, Any], Awaitable[Answer | None]],
        get_text: Callable[[AgentErrorCode], str],
    ) -> None:
        self._journals = journals
        self._text_of = get_text
        self._read = read
        self.asked: set[str] = set()

    async def execute(self, command: AgentCommand, deps: Any) -> AgentResult:
        """Run to the end, or until the run waits for a person."""
        return await result_of(self.events(command, deps))

    async def texts(self, command: AgentCommand, deps: Any) -> AsyncGenerator[str]:
        """The text as the model produces it; a failure is a last piece `[error] <message>`."""
        run_id = str(uuid4())
        async with aclosing(texts_of(self._events_of(run_id, command, deps), run_id)) as texts:
            async for text in texts:
                yield text

    def events(self, command: AgentCommand, deps: Any) -> AsyncGenerator[AgentEvent]:
        """Everything as it happens, `RunFinished` last."""
        return self._events_of(str(uuid4()), command, deps)

    async def _events_of(
        self, run_id: str, command: AgentCommand, deps: Any
    ) -> AsyncGenerator[AgentEvent]:
        has_ended, seq = False, 0
        self.asked.add(run_id)
        try:
            await self._journals.begin(command, run_id=run_id, deps=deps, is_wrapped=True)
            async with aclosing(self._journals.events(run_id)) as events:
                async for event in events:
                    seq = event.seq if event.run_id == run_id else seq
                    if event.run_id != run_id or not isinstance(event, RunFinished):
                        yield event
            result = await self._result_of(run_id, command, deps)
            has_ended = True
        except FormError as error:
            result, has_ended = _refusal(run_id, error), True
        except Exception:  # a run that has begun goes on, and only its caller gets a failure
            logger.exception("a run could not be begun or read", run_id=run_id)
            result, has_ended = self._failure(run_id), True
        finally:
            self.asked.discard(run_id)
            if not has_ended:
                await finish_despite_cancellation(self._cancel(run_id))
        yield RunFinished(result, run_id, seq)

    async def _cancel(self, run_id: str) -> None:
        """Cancel a run whose caller has left, perhaps before it was kept."""
        try:
            await self._journals.cancel(run_id)
        except UnknownRunError:
            return
        except Exception:  # what has ended the reading leaves, and not this
            logger.exception("a run could not be cancelled", run_id=run_id)

    def _failure(self, run_id: str) -> AgentResult:
        """Return the result for a caller whose store fails."""
        code = AgentErrorCode.UNAVAILABLE
        return AgentResult(
            success=False, run_id=run_id, error_code=code, error_message=self._text_of(code)
        )

    async def _result_of(self, run_id: str, command: AgentCommand, deps: Any) -> AgentResult:
        found = await self._journals.result(run_id)
        if isinstance(found, Waiting):
            return self._failure(run_id) if found.state is RunState.HELD else found.result
        is_text = command.response_format is ResponseFormat.TEXT
        if is_text or not found.success or found.content is None:
            return found
        answer = await self._read(Answer(content=found.content), command, deps)
        return found if answer is None else replace(found, output=answer.output)


async def result_of(events: AsyncGenerator[AgentEvent]) -> AgentResult:
    """Read the events of a run, and return its result."""
    result = AgentResult(success=False, error_code=AgentErrorCode.UNKNOWN)
    async with aclosing(events):
        async for event in events:
            if isinstance(event, RunFinished):
                result = event.result
    return result


async def texts_of(events: AsyncGenerator[AgentEvent], run_id: str) -> AsyncGenerator[str]:
    """Read the events of a run, and give its text; a failure is a last piece."""
    result: AgentResult | None = None
    async with aclosing(events):
        async for event in events:
            if isinstance(event, TextDelta) and event.run_id == run_id:
                yield event.text
            elif isinstance(event, RunFinished) and event.run_id == run_id:
                result = event.result
    if result is not None and result.error_code is not None:
        yield f"[error] {result.error_message}"


def _refusal(run_id: str, error: FormError) -> AgentResult:
    """A run that cannot be kept; the error shows names and places only."""
    return AgentResult(
        success=False,
        run_id=run_id,
        error_code=AgentErrorCode.INVALID_INPUT,
        error_message=f"This run cannot be kept: {error}",
    )
