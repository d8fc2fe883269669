"""Output guards and a model for tests of what leaves."""

from collections.abc import AsyncIterator, Sequence
from itertools import pairwise
from typing import Any

from arc_core import (
    Allowed,
    AssistantMessage,
    ChatDelta,
    ChatRequest,
    ChatResponse,
    FinishReason,
    GuardResult,
    OutputGuard,
    OutputGuardRequest,
    Reasoning,
    Rejected,
    RejectionCategory,
    TokenUsage,
)

__all__ = ["SECRET", "Answering", "Masking", "PieceModel", "Rejecting", "pieces_of"]

SECRET = "key-0123456789"


class Answering(OutputGuard):
    """Gives one answer, and remembers what it was asked."""

    def __init__(self, answer: Any = None, *, window_chars: int | None = None) -> None:
        self._answer = answer or Allowed()
        self.window_chars = window_chars
        self.requests: list[OutputGuardRequest] = []

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        self.requests.append(request)
        if isinstance(self._answer, Exception):
            raise self._answer
        answer: GuardResult = self._answer
        return answer

    @property
    def texts(self) -> list[str]:
        """What it was shown."""
        return [request.text for request in self.requests]


class Masking(OutputGuard):
    """Replaces the secret."""

    def __init__(self, *, window_chars: int | None = len(SECRET)) -> None:
        self.window_chars = window_chars

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        if SECRET not in request.text:
            return Allowed()
        return Allowed(request.text.replace(SECRET, "[key]"))


class Rejecting(OutputGuard):
    """Rejects the secret."""

    def __init__(self, *, window_chars: int | None = len(SECRET)) -> None:
        self.window_chars = window_chars

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        if SECRET in request.text:
            return Rejected("A key would have left.", RejectionCategory.SENSITIVE_DATA)
        return Allowed()


class PieceModel:
    """Streams its answers in the pieces it is given; `complete` gives them whole.

    Args:
        turns: The pieces of each answer.
        thoughts: What it thinks before each answer, in pieces.
    """

    def __init__(self, *turns: Sequence[str], thoughts: Sequence[str] = ()) -> None:
        self._turns, self._thoughts = list(turns), thoughts
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatResponse:
        self.requests.append(request)
        thought = "".join(self._thoughts)
        message = AssistantMessage(
            "".join(self._turns.pop(0)), reasoning=(Reasoning(thought),) if thought else ()
        )
        return ChatResponse(message, TokenUsage(10, 5), FinishReason.STOP)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        self.requests.append(request)
        for thought in self._thoughts:
            yield ChatDelta(reasoning=thought)
        for piece in self._turns.pop(0):
            yield ChatDelta(text=piece)
        yield ChatDelta(usage=TokenUsage(10, 5), finish_reason=FinishReason.STOP)


def pieces_of(text: str, *cuts: int) -> list[str]:
    """A text cut at these places."""
    places = [0, *sorted(cuts), len(text)]
    return [text[one:other] for one, other in pairwise(places) if one < other]
