"""From the events of a run to those of a response.

A message is closed by the next tool call, which makes it a commentary, or by the end. Calls of
tools are shown as those of an MCP server: the one kind of OpenAI's that says that a call was made
elsewhere, and what it gave. Runs of other agents below the run are not shown.
"""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arc_core import (
    AgentErrorCode,
    AgentEvent,
    AgentResult,
    AnswerRequested,
    ApprovalRequested,
    FinishReason,
    LoginRequested,
    ReasoningDelta,
    Request,
    RunFinished,
    TextDelta,
    ToolCall,
    ToolCallFinished,
    ToolCallStarted,
    ToolResult,
    TurnRestarted,
)
from arc_core.serving import Position, Problem, problem_of_result
from arc_plugins.surfaces.openai.frames import TellWaiting, make_metadata, make_usage
from arc_plugins.surfaces.openai.responses.items import (
    MESSAGE,
    REASONING,
    CallItem,
    FrameWriter,
    OutputItem,
    TextItem,
    TextKind,
    WaitingCallItem,
)
from arc_plugins.surfaces.openai.waiting_calls import make_waiting_calls

_PREFIX = "resp_"
_INCOMPLETE = {
    FinishReason.LENGTH: "max_output_tokens",
    FinishReason.CONTENT_FILTER: "content_filter",
}
_CODES = {
    AgentErrorCode.RATE_LIMITED: "rate_limit_exceeded",
    AgentErrorCode.LIMIT_REACHED: "rate_limit_exceeded",
    AgentErrorCode.CONTEXT_TOO_LONG: "invalid_prompt",
    AgentErrorCode.GUARD_REJECTED: "invalid_prompt",
    AgentErrorCode.HOOK_REJECTED: "invalid_prompt",
    AgentErrorCode.INVALID_INPUT: "invalid_prompt",
    AgentErrorCode.REFUSED: "invalid_prompt",
}
"""The SDK knows few codes; those that have none of their own are failures of the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFields:
    """The fields of a response that are known from its beginning, at a Unix time in seconds."""

    run_id: str
    model: str
    created_at: int
    session_id: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, Any] = field(default_factory=dict)


def run_id_in(response_id: str, *, param: str) -> str:
    """Return the run of a response, or raise a 404 if that is not the id of one."""
    if not response_id.startswith(_PREFIX):
        raise Problem(404, "not_found", f"There is no response {response_id!r}.", param=param)
    return response_id.removeprefix(_PREFIX)


def make_response(
    facts: ResponseFields,
    *,
    status: str,
    output: Sequence[Mapping[str, object]] = (),
    **fields: object,
) -> dict[str, object]:
    """A response."""
    return {
        "id": f"{_PREFIX}{facts.run_id}",
        "created_at": facts.created_at,
        "model": facts.model,
        "object": "response",
        "output": output,
        "parallel_tool_calls": True,
        "status": status,
        "tool_choice": "auto",
        "tools": [],
        "conversation": None if facts.session_id is None else {"id": facts.session_id},
        "metadata": {**facts.metadata, "run_id": facts.run_id},
        **facts.further,
        **fields,
    }


def fields_of_result(result: AgentResult) -> dict[str, Any]:
    """The fields of a response that the end of a run fills."""
    fields: dict[str, Any] = {"status": "completed", "metadata": make_metadata(result)}
    if result.token_usage is not None:
        fields["usage"] = make_usage(result.token_usage, read="input", written="output")
    if result.waiting:
        return fields
    if not result.success:
        code = result.error_code or AgentErrorCode.UNKNOWN
        is_cancelled = code is AgentErrorCode.CANCELLED
        fields["status"] = "cancelled" if is_cancelled else "failed"
        error = {"code": _CODES.get(code, "server_error"), "message": result.error_message or ""}
        fields["error"] = error
    elif (reason := _INCOMPLETE.get(result.finish_reason or FinishReason.STOP)) is not None:
        fields["status"] = "incomplete"
        fields["incomplete_details"] = {"reason": reason}
    return fields


class ResponseEvents:
    """The response that a run becomes, read from its first event on."""

    def __init__(
        self, facts: ResponseFields, *, tell_waiting: TellWaiting, after: int | None = None
    ) -> None:
        self._tell_waiting = tell_waiting
        self.response: dict[str, object] | None = None
        self.result: AgentResult | None = None
        self._facts, self._frames = facts, FrameWriter(after)
        self._items: list[OutputItem] = []
        self._dropped: set[int] = set()
        self._requests: dict[int, str] = {}
        self._open: TextItem | None = None
        self._calls: dict[CallItem, None] = {}
        self._known: set[ToolCall] = set()
        self._of_name: defaultdict[tuple[str, str], deque[CallItem]] = defaultdict(deque)
        response = make_response(facts, status="in_progress")
        self._frames.add("response.created", response=response)
        self._frames.add("response.in_progress", response=response)

    def tell(self, event: AgentEvent | None = None) -> bytes:
        """Return the events that the reader has not got, up to and with the next one of the run."""
        if event is not None and event.run_id == self._facts.run_id:
            self._frames.enter(event.seq)
            self._read(event)
        return self._frames.take()

    def _read(self, event: AgentEvent) -> None:
        match event:
            case TextDelta(text=text):
                self._grow(MESSAGE, text)
            case ReasoningDelta(text=text):
                self._grow(REASONING, text)
            case ToolCallStarted(call=call):
                self._start_call(call)
            case ToolCallFinished(result=result):
                self._finish_call(result)
            case (
                ApprovalRequested(request=request)
                | AnswerRequested(request=request)
                | LoginRequested(request=request)
            ):
                self._ask(request)
            case TurnRestarted() if self._open is not None:  # what the turn has said is left out
                self._dropped.add(len(self._items) - 1)
                self._close("commentary", is_whole=False)
            case RunFinished(result=result):
                self._finish(result)

    def _grow(self, kind: TextKind, text: str) -> None:
        found = self._open
        if found is None or found.kind is not kind:
            self._close("commentary")
            self._open = found = TextItem(self._frames, kind, **self._next(kind.prefix))
            self._items.append(found)
        found.add(text)

    def _next(self, prefix: str) -> dict[str, Any]:
        index = len(self._items)
        return {"item_id": f"{prefix}_{self._facts.run_id}_{index}", "index": index}

    def _close(self, phase: str, text: str | None = None, *, is_whole: bool = True) -> None:
        if self._open is not None:
            self._open.close(phase, text, is_whole=is_whole)
            self._open = None

    def _start_call(self, call: ToolCall) -> None:
        if call.id and call in self._known:
            return  # it begins again in another process
        self._close("commentary")
        started = CallItem(self._frames, call, server=self._facts.model, **self._next("mcp"))
        self._items.append(started)
        self._calls[started] = None
        self._known.add(call)
        self._of_name[call.id, call.name].append(started)

    def _finish_call(self, result: ToolResult) -> None:
        started = self._of_name[result.call_id, result.name]
        if started:  # else it was started where its events were not kept
            found = started.popleft()
            del self._calls[found]
            self._known.discard(found.call)
            found.close(result)

    def _ask(self, request: Request) -> None:
        self._close("commentary")
        message = TextItem(self._frames, MESSAGE, phase="commentary", **self._next("msg"))
        self._requests[len(self._items)] = request.key
        self._items.append(message)
        message.add(self._tell_waiting(self._facts.run_id, [request]))
        message.close("commentary")
        for call in make_waiting_calls([request], position=Position()):
            self._requests[len(self._items)] = request.key
            self._items.append(WaitingCallItem(self._frames, call, **self._next("fc")))

    def _finish(self, result: AgentResult) -> None:
        if result.success:
            if result.content and (self._open is None or self._open.kind is not MESSAGE):
                self._grow(MESSAGE, result.content)
            # A structured answer may have been repaired after it was streamed.
            self._close("final_answer", result.content if result.has_output else None)
        elif not result.waiting:
            self._close("final_answer", is_whole=False)
        for request in result.waiting:  # those of runs below are not told before
            if request.key not in self._requests.values():
                self._ask(request)
        if not result.waiting:
            for call in self._calls:
                call.end(status="incomplete")
            self._calls.clear()
        waiting = {each.key for each in result.waiting}
        decided = {index for index, key in self._requests.items() if key not in waiting}
        hidden = self._dropped | decided
        items = [each.item for at, each in enumerate(self._items) if at not in hidden]
        self.result = result
        self.response = make_response(self._facts, output=items, **fields_of_result(result))
        status = self.response["status"]
        if status in {"incomplete", "completed"}:
            self._frames.add(f"response.{status}", response=self.response)
        else:
            self._frames.add("response.failed", response=self.response)
            error = problem_of_result(result).body()["error"]
            told = {name: error[name] for name in ("code", "message", "param")}
            self._frames.add("error", error=error, **told)
