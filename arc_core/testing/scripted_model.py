"""A chat model that says what the test tells it, and remembers what it was asked."""

import re
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from arc_core.components.text_lists import check_list
from arc_core.interfaces.models.chat_model import (
    ChatDelta,
    ChatRequest,
    ChatResponse,
    FinishReason,
    ToolCallDelta,
)
from arc_core.messages import AssistantMessage, ToolCall
from arc_core.usage import TokenUsage

_USAGE = TokenUsage(prompt_tokens=10, completion_tokens=5)
_PIECE = re.compile(r"\S+\s*|\s+")


class ScriptExhaustedError(Exception):
    """The model was asked once more than the script has turns."""


@dataclass(frozen=True, slots=True)
class BrokenOff:
    """A turn whose text is streamed and then fails; `complete` fails at once."""

    text: str
    error: BaseException


Turn = (
    str
    | Sequence[ToolCall]
    | AssistantMessage
    | ChatResponse
    | BrokenOff
    | BaseException
    | Callable[[ChatRequest], "Turn"]
)


class ScriptedChatModel:
    """Answers with one turn of the script per request.

    Args:
        turns: Each a text, a list of tool calls, a message, a whole response, an exception to
            raise, a `BrokenOff`, or a function of the request that gives one of these.
        usage: What every turn reports to have cost.

    Attributes:
        requests: All requests so far, in order.
    """

    def __init__(self, turns: Iterable[Turn], *, usage: TokenUsage | None = _USAGE) -> None:
        check_list(turns, what="turns of ScriptedChatModel")
        self.requests: list[ChatRequest] = []
        self._turns = deque(turns)
        self._usage = usage
        self._unanswered = 0

    def accepts(self, media_type: str) -> bool:
        """Every type: what is attached stands in `requests`."""
        return True

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The next turn, whole.

        Raises:
            ScriptExhaustedError: The script has no more turns.
        """
        turn = self._next(request)
        if isinstance(turn, BrokenOff):
            raise turn.error
        return turn

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        """The next turn in pieces: reasoning and text word by word, calls in three fragments each.

        Raises:
            ScriptExhaustedError: The script has no more turns.
        """
        turn = self._next(request)
        if isinstance(turn, BrokenOff):
            for piece in _PIECE.findall(turn.text):
                yield ChatDelta(text=piece)
            raise turn.error
        for delta in _deltas(turn):
            yield delta

    def assert_complete(self) -> None:
        """Fail unless every turn was asked for, and none too many."""
        assert not self._unanswered, f"{self._unanswered} request(s) found no turn left"
        assert not self._turns, f"{len(self._turns)} turn(s) were never asked for"

    def _next(self, request: ChatRequest) -> ChatResponse | BrokenOff:
        self.requests.append(request)
        if not self._turns:
            self._unanswered += 1
            raise ScriptExhaustedError(f"request {len(self.requests)} has no turn in the script")
        return self._resolve(self._turns.popleft(), request)

    def _resolve(self, turn: Turn, request: ChatRequest) -> ChatResponse | BrokenOff:
        match turn:
            case ChatResponse() | BrokenOff():
                return turn
            case AssistantMessage(tool_calls=calls):
                reason = FinishReason.TOOL_CALLS if calls else FinishReason.STOP
                return ChatResponse(turn, self._usage, reason)
            case str():
                return self._resolve(AssistantMessage(turn), request)
            case BaseException():
                raise turn
            case [*calls]:
                return self._resolve(AssistantMessage("", tuple(calls)), request)
            case _:
                return self._resolve(turn(request), request)


def _deltas(response: ChatResponse) -> Iterator[ChatDelta]:
    for block in response.message.reasoning:
        for piece in _PIECE.findall(block.text):
            yield ChatDelta(reasoning=piece)
    content = response.message.content
    for piece in _PIECE.findall(response.message.text):
        yield ChatDelta(text=piece)
    for index, call in enumerate(response.message.tool_calls):
        half = len(call.arguments) // 2
        yield _fragment(ToolCallDelta(index, id=call.id, name=call.name))
        yield _fragment(ToolCallDelta(index, arguments=call.arguments[:half]))
        yield _fragment(ToolCallDelta(index, arguments=call.arguments[half:]))
    yield ChatDelta(
        usage=response.usage,
        finish_reason=response.finish_reason,
        vendor_content=response.message.vendor_content,
        reasoning_blocks=response.message.reasoning,
        content=() if isinstance(content, str) else content,
    )


def _fragment(delta: ToolCallDelta) -> ChatDelta:
    return ChatDelta(tool_calls=(delta,))
