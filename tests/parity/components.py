"""What the scenarios of the parity suite are made of: tools, guards, hooks, sources that fail."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from arc_core import (
    AgentCommand,
    AgentResult,
    Allowed,
    Document,
    Guard,
    GuardRequest,
    GuardResult,
    Hook,
    HookContext,
    HookResult,
    Message,
    Reject,
    Retriever,
    Tool,
    ToolCallContext,
    ToolCallResult,
    ToolContext,
    ToolSelector,
    tool,
)
from arc_core.testing import ListConversationManager

__all__ = [
    "AnsweringGuard",
    "BrokenConversationManager",
    "BrokenHook",
    "BrokenRetriever",
    "BrokenSelector",
    "Gate",
    "HangingRetriever",
    "RejectingHook",
    "ToolPolicy",
    "add",
    "almanac",
    "broken",
    "hanging",
    "weather",
]


@tool
async def weather(city: str) -> str:
    """The weather of a city."""
    return f"It is sunny in {city}."


@tool
def add(a: int, b: int) -> int:
    """The sum of two numbers."""
    return a + b


@tool
async def broken() -> str:
    """Fails."""
    raise ValueError("password=hunter2")


@tool
async def hanging() -> str:
    """Never ends."""
    await asyncio.Event().wait()
    return "too late"


class _Almanac(Tool):
    """A tool that did not come from `@tool`, and so has to be selected."""

    name = "almanac"
    description = "The sunrise of a day."
    parameters: Mapping[str, Any] = {"type": "object", "properties": {"day": {"type": "string"}}}
    timeout_s: float | None = None

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        return {"day": arguments["day"], "sunrise": "06:12"}


almanac = _Almanac()


class AnsweringGuard(Guard):
    """Answers every request in the same way, or raises."""

    def __init__(self, answer: GuardResult | Exception) -> None:
        self._answer = answer

    async def check(self, request: GuardRequest) -> GuardResult:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


class Gate(Guard):
    """Keeps runs with one prompt inside the engine until it is opened."""

    def __init__(self, prompt: str) -> None:
        self.prompt = prompt
        self.reached, self.opened = asyncio.Event(), asyncio.Event()

    async def check(self, request: GuardRequest) -> GuardResult:
        if request.text == self.prompt:
            self.reached.set()
            await self.opened.wait()
        return Allowed()


class RejectingHook(Hook):
    """Rejects every run."""

    async def before_agent_start(self, context: HookContext) -> HookResult:
        return Reject("Not on a Sunday.")


class BrokenHook(Hook):
    """Raises at every moment it is asked to."""

    def __init__(self, *moments: str, fail_on_error: bool = False) -> None:
        self._moments = moments
        self.fail_on_error = fail_on_error

    def _fail_at(self, moment: str) -> None:
        if moment in self._moments:
            raise RuntimeError("password=hunter2")

    async def before_agent_start(self, context: HookContext) -> None:
        self._fail_at("before_agent_start")

    async def before_tool_call(self, context: ToolCallContext) -> None:
        self._fail_at("before_tool_call")

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        self._fail_at("after_tool_call")


class ToolPolicy(Hook):
    """Forbids one tool."""

    def __init__(self, forbidden: str) -> None:
        self._forbidden = forbidden

    async def before_tool_call(self, context: ToolCallContext) -> HookResult | None:
        return Reject("it is forbidden") if context.tool_name == self._forbidden else None


class BrokenConversationManager(ListConversationManager):
    """Can neither load nor save."""

    async def load_history(self, command: AgentCommand) -> Sequence[Message]:
        raise OSError("password=hunter2")

    async def save_history(self, command: AgentCommand, result: AgentResult) -> None:
        raise OSError("password=hunter2")

    async def save_streaming_history(
        self, command: AgentCommand, content: str, result: AgentResult | None = None
    ) -> None:
        raise OSError("password=hunter2")


class BrokenRetriever(Retriever):
    """Finds nothing but trouble."""

    async def retrieve(self, query: str, *, limit: int) -> Sequence[Document]:
        raise OSError("password=hunter2")


class HangingRetriever(Retriever):
    """Is still looking."""

    async def retrieve(self, query: str, *, limit: int) -> Sequence[Document]:
        await asyncio.Event().wait()
        return ()


class BrokenSelector(ToolSelector):
    """Cannot choose."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        raise RuntimeError("password=hunter2")
