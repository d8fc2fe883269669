"""The events of a run in the frames of AG-UI. A piece of text costs no more than its characters."""

from ag_ui import core
from pydantic_core import to_jsonable_python

from arc_core import (
    AgentErrorCode,
    AgentEvent,
    AgentHandedOff,
    AgentResult,
    AgentStarted,
    AnswerRequested,
    ApprovalRequest,
    ApprovalRequested,
    ContextCompacted,
    LoginRequested,
    ReasoningDelta,
    Request,
    RequestKind,
    RunFinished,
    TextDelta,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    ToolOutcome,
    TurnRestarted,
)
from arc_core.serving import (
    EventEncoder,
    Position,
    RequestForm,
    RequestId,
    ToolCallIds,
    make_call_id,
)
from arc_plugins.surfaces.ag_ui.message_writer import (
    MessageWriter,
    make_fields,
    write_frame,
    write_json,
)

_ENDED = "The run has ended before."
_NO_ANSWER = "The agent has no answer."
_REASONS = {
    RequestKind.APPROVAL: "tool_call",
    RequestKind.QUESTION: "input_required",
    RequestKind.LOGIN: "arc:login",
}
_RESPONSE = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "editedArgs": {
            "type": "object",
            "description": "Arguments in the place of those that were asked for; not merged.",
        },
        "reason": {"type": "string", "description": "What the agent is told of a denial."},
    },
    "required": ["approved"],
    "additionalProperties": False,
}


class AgUiEventEncoder(EventEncoder):
    """Turns the events of a run into frames of AG-UI."""

    def __init__(self, run_id: str, asked: core.RunAgentInput) -> None:
        super().__init__(
            run_id,
            {
                TextDelta: self._encode_piece,
                ReasoningDelta: self._encode_piece,
                AgentStarted: self._encode_agent,
                AgentHandedOff: self._encode_handoff,
                ApprovalRequested: self._encode_approval,
                AnswerRequested: self._encode_request,
                LoginRequested: self._encode_request,
                ToolCallStarted: self._encode_call,
                ToolCallProgress: self._encode_progress,
                ToolCallFinished: self._encode_result,
                ContextCompacted: self._encode_compaction,
                TurnRestarted: self._encode_restart,
                RunFinished: self._encode_end,
            },
        )
        self._asked, self._ids = asked, {"threadId": asked.thread_id, "runId": asked.run_id}
        self._calls = ToolCallIds()
        self._writers = {run_id: MessageWriter(f"{run_id}/")}
        self._below: dict[str, AgentStarted] = {}

    def encode(self, event: AgentEvent, position: Position) -> str:
        """Return the frames of an event; a client resumes before an end."""
        before = self.position
        frames = super().encode(event, position)
        if isinstance(event, RunFinished):
            self.position = before
        return frames

    def open(self, *, is_resumed: bool) -> str:
        """Return the first frame, and what has a client drop what it will get again."""
        ids, version = self._ids, core.PROTOCOL_VERSION
        started = write_frame("RUN_STARTED", **ids, protocolVersion=version)
        return started + ("" if is_resumed else self._clear())

    def reopen(self) -> str:
        """Return the frames that begin a resumed run: of the agents that are at work."""
        return self._clear() + "".join(self._enter(each) for each in self._below.values())

    def _clear(self) -> str:
        """Have a client that reads a run again drop what it has of the messages to come."""
        written = {each for writer in self._writers.values() for each in writer.message_ids}
        messages, prefix = self._asked.messages, f"{self._run_id}/"
        kept = [each for each in messages if not each.id.startswith(prefix) or each.id in written]
        if len(kept) == len(messages):
            return ""
        told = [each.model_dump(by_alias=True) for each in kept]
        return write_frame("MESSAGES_SNAPSHOT", messages=told)

    def _encode_piece(self, event: TextDelta | ReasoningDelta) -> str:
        writer = self._writers.get(event.run_id)
        if writer is not None:
            return writer.say(event)
        return self._meet(event.run_id) + self._writers[event.run_id].say(event)

    def _encode_agent(self, event: AgentStarted) -> str:
        if event.run_id == self._run_id:
            return self._custom("arc.agent", {"agent": event.agent, "runId": event.run_id})
        if event.run_id in self._below:
            return ""
        return self._meet(event.run_id, event)

    def _meet(self, run_id: str, started: AgentStarted | None = None) -> str:
        """A run below is heard of for the first time; that of the default agent says no name."""
        if run_id in self._writers:
            return ""
        prefix = f"{self._run_id}/{len(self._writers)}/"
        self._writers[run_id] = MessageWriter(prefix, tag=run_id)
        started = started or AgentStarted("default", run_id, self._run_id)
        self._below[run_id] = started
        return self._enter(started)

    def _enter(self, started: AgentStarted) -> str:
        above = started.parent_run_id
        return write_frame(
            "SUBAGENT_STARTED",
            subagentRunId=started.run_id,
            name=started.agent,
            parentSubagentRunId=above if above in self._below else None,
        )

    def _encode_handoff(self, event: AgentHandedOff) -> str:
        said = {"agent": event.agent, "runId": event.run_id}
        return self._pause(event.run_id) + self._custom("arc.agent", said, event.run_id)

    def _encode_approval(self, event: ApprovalRequested) -> str:
        said, call_id = self._pause(event.run_id), self._calls.ask(event)
        if call_id is None:
            return said
        request = event.request
        arguments = write_json(dict(request.arguments))
        return said + self._call(event.run_id, call_id, name=request.tool, arguments=arguments)

    def _encode_request(self, event: AnswerRequested | LoginRequested) -> str:
        """Return nothing: the run ends with an interrupt that asks."""
        return self._pause(event.run_id)

    def _encode_call(self, event: ToolCallStarted) -> str:
        said = self._pause(event.run_id)
        call_id, was_told = self._calls.begin(event)
        if was_told:
            self._writers[event.run_id].note_call()
            return said
        call = event.call
        return said + self._call(event.run_id, call_id, name=call.name, arguments=call.arguments)

    def _call(self, run_id: str, call_id: str, *, name: str, arguments: str) -> str:
        writer = self._writers[run_id]
        above, ids = writer.message_of_calls(), {"toolCallId": call_id}
        start = writer.frame("TOOL_CALL_START", **ids, toolCallName=name, parentMessageId=above)
        words = writer.frame("TOOL_CALL_ARGS", **ids, delta=arguments) if arguments else ""
        return f"{start}{words}{writer.frame('TOOL_CALL_END', **ids)}"

    def _encode_progress(self, event: ToolCallProgress) -> str:
        said = {
            "toolCallId": self._calls.progress(event),
            "message": event.message,
            "fraction": event.fraction,
        }
        return self._custom("arc.tool_progress", said, event.run_id)

    def _encode_result(self, event: ToolCallFinished) -> str:
        result, call_id = event.result, self._calls.end(event)
        said, writer = self._pause(event.run_id), self._writers[event.run_id]
        failed = result.outcome is not ToolOutcome.SUCCESS
        return said + writer.frame(
            "TOOL_CALL_RESULT",
            messageId=writer.make_id(),
            toolCallId=call_id,
            content=result.text,
            role="tool",
            metadata={"arc": {"outcome": result.outcome.value}} if failed else None,
        )

    def _encode_compaction(self, event: ContextCompacted) -> str:
        said = {
            "cleared": event.cleared,
            "dropped": event.dropped,
            "tokensBefore": event.tokens_before,
            "tokensAfter": event.tokens_after,
        }
        return self._custom("arc.context_compacted", said, event.run_id)

    def _encode_restart(self, event: TurnRestarted) -> str:
        said = self._pause(event.run_id)
        dropped = {"turn": event.turn, "messageIds": self._writers[event.run_id].drop_turn()}
        return said + self._custom("arc.turn_restarted", dropped, event.run_id)

    def _encode_end(self, event: RunFinished) -> str:
        said, result = self._pause(event.run_id), event.result
        if event.run_id == self._run_id:
            if result.success and not self._writers[event.run_id].has_spoken and result.content:
                said += self._writers[event.run_id].say_all(result.content)
            return said + self._end_below(result) + self._end(result)
        del self._below[event.run_id]
        if result.success:
            return said + write_frame("SUBAGENT_FINISHED", subagentRunId=event.run_id)
        code = None if result.error_code is None else result.error_code.value
        return said + _write_failure(event.run_id, result.error_message or _NO_ANSWER, code)

    def _end_below(self, result: AgentResult) -> str:
        """Runs below that have no end of their own: they wait, too, or were cancelled."""
        told, outcome = [], {"type": "suspended"}
        for run_id in reversed(self._below):
            told.append(self._writers[run_id].pause())
            if result.waiting:
                told.append(write_frame("SUBAGENT_FINISHED", subagentRunId=run_id, outcome=outcome))
            else:
                told.append(_write_failure(run_id, _ENDED))
        return "".join(told)

    def _end(self, result: AgentResult) -> str:
        usage = _make_usage(result)
        outcome: dict[str, object] = {"type": "success"}
        if result.waiting:
            interrupts = [_make_interrupt(each, self.position) for each in result.waiting]
            outcome = {"type": "interrupt", "interrupts": interrupts}
        elif result.error_code is AgentErrorCode.CANCELLED:
            outcome = {"type": "cancelled"}
        elif not result.success:
            code = (result.error_code or AgentErrorCode.UNKNOWN).value
            message = result.error_message or _NO_ANSWER
            return write_frame("RUN_ERROR", message=message, code=code, usage=usage)
        output = to_jsonable_python(result.output) if result.has_output else None
        return write_frame("RUN_FINISHED", **self._ids, result=output, outcome=outcome, usage=usage)

    def _pause(self, run_id: str) -> str:
        """Close what a run is saying."""
        writer = self._writers.get(run_id)
        return self._meet(run_id) if writer is None else writer.pause()

    def _custom(self, name: str, value: object, run_id: str = "") -> str:
        writer = self._writers.get(run_id)
        tag = None if writer is None else writer.tag
        return write_frame("CUSTOM", name=name, value=value, subagentRunId=tag)


def _write_failure(run_id: str, message: str, code: str | None = None) -> str:
    return write_frame("SUBAGENT_ERROR", subagentRunId=run_id, message=message, code=code)


def _make_usage(result: AgentResult) -> list[dict[str, object]] | None:
    used = result.token_usage
    if used is None:
        return None
    usage = make_fields(
        provider=result.provider,
        model=result.model,
        inputTokens=used.prompt_tokens,
        outputTokens=used.completion_tokens,
        totalTokens=used.total_tokens,
        reasoningTokens=used.reasoning_tokens,
        cachedInputTokens=used.cached_tokens,
        cacheWriteInputTokens=used.cache_write_tokens,
    )
    return [usage]


def _make_interrupt(request: Request, position: Position) -> dict[str, object]:
    """Return what a run that waits asks for: it ends, and another one resumes it."""
    form, is_approval = RequestForm.of(request), isinstance(request, ApprovalRequest)
    return make_fields(
        id=str(RequestId.of(request, position)),
        reason=_REASONS[form.kind],
        message=form.text,
        toolCallId=make_call_id(request) if is_approval else None,
        responseSchema=_RESPONSE if is_approval else form.schema,
        expiresAt=None if request.until is None else request.until.isoformat(),
        metadata={"arc": form.facts},
    )
