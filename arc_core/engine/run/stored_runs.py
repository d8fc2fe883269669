"""Runs that a journal keeps, asked by a caller that waits for them or reads them."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from arc_core.command import AgentCommand, ResponseFormat
from arc_core.engine.answer import Answer
from arc_core.error_base import AgentErrorCode
from arc_core.errors import FormError, UnknownRunError
from arc_core.events import AgentEvent, RunFinished, TextDelta
from arc_core.log import get_logger
from arc_core.result import AgentResult
from arc_core.runs.store import Capability, RunState, RunStore, Waiting
from arc_core.timing.cancellation import finish_despite_cancellation

logger = get_logger("runs")


class StoredRuns:
    """Begins runs, and reads them to their ends; a caller that leaves cancels its run.

    Args:
        journals: Keep them. If they fail, the caller gets UNAVAILABLE; a run that began goes on.
        read: Makes the value of a structured answer.
        get_text: What people are told of a failure.

    Attributes:
        keeps: Whether the store keeps runs at all.
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
        self._read_answer = read
        self.keeps = Capability.KEEPS in journals.capabilities
        self.asked: set[str] = set()

    def begin(self, command: AgentCommand, deps: Any) -> "RecordedRun":
        """A new run, which begins when its events are read."""
        run_id = str(uuid4())
        return RecordedRun(run_id, self._read(run_id, command, deps))

    async def _read(
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
        answer = await self._read_answer(Answer(content=found.content), command, deps)
        return found if answer is None else replace(found, output=answer.output)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A run that a journal keeps, as its caller reads it.

    Attributes:
        run_id: Its id.
        events: Everything as it happens, `RunFinished` last.
    """

    run_id: str
    events: AsyncGenerator[AgentEvent]

    async def read_result(self) -> AgentResult:
        """Run to the end, or until the run waits for a person."""
        result = AgentResult(success=False, error_code=AgentErrorCode.UNKNOWN)
        async with aclosing(self.events) as events:
            async for event in events:
                if isinstance(event, RunFinished):
                    result = event.result
        return result

    async def read_texts(self) -> AsyncGenerator[str]:
        """The text as the model produces it; a failure is a last piece `[error] <message>`."""
        result: AgentResult | None = None
        async with aclosing(self.events) as events:
            async for event in events:
                if isinstance(event, TextDelta) and event.run_id == self.run_id:
                    yield event.text
                elif isinstance(event, RunFinished) and event.run_id == self.run_id:
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
