"""The events of a run as updates of its task."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from a2a.types import Task, TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent

from arc_core import (
    AgentEvent,
    RunFinished,
    RunHandle,
    TextDelta,
    ToolCallProgress,
    TurnRestarted,
)
from arc_plugins.surfaces.a2a.tasks import TaskForm

__all__ = ["Update", "read_updates"]

Update = Task | TaskStatusUpdateEvent | TaskArtifactUpdateEvent


class _Answer:
    """The text that a reader has.

    Attributes:
        text: All pieces that count.
        is_begun: Whether the next piece goes behind others.
    """

    def __init__(self) -> None:
        self.text, self.is_begun = "", False

    def take(self, event: AgentEvent) -> None:
        """Count an event."""
        if isinstance(event, TextDelta):
            self.text += event.text
            self.is_begun = True
        elif isinstance(event, TurnRestarted):
            self.text, self.is_begun = "", False


async def read_updates(run: RunHandle, form: TaskForm, *, known_to: int) -> AsyncGenerator[Update]:
    """The task as it is, then what becomes of it.

    Args:
        run: Is held by the caller.
        form: Of the run.
        known_to: The number of the last event that the first task is to have.
    """
    answer, working = _Answer(), form.status(TaskState.TASK_STATE_WORKING)
    is_told = known_to == 0
    if is_told:
        yield form.task(working)
    async with aclosing(run.events()) as events:
        async for event in events:
            if event.run_id != run.run_id:
                continue
            if not is_told and (event.seq > known_to or isinstance(event, RunFinished)):
                is_told = True
                yield form.task(working, text=answer.text)
            for update in _make_updates(event, answer, form) if is_told else ():
                yield update
            answer.take(event)
            if not is_told and event.seq == known_to:
                is_told = True
                yield form.task(working, text=answer.text)


def _make_updates(event: AgentEvent, answer: _Answer, form: TaskForm) -> list[Update]:
    match event:
        case TextDelta(text=text) if text:
            return [form.text_update(text, append=answer.is_begun)]
        case ToolCallProgress(message=message) if message:
            status = form.status(TaskState.TASK_STATE_WORKING, text=message)
            return [form.status_update(status)]
        case RunFinished(result=result):
            updates: list[Update] = []
            content = result.content or ""
            if result.success and not result.waiting and content != answer.text:
                updates.append(form.text_update(content, append=False, is_last=True))
            return [*updates, form.status_update(form.make_status(result))]
        case _:
            return []
