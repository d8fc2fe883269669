"""Applications with scripted models, for tests of evaluations."""

from collections.abc import Callable
from decimal import Decimal
from itertools import count
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    AssistantMessage,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    TokenUsage,
)

__all__ = ["CyclingModel", "application"]


class CyclingModel(ChatModel):
    """Gives the same answers over and over: one after another, or what a function returns.

    Attributes:
        calls: How often it was asked.
        together: How many calls were going on at once, at most.
    """

    def __init__(self, *answers: str | AssistantMessage | Callable[[ChatRequest], Any]) -> None:
        self._answers = answers
        self._numbers = count()
        self.calls = 0
        self.together = self._open = 0

    async def complete(self, request: ChatRequest) -> ChatResponse:
        self.calls += 1
        self._open += 1
        self.together = max(self.together, self._open)
        try:
            answer = self._answers[next(self._numbers) % len(self._answers)]
            if callable(answer):
                answer = await answer(request)
        finally:
            self._open -= 1
        message = AssistantMessage(answer) if isinstance(answer, str) else answer
        return ChatResponse(
            message=message, usage=TokenUsage(1_000, 0), finish_reason=FinishReason.STOP
        )

    async def stream(self, request: ChatRequest) -> Any:
        response = await self.complete(request)
        yield ChatDelta(text=response.message.text, usage=response.usage)


def application(
    model: object,
    *components: object,
    price: str | None = None,
    temperature: float | None = None,
    deps: type | tuple[type, ...] = (),
    **settings: Any,
) -> Application:
    """An application of Arc's own plugins; `price` is that of a run."""
    llm: dict[str, Any] = {"model": "scripted", "temperature": temperature}
    if price is not None:
        llm["price"] = {"input": Decimal(price) * 1_000, "output": 0}
    chosen = ArcSettings(llm=llm, **settings)
    return Application(chosen, register=[model, *components], plugins=False, deps=deps)
