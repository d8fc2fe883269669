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
    ApprovalRequest,
    LoginRequest,
    Request,
    RunFinished,
    RunHandle,
    Runs,
    RunState,
    RunSummary,
    TextDelta,
    ToolCallProgress,
    TurnRestarted,
)
from arc_core.serving import RequestForm, await_decisions

_ARTIFACT = "answer"
_STATES = {
    RunState.QUEUED: types.TaskState.TASK_STATE_SUBMITTED,
    RunState.RUNNING: types.TaskState.TASK_STATE_WORKING,
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
        if found.state is RunState.WAITING:
            return self.task(self.status(_get_state(found.requests), requests=found.requests))
        return self.task(self.status(_STATES.get(found.state, types.TaskState.TASK_STATE_FAILED)))

    def make_ended_task(self, result: AgentResult[Any]) -> types.Task:
        """The task of a run that has ended."""
        return self.task(self.make_status(result), text=result.content or "")

    def status(
        self, state: types.TaskState, *, text: str | None = None, requests: Sequence[Request] = ()
    ) -> types.TaskStatus:
        """A status at this moment, with what it has to say."""
        parts = [new_text_part(text)] if text else []
        parts += _make_request_parts(requests)
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
            return self.status(_get_state(result.waiting), requests=result.waiting)
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


def waits_for_logins(requests: Sequence[Request]) -> bool:
    """Return whether a run waits for logins, and for nothing else."""
    return bool(requests) and all(isinstance(each, LoginRequest) for each in requests)


def _get_state(requests: Sequence[Request]) -> types.TaskState:
    if waits_for_logins(requests):
        return types.TaskState.TASK_STATE_AUTH_REQUIRED
    return types.TaskState.TASK_STATE_INPUT_REQUIRED


def _make_request_parts(requests: Sequence[Request]) -> list[types.Part]:
    """Return what is asked, in words for people, then the data of each request."""
    calls = [each.tool for each in requests if isinstance(each, ApprovalRequest)]
    texts = [each.text for each in map(RequestForm.of, requests) if each.kind != "approval"]
    if calls:
        tools = ", ".join(dict.fromkeys(calls))
        texts.insert(0, f"A person has to decide about a call of: {tools}.")
    return [*map(new_text_part, texts), *(new_data_part(_make_data(each)) for each in requests)]


def _make_data(request: Request) -> dict[str, Any]:
    form = RequestForm.of(request)
    said: dict[str, Any] = (
        {"summary": request.summary} if isinstance(request, ApprovalRequest) else {}
    )
    if form.schema is not None:
        said |= {"text": form.text, "schema": dict(form.schema)}
    return {"key": request.key, **form.facts, **said}


def _artifact(text: str) -> types.Artifact:
    return types.Artifact(artifact_id=_ARTIFACT, name=_ARTIFACT, parts=[new_text_part(text)])


Update = types.Task | types.TaskStatusUpdateEvent | types.TaskArtifactUpdateEvent


async def read_updates(
    run: RunHandle, form: TaskForm, *, runs: Runs, known_to: int
) -> AsyncGenerator[Update]:
    """The task as it is, then what becomes of it, also once the user has logged in."""
    reading, after = _Reading(form, known_to), None
    if known_to == 0:
        yield reading.begin()
    while True:
        waiting: Sequence[Request] = ()
        async with aclosing(run.events(after=after)) as events:
            async for event in events:
                if event.run_id == run.id:
                    for update in reading.read(event):
                        yield update
                    after = event.seq
                if isinstance(event, RunFinished) and event.run_id == run.id:
                    waiting = event.result.waiting
        if not waits_for_logins(waiting):
            return
        await await_decisions(waiting, run_id=run.id, runs=runs)


class _Reading:
    """The updates of one reader, who knows of the events up to `known_to`."""

    def __init__(self, form: TaskForm, known_to: int) -> None:
        self._form, self._known_to = form, known_to
        self._text: str | None = None  # what a reader has of the answer
        self._is_told = False

    def begin(self) -> types.Task:
        """The task with its text so far."""
        self._is_told = True
        working = self._form.status(types.TaskState.TASK_STATE_WORKING)
        return self._form.task(working, text=self._text or "")

    def read(self, event: AgentEvent) -> list[Update]:
        """The updates of an event of the run."""
        updates: list[Update] = []
        if not self._is_told and (event.seq > self._known_to or isinstance(event, RunFinished)):
            updates.append(self.begin())
        if self._is_told:
            updates += _make_updates(event, self._text, self._form)
        if isinstance(event, TextDelta):
            self._text = (self._text or "") + event.text
        elif isinstance(event, TurnRestarted):
            self._text = None
        if not self._is_told and event.seq == self._known_to:
            updates.append(self.begin())
        return updates


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
