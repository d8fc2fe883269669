"""The application whose runs the databases of earlier layouts have; it must not change."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    Agent,
    AssistantMessage,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    FunctionTool,
    ModelUnavailableError,
    TokenUsage,
    ToolCall,
    ToolCallDelta,
    ToolContext,
    ToolResultMessage,
    tool,
)

__all__ = ["open_shop"]

_CALLS = {
    "parallel": ["find", "look"],
    "pay": ["find", "pay"],
    "delegate": ["ask_buyer", "look"],
    "buyer finds": ["find"],
    "buyer pays": ["pay"],
    "dig": ["find", "dig"],
}
"""The tools that the model calls at once, by the prompt."""

_DELEGATED = {"delegate": "buyer finds", "delegate and pay": "buyer pays"}


class ShopModel(ChatModel):
    """Calls the tools that its prompt asks for, and then says what they gave.

    Args:
        log: Where each question is noted.
    """

    def __init__(self, log: Path | None = None) -> None:
        self._log = log

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The calls of the first turn, or the answer."""
        asked = next(each.text for each in request.messages if hasattr(each, "text"))
        _note(self._log, f"model {asked}")
        if asked == "fail":
            raise ModelUnavailableError("closed")
        last = request.messages[-1]
        if isinstance(last, ToolResultMessage):
            said = "; ".join(each.text for each in last.results)
            return ChatResponse(AssistantMessage(f"{asked}: {said}"), TokenUsage(20, 5))
        key = "delegate" if asked in _DELEGATED else asked
        names = _CALLS.get(key, [])
        calls = tuple(
            ToolCall(f"call-{place}", name, _arguments(name, asked))
            for place, name in enumerate(names)
        )
        return ChatResponse(
            AssistantMessage("" if calls else f"{asked}.", calls), TokenUsage(10, 5)
        )

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        """The same, in one piece."""
        response = await self.complete(request)
        calls = tuple(
            ToolCallDelta(place, each.id, each.name, each.arguments)
            for place, each in enumerate(response.message.tool_calls)
        )
        yield ChatDelta(text=response.message.text or None, tool_calls=calls)
        yield ChatDelta(usage=response.usage)


def _arguments(name: str, asked: str) -> str:
    if name == "ask_buyer":
        return f'{{"task": "{_DELEGATED[asked]}"}}'
    return f'{{"item": "{asked}"}}'


def _note(log: Path | None, line: str) -> None:
    if log is not None:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


def _tools(log: Path | None, *, digs: bool) -> Sequence[FunctionTool[Any, Any]]:
    @tool
    async def find(item: str, context: ToolContext) -> str:
        """Find an item."""
        _note(log, f"find {context.run_id}")
        return f"found {item} " + "in the store, on the shelf " * 20

    @tool
    async def look(item: str, context: ToolContext) -> str:
        """Look at an item."""
        _note(log, f"look {context.run_id}")
        return f"{item} looks good " + "and new " * 20

    @tool(needs_approval=True)
    async def pay(item: str, context: ToolContext) -> str:
        """Pay for an item."""
        _note(log, f"pay {context.run_id}")
        return f"paid for {item}"

    @tool
    async def dig(item: str, context: ToolContext) -> str:
        """Dig, for ever in a process that is to be killed."""
        _note(log, f"dig {context.run_id}")
        if digs:
            await asyncio.Event().wait()
        return f"dug for {item}"

    return find, look, pay, dig


def open_shop(
    url: str, *, log: Path | None = None, digs: bool = False, **durable: Any
) -> Application:
    """An application on a database of runs, not started.

    Args:
        url: Of the database.
        log: Where it is noted, a line each, what models and tools were asked.
        digs: Whether the tool `dig` never ends.
        durable: Further settings of the section.
    """
    settings = ArcSettings.model_validate({
        "durable": {"enabled": True, "url": url, "work": True, **durable},
        "guard": {"rate_limit_per_minute": 0, "rate_limit_per_hour": 0},
        "retry": {"max_attempts": 1},
    })  # fmt: skip
    tools = _tools(log, digs=digs)
    buyer = Agent("buyer", instructions="You buy.", description="Buys items.", tools=tools[:3])
    clerk = Agent("clerk", instructions="You sell.", tools=tools, delegates=["buyer"])
    return Application(settings, register=[ShopModel(log), buyer, clerk], plugins=False)
