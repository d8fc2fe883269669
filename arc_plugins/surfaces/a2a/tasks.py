"""Runs as tasks: the id of the task is that of the run, the context is the session."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

from a2a.helpers import new_data_part, new_text_part
from a2a.types import (
    Artifact,
    Message,
    Part,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
)

from arc_core import (
    AgentErrorCode,
    AgentEvent,
    AgentResult,
    ApprovalRequest,
    RunFinished,
    RunHandle,
    RunState,
    RunSummary,
    TextDelta,
    ToolCallProgress,
    TurnRestarted,
    Waiting,
)

_ARTIFACT = "answer"
_STATES = {
    RunState.QUEUED: TaskState.TASK_STATE_SUBMITTED,
    RunState.RUNNING: TaskState.TASK_STATE_WORKING,
    RunState.WAITING: TaskState.TASK_STATE_INPUT_REQUIRED,
    RunState.HELD: TaskState.TASK_STATE_SUBMITTED,
}
_ENDS = {
    AgentErrorCode.CANCELLED: TaskState.TASK_STATE_CANCELED,
    AgentErrorCode.GUARD_REJECTED: TaskState.TASK_STATE_REJECTED,
    AgentErrorCode.HOOK_REJECTED: TaskState.TASK_STATE_REJECTED,
}


class TaskForm:
    """Writes what is known of one run in the forms of the protocol."""

    def __init__(self, run_id: str, session_id: str | None) -> None:
        self._ids: dict[str, Any] = {"task_id": run_id, "context_id": session_id or run_id}

    @classmethod
    def of(cls, run: RunSummary) -> "TaskForm":
        """That of a run that was found."""
        return cls(run.run_id, run.session_id)

    def task(self, status: TaskStatus, *, text: str = "") -> Task:
        """The task, with the text so far."""
        artifacts = [_artifact(text)] if text else []
        ids = self._ids
        return Task(
            id=ids["task_id"], context_id=ids["context_id"], status=status, artifacts=artifacts
        )

    def make_task(self, found: AgentResult[Any] | Waiting) -> Task:
        """The task of a run as it is now."""
        if isinstance(found, Waiting):
            state = _STATES.get(found.state, TaskState.TASK_STATE_FAILED)
            return self.task(self.status(state, requests=found.requests))
        return self.task(self.make_status(found), text=found.content or "")

    def status(
        self,
        state: TaskState,
        *,
        text: str | None = None,
        requests: Sequence[ApprovalRequest] = (),
    ) -> TaskStatus:
        """A status at this moment, with what it has to say."""
        parts = [new_text_part(text)] if text else []
        if requests:
            tools = ", ".join(dict.fromkeys(each.tool for each in requests))
            parts.append(new_text_part(f"A person has to decide about a call of: {tools}."))
            parts.extend(_question(each) for each in requests)
        status = TaskStatus(state=state)
        status.timestamp.FromDatetime(datetime.now(UTC))
        if parts:
            said = Message(
                message_id=f"{self._ids['task_id']}/{state}",
                role=Role.ROLE_AGENT,
                parts=parts,
                **self._ids,
            )
            status.message.CopyFrom(said)
        return status

    def make_status(self, result: AgentResult[Any]) -> TaskStatus:
        """Return the status of a run that has ended or waits."""
        if result.waiting:
            return self.status(TaskState.TASK_STATE_INPUT_REQUIRED, requests=result.waiting)
        if result.success:
            return self.status(TaskState.TASK_STATE_COMPLETED)
        state = TaskState.TASK_STATE_FAILED
        if result.error_code is not None:
            state = _ENDS.get(result.error_code, state)
        return self.status(state, text=result.error_message)

    def status_update(self, status: TaskStatus) -> TaskStatusUpdateEvent:
        """Tells a status."""
        return TaskStatusUpdateEvent(status=status, **self._ids)

    def text_update(
        self, text: str, *, append: bool, is_last: bool = False
    ) -> TaskArtifactUpdateEvent:
        """Tells a piece of the answer, behind the others or in their place."""
        return TaskArtifactUpdateEvent(
            artifact=_artifact(text), append=append, last_chunk=is_last, **self._ids
        )


def _artifact(text: str) -> Artifact:
    return Artifact(artifact_id=_ARTIFACT, name=_ARTIFACT, parts=[new_text_part(text)])


def _question(request: ApprovalRequest) -> Part:
    return new_data_part(
        {
            "key": request.key,
            "tool": request.tool,
            "arguments": dict(request.arguments),
            "summary": request.summary,
        }
    )


Update = Task | TaskStatusUpdateEvent | TaskArtifactUpdateEvent


class _Answer:
    """The text that a reader has."""

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
    """The task as it is, then what becomes of it."""
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
