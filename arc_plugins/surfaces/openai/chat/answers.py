"""Chat completions, whole and in chunks."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping, Sequence

from arc_core import (
    AgentEvent,
    AgentResult,
    FinishReason,
    ReasoningDelta,
    RunFinished,
    TextDelta,
    TokenUsage,
    ToolCall,
    TurnRestarted,
)
from arc_core.serving import Position, Problem, problem_of_result
from arc_plugins.surfaces.openai.frames import (
    PIECE,
    TellWaiting,
    Template,
    make_metadata,
    make_usage,
    write_json,
)
from arc_plugins.surfaces.openai.waiting_calls import make_waiting_calls

_DONE = b"data: [DONE]\n\n"
_CUT = {FinishReason.LENGTH: "length", FinishReason.CONTENT_FILTER: "content_filter"}
_RESTARTED = Problem(
    503,
    "turn_restarted",
    "The answer begins again in another process; what was sent of it does not count. Ask again.",
)


def make_completion(
    result: AgentResult,
    *,
    model: str,
    is_document: bool,
    tell_waiting: TellWaiting,
    last: Position = Position(),  # noqa: B008 -- it is frozen
) -> dict[str, object]:
    """The answer of a run that has one, or that waits for a person after its `last` event.

    A client that asks for a document takes the text of an answer for a value.
    """
    content = _make_content(result, tell_waiting)
    calls = make_waiting_calls(result.waiting, position=last)
    message: dict[str, object] = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [_make_form(each) for each in calls]
    if result.reasoning:
        message["reasoning_content"] = result.reasoning
    if result.waiting and is_document:  # else the SDK takes the text for the value
        message["refusal"] = content
    choice = {"index": 0, "finish_reason": _get_reason(result, calls), "message": message}
    return {
        "id": f"chatcmpl-{result.run_id}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [choice],
        "usage": None if result.token_usage is None else _make_usage(result.token_usage),
        "metadata": make_metadata(result),
    }


class ChatStream:
    """The chunks of one run."""

    def __init__(
        self,
        run_id: str,
        *,
        model: str,
        has_usage: bool,
        is_document: bool,
        tell_waiting: TellWaiting,
    ) -> None:
        self._tell_waiting = tell_waiting
        self._run_id, self._has_usage, self._is_document = run_id, has_usage, is_document
        self._chunk = {
            "id": f"chatcmpl-{run_id}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": model,
        }
        self._text = Template(self._frame({"content": PIECE}), PIECE)
        # as other vendors call it
        self._reasoning = Template(self._frame({"reasoning_content": PIECE}), PIECE)
        self._has_text = False

    async def frames(
        self, first: asyncio.Task[AgentEvent], rest: AsyncGenerator[AgentEvent]
    ) -> AsyncGenerator[bytes]:
        """Server-sent events."""
        try:
            yield self._frame({"role": "assistant", "content": ""})
            yield self._write(await first)
            async for event in rest:
                if event.run_id == self._run_id and (frame := self._write(event)):
                    yield frame
        finally:
            first.cancel()
            await asyncio.wait((first,))
            await rest.aclose()

    def _write(self, event: AgentEvent) -> bytes:
        match event:
            case TextDelta(text=text) if not self._is_document:
                self._has_text = True
                return self._text.fill(text)
            case ReasoningDelta(text=text):
                return self._reasoning.fill(text)
            case TurnRestarted() if self._has_text:
                return _sse(_RESTARTED.body())
            case RunFinished(result=result, seq=seq):
                return self._finish(result, Position(seq))
        return b""

    def _finish(self, result: AgentResult, position: Position) -> bytes:
        if not (result.success or result.waiting):
            return _sse(problem_of_result(result).body())
        frames, content = b"", _make_content(result, self._tell_waiting)
        if result.waiting and self._is_document:  # else the SDK takes the text for the value
            frames = self._frame({"content": content, "refusal": content})
        elif result.waiting and self._has_text:
            frames = self._text.fill(f"\n\n{content}")
        elif content and not self._has_text:
            frames = self._text.fill(content)
        if calls := make_waiting_calls(result.waiting, position=position):
            pieces = [{"index": at, **_make_form(each)} for at, each in enumerate(calls)]
            frames += self._frame({"tool_calls": pieces})
        frames += self._frame({}, _get_reason(result, calls), metadata=make_metadata(result))
        if self._has_usage:
            usage = _make_usage(result.token_usage or TokenUsage())
            frames += _sse({**self._chunk, "choices": [], "usage": usage})
        return frames + _DONE

    def _frame(
        self, delta: Mapping[str, object], reason: str | None = None, **fields: object
    ) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return _sse({**self._chunk, "choices": [choice], **fields})


def _sse(value: Mapping[str, object]) -> bytes:
    return f"data: {write_json(value)}\n\n".encode()


def _make_content(result: AgentResult, tell_waiting: TellWaiting) -> str:
    return tell_waiting(result.run_id, result.waiting) if result.waiting else result.content or ""


def _make_form(call: ToolCall) -> dict[str, object]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _get_reason(result: AgentResult, calls: Sequence[ToolCall]) -> str:
    if calls:
        return "tool_calls"
    reason = result.finish_reason
    return "stop" if result.waiting or reason is None else _CUT.get(reason, "stop")


def _make_usage(usage: TokenUsage) -> dict[str, object]:
    return make_usage(usage, read="prompt", written="completion")
