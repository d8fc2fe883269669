"""A model that says what it is told to, in the pieces it is told to."""

import json
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from arc_core import AssistantMessage, FinishReason, Reasoning, TokenUsage, ToolCall
from arc_core.interfaces.models.chat_model import (
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    ToolCallDelta,
)

__all__ = ["SayingModel", "Turn", "cut"]

_USAGE = TokenUsage(10, 5)


@dataclass(frozen=True)
class Turn:
    """What the model says in one call."""

    text: str = ""
    thought: str = ""
    calls: tuple[ToolCall, ...] = field(default=())


def cut(text: str, dice: random.Random) -> list[str]:
    """A text in pieces: as words, as letters, whole, or at random places."""
    match dice.randrange(4):
        case 0:
            return [text]
        case 1:
            return list(text)
        case 2:
            return [f"{word} " for word in text.split(" ")][:-1] + text.split(" ")[-1:]
        case _:
            places = sorted(dice.randrange(len(text) + 1) for _ in range(dice.randrange(1, 12)))
            edges = [0, *places, len(text)]
            return [text[one:other] for one, other in pairwise(edges)]


class SayingModel(ChatModel):
    """Says the turns it was given last, in their order.

    Args:
        dice: Cut what is streamed.
    """

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._turns: list[Turn] = []

    def say(self, *turns: Turn) -> None:
        """Say these from now on."""
        self._turns = list(turns)

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The next turn, whole."""
        turn = self._next()
        return ChatResponse(_message(turn), _USAGE, _reason(turn))

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        """The next turn, in pieces."""
        turn, dice = self._next(), self._dice
        # All at once, so that the moment of a rejection does not change what comes next.
        thoughts, texts = cut(turn.thought, dice), cut(turn.text, dice)
        arguments = [cut(call.arguments, dice) for call in turn.calls]
        for piece in thoughts:
            yield ChatDelta(reasoning=piece)
        for piece in texts:
            yield ChatDelta(text=piece)
        for index, call in enumerate(turn.calls):
            yield _fragment(ToolCallDelta(index, id=call.id, name=call.name))
            for piece in arguments[index]:
                yield _fragment(ToolCallDelta(index, arguments=piece))
        blocks = _message(turn).reasoning
        yield ChatDelta(usage=_USAGE, finish_reason=_reason(turn), reasoning_blocks=blocks)

    def _next(self) -> Turn:
        return self._turns.pop(0) if len(self._turns) > 1 else self._turns[0]


def _message(turn: Turn) -> AssistantMessage:
    thoughts: Sequence[Reasoning] = (Reasoning(turn.thought, "signed"),) if turn.thought else ()
    raw = json.dumps([turn.text, turn.thought])
    return AssistantMessage(turn.text, turn.calls, tuple(thoughts), vendor_content=raw)


def _reason(turn: Turn) -> FinishReason:
    return FinishReason.TOOL_CALLS if turn.calls else FinishReason.STOP


def _fragment(delta: ToolCallDelta) -> ChatDelta:
    return ChatDelta(tool_calls=(delta,))
