"""Chat completions, whole and in chunks.

Pieces are cut from a chunk that is written once: of thousands only their text differs.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator

from openai.types import CompletionUsage
from openai.types.chat import (
    ChatCompletion,
    ChatCompletionChunk,
    ChatCompletionMessage,
    ChatCompletionMessageFunctionToolCall,
)
from openai.types.chat.chat_completion import Choice
from openai.types.chat.chat_completion_chunk import Choice as ChunkChoice
from openai.types.chat.chat_completion_chunk import (
    ChoiceDelta,
    ChoiceDeltaToolCall,
    ChoiceDeltaToolCallFunction,
)
from openai.types.chat.chat_completion_message_function_tool_call import Function
from openai.types.completion_usage import CompletionTokensDetails, PromptTokensDetails

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
from arc_plugins.surfaces.openai.commands import TellWaiting, make_metadata
from arc_plugins.surfaces.openai.templates import Template
from arc_plugins.surfaces.openai.waiting_calls import make_waiting_calls

_DONE = b"data: [DONE]\n\n"
_PIECE = "the piece"
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
) -> ChatCompletion:
    """The answer of a run that has one, or that waits for a person.

    Args:
        result: Of the run.
        model: As the client calls it.
        is_document: Whether the client takes the text of an answer for a value.
        tell_waiting: Says for what the run waits.
        last: The last event of a run that waits.
    """
    content, calls = (
        _make_content(result, tell_waiting),
        make_waiting_calls(result.waiting, position=last),
    )
    reason = _get_reason(result)
    message = ChatCompletionMessage(role="assistant", content=content)
    if calls:
        message = message.model_copy(
            update={"tool_calls": [_make_message_call(each) for each in calls]}
        )
    if result.reasoning:
        message = message.model_copy(update={"reasoning_content": result.reasoning})
    if result.waiting and is_document:  # else the SDK takes the text for the value
        message = message.model_copy(update={"refusal": content})
    return ChatCompletion(
        id=f"chatcmpl-{result.run_id}",
        object="chat.completion",
        created=int(time.time()),
        model=model,
        choices=[Choice.construct(index=0, finish_reason=reason, message=message)],
        usage=None if result.token_usage is None else _make_usage(result.token_usage),
        metadata=make_metadata(result),
    )


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
        self._chunk = ChatCompletionChunk(
            id=f"chatcmpl-{run_id}",
            object="chat.completion.chunk",
            created=int(time.time()),
            model=model,
            choices=[],
        )
        self._text = Template(self._frame(ChoiceDelta(content=_PIECE)), _PIECE)
        reasoning = ChoiceDelta.construct(reasoning_content=_PIECE)  # as other vendors call it
        self._reasoning = Template(self._frame(reasoning), _PIECE)
        self._has_text = False

    async def frames(
        self, first: asyncio.Task[AgentEvent], rest: AsyncGenerator[AgentEvent]
    ) -> AsyncGenerator[bytes]:
        """Server-sent events."""
        try:
            yield self._frame(ChoiceDelta(role="assistant", content=""))
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
                return _failure(_RESTARTED)
            case RunFinished(result=result, seq=seq):
                return self._finish(result, Position(seq))
        return b""

    def _finish(self, result: AgentResult, position: Position) -> bytes:
        if not (result.success or result.waiting):
            return _failure(problem_of_result(result))
        frames, content = b"", _make_content(result, self._tell_waiting)
        if result.waiting and self._is_document:  # else the SDK takes the text for the value
            frames = self._frame(ChoiceDelta(content=content, refusal=content))
        elif result.waiting and self._has_text:
            frames = self._text.fill(f"\n\n{content}")
        elif content and not self._has_text:
            frames = self._text.fill(content)
        if calls := make_waiting_calls(result.waiting, position=position):
            pieces = [_make_piece(index, each) for index, each in enumerate(calls)]
            frames += self._frame(ChoiceDelta(tool_calls=pieces))
        choice = ChunkChoice.construct(
            index=0, delta=ChoiceDelta(), finish_reason=_get_reason(result)
        )
        end = {"choices": [choice], "metadata": make_metadata(result)}
        chunk = self._chunk.model_copy(update=end)
        frames += _sse(chunk)
        if self._has_usage:
            usage = _make_usage(result.token_usage or TokenUsage())
            frames += _sse(self._chunk.model_copy(update={"usage": usage}))
        return frames + _DONE

    def _frame(self, delta: ChoiceDelta) -> bytes:
        choice = ChunkChoice.construct(index=0, delta=delta, finish_reason=None)
        return _sse(self._chunk.model_copy(update={"choices": [choice]}))


def _sse(chunk: ChatCompletionChunk) -> bytes:
    return b"data: %b\n\n" % chunk.to_json(indent=None).encode()


def _failure(problem: Problem) -> bytes:
    return b"data: %b\n\n" % json.dumps(problem.body()).encode()


def _make_content(result: AgentResult, tell_waiting: TellWaiting) -> str:
    return tell_waiting(result.run_id, result.waiting) if result.waiting else result.content or ""


def _make_message_call(call: ToolCall) -> ChatCompletionMessageFunctionToolCall:
    function = Function(name=call.name, arguments=call.arguments)
    return ChatCompletionMessageFunctionToolCall(id=call.id, type="function", function=function)


def _make_piece(index: int, call: ToolCall) -> ChoiceDeltaToolCall:
    function = ChoiceDeltaToolCallFunction(name=call.name, arguments=call.arguments)
    return ChoiceDeltaToolCall(index=index, id=call.id, type="function", function=function)


def _get_reason(result: AgentResult) -> str:
    if make_waiting_calls(result.waiting, position=Position()):
        return "tool_calls"
    cut = {FinishReason.LENGTH: "length", FinishReason.CONTENT_FILTER: "content_filter"}
    reason = result.finish_reason
    return "stop" if result.waiting or reason is None else cut.get(reason, "stop")


def _make_usage(usage: TokenUsage) -> CompletionUsage:
    return CompletionUsage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        total_tokens=usage.total_tokens,
        prompt_tokens_details=PromptTokensDetails(
            cached_tokens=usage.cached_tokens, cache_write_tokens=usage.cache_write_tokens
        ),
        completion_tokens_details=CompletionTokensDetails(reasoning_tokens=usage.reasoning_tokens),
    )
