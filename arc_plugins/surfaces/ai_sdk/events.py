"""The events of a run as a UI message stream. A piece of text costs no more than its characters.

The client builds one message of a run. Each turn of the model is a step of it; what agents do that
were asked by another one are parts of type `data-…`, except for their tool calls, which stand among
those of the run, since a person may have to approve them.
"""

import json

from pydantic_core import to_jsonable_python

from arc_core import (
    AgentErrorCode,
    AgentHandedOff,
    AgentResult,
    AgentStarted,
    AnswerRequested,
    ApprovalRequest,
    ApprovalRequested,
    ContextCompacted,
    FinishReason,
    LoginRequested,
    ReasoningDelta,
    Request,
    RunFinished,
    TextDelta,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    ToolOutcome,
    TurnRestarted,
)
from arc_core.serving import EventEncoder, RequestForm, RequestId, ToolCallIds, make_call_id

_write = json.JSONEncoder(separators=(",", ":")).encode
_DONE = "data: [DONE]\n\n"
_NO_ANSWER = "The agent has no answer."
_REASONS = {
    FinishReason.LENGTH: "length",
    FinishReason.CONTENT_FILTER: "content-filter",
    FinishReason.TOOL_CALLS: "tool-calls",
}
_KINDS: dict[type, str] = {TextDelta: "text", ReasoningDelta: "reasoning"}


def _chunk(kind: str, **fields: object) -> str:
    return f"data: {_write({'type': kind, **fields})}\n\n"


class AiSdkEventEncoder(EventEncoder):
    """Turns the events of a run into chunks of a UI message stream."""

    def __init__(self, run_id: str) -> None:
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
        self._calls = ToolCallIds()
        self._saying: type | None = None
        self._part, self._number, self._before = "", 0, ""
        self._has_spoken, self._is_in_step, self._has_called = False, False, False
        self._agents: dict[str, str] = {}
        self._asked: dict[str, tuple[str, ApprovalRequest]] = {}
        self._untold: set[str] = set()
        self._requests: dict[str, Request] = {}

    def open(self, *, is_resumed: bool) -> str:
        """Return the first chunk; the message of a run has its id, in every reading of it."""
        return _chunk("start", messageId=self._run_id, messageMetadata={"runId": self._run_id})

    def reopen(self) -> str:
        """Note that the client has got everything so far, and what was asked of it."""
        self._untold.clear()
        return "".join(_chunk_request(each, "answered") for each in self._requests.values())

    def _encode_piece(self, event: TextDelta | ReasoningDelta) -> str:
        kind = type(event)
        if event.run_id != self._run_id:
            said = {"runId": event.run_id, "delta": event.text}
            return _chunk(f"data-agent-{_KINDS[kind]}", data=said, transient=True)
        if self._saying is kind:
            return f"{self._before}{_write(event.text)}}}\n\n"
        return f"{self._begin(kind)}{self._before}{_write(event.text)}}}\n\n"

    def _begin(self, kind: type) -> str:
        """Open a part; the model speaks again after calls in a step of its own."""
        said = self._pause() + (self._end_step() if self._has_called else "") + self._step()
        self._number += 1
        self._saying, self._part = kind, f"{self._run_id}/{self._number}"
        self._has_spoken = self._has_spoken or kind is TextDelta
        name = _KINDS[kind]
        self._before = f'data: {{"type":"{name}-delta","id":{_write(self._part)},"delta":'
        return said + _chunk(f"{name}-start", id=self._part)

    def _pause(self) -> str:
        saying, self._saying = self._saying, None
        return "" if saying is None else _chunk(f"{_KINDS[saying]}-end", id=self._part)

    def _step(self) -> str:
        if self._is_in_step:
            return ""
        self._is_in_step, self._has_called = True, False
        return _chunk("start-step")

    def _end_step(self) -> str:
        if not self._is_in_step:
            return ""
        self._is_in_step = False
        return _chunk("finish-step")

    def _encode_agent(self, event: AgentStarted) -> str:
        if event.run_id == self._run_id:
            return _chunk("message-metadata", messageMetadata={"agent": event.agent})
        self._agents[event.run_id] = event.agent
        return self._agent(event.run_id, "running", parentRunId=event.parent_run_id)

    def _agent(self, run_id: str, state: str, **more: object) -> str:
        name = self._agents.get(run_id, "default")
        said = {"runId": run_id, "agent": name, "state": state, **more}
        return _chunk("data-agent", id=run_id, data=said)

    def _encode_handoff(self, event: AgentHandedOff) -> str:
        handoff = _chunk("data-handoff", data={"runId": event.run_id, "agent": event.agent})
        if event.run_id != self._run_id:
            return handoff
        told = _chunk("message-metadata", messageMetadata={"agent": event.agent})
        return self._pause() + told + handoff

    def _encode_approval(self, event: ApprovalRequested) -> str:
        """It is told at the end, when a client can answer, in a step of its own.

        A client that sends answers by itself looks at the last step only, and waits there for all
        calls; those of agents that were asked by another one would never be answered.
        """
        call_id = self._calls.ask(event)
        if call_id is not None:
            self._asked[call_id] = event.run_id, event.request
            self._untold.add(call_id)
        return self._pause() if event.run_id == self._run_id else ""

    def _encode_request(self, event: AnswerRequested | LoginRequested) -> str:
        """It is told at the end, when a client can answer."""
        self._requests[event.request.key] = event.request
        return self._pause() if event.run_id == self._run_id else ""

    def _encode_call(self, event: ToolCallStarted) -> str:
        call_id, was_asked = self._calls.begin(event)
        call = event.call
        if was_asked and call_id not in self._untold:
            self._has_called = self._has_called or event.run_id == self._run_id
            return ""
        self._untold.discard(call_id)
        return self._call(event.run_id, call_id, name=call.name, given=_parse(call.arguments))

    def _call(self, run_id: str, call_id: str, *, name: str, given: object) -> str:
        more: dict[str, object] = {}
        said = ""
        if run_id == self._run_id:
            said = self._pause() + self._step()
            self._has_called = True
        else:
            agent = self._agents.get(run_id, "default")
            more = {"toolMetadata": {"agent": agent, "runId": run_id}}
        told = {"toolCallId": call_id, "toolName": name, **more}
        start = _chunk("tool-input-start", **told)
        return said + start + _chunk("tool-input-available", **told, input=given)

    def _encode_progress(self, event: ToolCallProgress) -> str:
        call_id = self._calls.progress(event)
        said = {"toolCallId": call_id, "message": event.message, "fraction": event.fraction}
        return _chunk("data-tool-progress", id=call_id, data=said)

    def _encode_result(self, event: ToolCallFinished) -> str:
        call_id, result = self._calls.end(event), event.result
        if result.outcome is ToolOutcome.SUCCESS:
            return _chunk("tool-output-available", toolCallId=call_id, output=_parse(result.text))
        if result.outcome is ToolOutcome.DENIED and call_id in self._asked:
            return _chunk("tool-output-denied", toolCallId=call_id)
        return _chunk("tool-output-error", toolCallId=call_id, errorText=result.text)

    def _encode_compaction(self, event: ContextCompacted) -> str:
        said = {
            "runId": event.run_id,
            "cleared": event.cleared,
            "dropped": event.dropped,
            "tokensBefore": event.tokens_before,
            "tokensAfter": event.tokens_after,
        }
        chunk = _chunk("data-context-compacted", data=said)
        return self._pause() + chunk if event.run_id == self._run_id else chunk

    def _encode_restart(self, event: TurnRestarted) -> str:
        said = {"runId": event.run_id, "turn": event.turn}
        told = _chunk("data-turn-restarted", data=said)
        if event.run_id != self._run_id:
            return told
        return self._pause() + self._end_step() + told

    def _encode_end(self, event: RunFinished) -> str:
        result = event.result
        if event.run_id == self._run_id:
            return self._end(result) + _DONE
        state = "waiting" if result.waiting else "finished" if result.success else "failed"
        return self._agent(event.run_id, state, text=result.content)

    def _end(self, result: AgentResult) -> str:
        said = ""
        if result.success and result.content and not self._has_spoken:
            said = self._encode_piece(TextDelta(result.content, self._run_id))
        said += self._pause()
        if result.has_output:
            said += _chunk("data-output", data=to_jsonable_python(result.output))
        if result.waiting:
            return said + self._ask(result) + _finish(result, "tool-calls")
        said += self._end_step()
        if result.error_code is AgentErrorCode.CANCELLED:
            return said + _chunk("abort", reason=result.error_message or "")
        if not result.success:
            told = _chunk("message-metadata", messageMetadata=_make_metadata(result))
            error = _chunk("error", errorText=result.error_message or _NO_ANSWER)
            return said + told + error + _finish(result, "error")
        reason = result.finish_reason
        return said + _finish(result, "stop" if reason is None else _REASONS.get(reason, "stop"))

    def _ask(self, result: AgentResult) -> str:
        """The step stays open: the results of its calls belong to it."""
        said = [self._end_step() + self._step()] if self._untold else []
        for request in result.waiting:
            request_id = str(RequestId.of(request, self.position))
            if not isinstance(request, ApprovalRequest):
                said.append(_chunk_request(request, "waiting", requestId=request_id))
                continue
            call_id = make_call_id(request)
            if call_id in self._untold:
                run_id, asked = self._asked[call_id]
                given = dict(asked.arguments)
                said.append(self._call(run_id, call_id, name=asked.tool, given=given))
            said.append(_chunk_approval(request, call_id, request_id))
        self._untold.clear()
        return "".join(said)


def _chunk_approval(request: Request, call_id: str, request_id: str) -> str:
    descriptor = {"agent": request.agent, "summary": request.summary, "until": _write_time(request)}
    return _chunk(
        "tool-approval-request",
        approvalId=request_id,
        toolCallId=call_id,
        approvalDescriptor=descriptor,
    )


def _chunk_request(request: Request, state: str, **more: str) -> str:
    """Return a question or a login, in the place of what the client has of it."""
    form = RequestForm.of(request)
    data: dict[str, object] = {**form.facts, "text": form.text, "agent": request.agent, **more}
    if form.schema is not None:
        data["schema"] = form.schema
    data |= {"until": _write_time(request), "state": state}
    return _chunk("data-request", id=make_call_id(request), data=data)


def _write_time(request: Request) -> str | None:
    return None if request.until is None else request.until.isoformat()


def _finish(result: AgentResult, reason: str) -> str:
    return _chunk("finish", finishReason=reason, messageMetadata=_make_metadata(result))


def _make_metadata(result: AgentResult) -> dict[str, object]:
    """Return the metadata of a message: its run, agent, usage and cost."""
    told: dict[str, object] = {"runId": result.run_id}
    if result.waiting:
        return told
    told |= {"agent": result.agent, "durationMs": result.duration_ms}
    if result.error_code is not None:
        told["errorCode"] = result.error_code.value
    if result.model is not None:
        told["model"] = result.model
    if result.cost is not None:
        told["cost"] = str(result.cost)
    if (used := result.token_usage) is not None:
        told["usage"] = {
            "inputTokens": used.prompt_tokens,
            "outputTokens": used.completion_tokens,
            "totalTokens": used.total_tokens,
            "reasoningTokens": used.reasoning_tokens,
            "cachedInputTokens": used.cached_tokens,
        }
    return told


def _parse(text: str) -> object:
    """Parse JSON, or return the text itself."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text


def _refuse_constant(name: str) -> object:
    raise ValueError(name)
