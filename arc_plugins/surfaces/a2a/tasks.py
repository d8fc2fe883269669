"""Runs as tasks: the id of the task is that of the run, the context is the session."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

from a2a import types
from a2a.helpers import new_data_part, new_text_part

from arc_core import (
    AgentErrorCode,
    AgentEvent,
    AgentResult,
    Request,
    RunFinished,
    RunHandle,
    RunState,
    RunSummary,
    TextDelta,
    ToolCallProgress,
    TurnRestarted,
)

_ARTIFACT = "answer"
_STATES = {
    RunState.QUEUED: types.TaskState.TASK_STATE_SUBMITTED,
    RunState.RUNNING: types.TaskState.TASK_STATE_WORKING,
    RunState.WAITING: types.TaskState.TASK_STATE_INPUT_REQUIRED,
    RunState.HELD: types.TaskState.TASK_STATE_SUBMITTED,
}
_ENDS = {
    AgentErrorCode.CANCELLED: types.TaskState.TASK_STATE_CANCELED,
    AgentErrorCode.GUARD_REJECTED: types.TaskState.TASK_STATE_REJECTED,
    AgentErrorCode.HOOK_REJECTED: types.TaskState.TASK_STATE_REJECTED,
}


class TaskForm:
    """Writes what is known of one run in the forms of the protocol."""

    def __init__(self, run_id: str, session_id: str | None) -> None:
        self._ids: dict[str, Any] = {"task_id": run_id, "context_id": session_id or run_id}

    @classmethod
    def of(cls, run: RunSummary) -> "TaskForm":
        """That of a run that was found."""
        return cls(run.run_id, run.session_id)

    def task(self, status: types.TaskStatus, *, text: str = "") -> types.Task:
        """The task, with the text so far."""
        artifacts = [_artifact(text)] if text else []
        ids = self._ids
        return types.Task(
            id=ids["task_id"], context_id=ids["context_id"], status=status, artifacts=artifacts
        )

    def make_task(self, found: RunSummary) -> types.Task:
        """The task of a run as it is now."""
        result = found.result
        if found.state is RunState.FINISHED and result is not None:
            return self.make_ended_task(result)
        state = _STATES.get(found.state, types.TaskState.TASK_STATE_FAILED)
        return self.task(self.status(state, requests=found.requests))

    def make_ended_task(self, result: AgentResult[Any]) -> types.Task:
        """The task of a run that has ended."""
        return self.task(self.make_status(result), text=result.content or "")

    def status(
        self,
        state: types.TaskState,
        *,
        text: str | None = None,
        requests: Sequence[Request] = (),
    ) -> types.TaskStatus:
        """A status at this moment, with what it has to say."""
        parts = [new_text_part(text)] if text else []
        if requests:
            tools = ", ".join(dict.fromkeys(each.tool for each in requests))
            parts.append(new_text_part(f"A person has to decide about a call of: {tools}."))
        for each in requests:
            asked = {"key": each.key, "tool": each.tool, "summary": each.summary}
            parts.append(new_data_part({**asked, "arguments": dict(each.arguments)}))
        status = types.TaskStatus(state=state)
        status.timestamp.FromDatetime(datetime.now(UTC))
        if parts:
            said = types.Message(
                message_id=f"{self._ids['task_id']}/{state}",
                role=types.Role.ROLE_AGENT,
                parts=parts,
                **self._ids,
            )
            status.message.CopyFrom(said)
        return status

    def make_status(self, result: AgentResult[Any]) -> types.TaskStatus:
        """Return the status of a run that has ended or waits."""
        if result.waiting:
            return self.status(types.TaskState.TASK_STATE_INPUT_REQUIRED, requests=result.waiting)
        if result.success:
            return self.status(types.TaskState.TASK_STATE_COMPLETED)
        state = types.TaskState.TASK_STATE_FAILED
        if result.error_code is not None:
            state = _ENDS.get(result.error_code, state)
        return self.status(state, text=result.error_message)

    def status_update(self, status: types.TaskStatus) -> types.TaskStatusUpdateEvent:
        """Tells a status."""
        return types.TaskStatusUpdateEvent(status=status, **self._ids)

    def text_update(
        self, text: str, *, append: bool, is_last: bool = False
    ) -> types.TaskArtifactUpdateEvent:
        """Tells a piece of the answer, behind the others or in their place."""
        return types.TaskArtifactUpdateEvent(
            artifact=_artifact(text), append=append, last_chunk=is_last, **self._ids
        )


def _artifact(text: str) -> types.Artifact:
    return types.Artifact(artifact_id=_ARTIFACT, name=_ARTIFACT, parts=[new_text_part(text)])


Update = types.Task | types.TaskStatusUpdateEvent | types.TaskArtifactUpdateEvent


async def read_updates(run: RunHandle, form: TaskForm, *, known_to: int) -> AsyncGenerator[Update]:
    """The task as it is, then what becomes of it."""
    text: str | None = None  # what a reader has of the answer
    working = form.status(types.TaskState.TASK_STATE_WORKING)
    is_told = known_to == 0
    if is_told:
        yield form.task(working)
    async with aclosing(run.events()) as events:
        async for event in events:
            if event.run_id != run.id:
                continue
            if not is_told and (event.seq > known_to or isinstance(event, RunFinished)):
                is_told = True
                yield form.task(working, text=text or "")
            for update in _make_updates(event, text, form) if is_told else ():
                yield update
            if isinstance(event, TextDelta):
                text = (text or "") + event.text
            elif isinstance(event, TurnRestarted):
                text = None
            if not is_told and event.seq == known_to:
                is_told = True
                yield form.task(working, text=text or "")


def _make_updates(event: AgentEvent, known: str | None, form: TaskForm) -> list[Update]:
    match event:
        case TextDelta(text=text) if text:
            return [form.text_update(text, append=known is not None)]
        case ToolCallProgress(message=message) if message:
            status = form.status(types.TaskState.TASK_STATE_WORKING, text=message)
            return [form.status_update(status)]
        case RunFinished(result=result):
            updates: list[Update] = []
            content = result.content or ""
            if result.success and not result.waiting and content != (known or ""):
                updates.append(form.text_update(content, append=False, is_last=True))
            return [*updates, form.status_update(form.make_status(result))]
        case _:
            return []
