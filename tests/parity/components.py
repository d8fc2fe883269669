"""What the scenarios of the parity suite are made of: tools, guards, hooks, sources that fail."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import arc_core
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


@arc_core.tool
async def weather(city: str) -> str:
    """The weather of a city."""
    return f"It is sunny in {city}."


@arc_core.tool
def add(a: int, b: int) -> int:
    """The sum of two numbers."""
    return a + b


@arc_core.tool
async def broken() -> str:
    """Fails."""
    raise ValueError("password=hunter2")


@arc_core.tool
async def hanging() -> str:
    """Never ends."""
    await asyncio.Event().wait()
    return "too late"


class _Almanac(arc_core.Tool):
    """A tool that did not come from `@tool`, and so has to be selected."""

    name = "almanac"
    description = "The sunrise of a day."
    parameters: Mapping[str, Any] = {"type": "object", "properties": {"day": {"type": "string"}}}
    timeout_s: float | None = None

    async def call(self, arguments: Mapping[str, Any], context: arc_core.ToolContext) -> object:
        return {"day": arguments["day"], "sunrise": "06:12"}


almanac = _Almanac()


class AnsweringGuard(arc_core.Guard):
    """Answers every request in the same way, or raises."""

    def __init__(self, answer: arc_core.GuardResult | Exception) -> None:
        self._answer = answer

    async def check(self, request: arc_core.GuardRequest) -> arc_core.GuardResult:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


class Gate(arc_core.Guard):
    """Keeps runs with one prompt inside the engine until it is opened."""

    def __init__(self, prompt: str) -> None:
        self.prompt = prompt
        self.reached, self.opened = asyncio.Event(), asyncio.Event()

    async def check(self, request: arc_core.GuardRequest) -> arc_core.GuardResult:
        if request.text == self.prompt:
            self.reached.set()
            await self.opened.wait()
        return arc_core.Allowed()


class RejectingHook(arc_core.Hook):
    """Rejects every run."""

    async def before_agent_start(self, context: arc_core.HookContext) -> arc_core.HookResult:
        return arc_core.Reject("Not on a Sunday.")


class BrokenHook(arc_core.Hook):
    """Raises at every moment it is asked to."""

    def __init__(self, *moments: str, fail_on_error: bool = False) -> None:
        self._moments = moments
        self.fail_on_error = fail_on_error

    def _fail_at(self, moment: str) -> None:
        if moment in self._moments:
            raise RuntimeError("password=hunter2")

    async def before_agent_start(self, context: arc_core.HookContext) -> None:
        self._fail_at("before_agent_start")

    async def before_tool_call(self, context: arc_core.ToolCallContext) -> None:
        self._fail_at("before_tool_call")

    async def after_tool_call(
        self, context: arc_core.ToolCallContext, result: arc_core.ToolCallResult
    ) -> None:
        self._fail_at("after_tool_call")


class ToolPolicy(arc_core.Hook):
    """Forbids one tool."""

    def __init__(self, forbidden: str) -> None:
        self._forbidden = forbidden

    async def before_tool_call(
        self, context: arc_core.ToolCallContext
    ) -> arc_core.HookResult | None:
        return arc_core.Reject("it is forbidden") if context.tool_name == self._forbidden else None


class BrokenConversationManager(ListConversationManager):
    """Can neither load nor save."""

    async def load_history(self, command: arc_core.AgentCommand) -> Sequence[arc_core.Message]:
        raise OSError("password=hunter2")

    async def save_history(
        self, command: arc_core.AgentCommand, result: arc_core.AgentResult
    ) -> None:
        raise OSError("password=hunter2")

    async def save_streaming_history(
        self,
        command: arc_core.AgentCommand,
        content: str,
        result: arc_core.AgentResult | None = None,
    ) -> None:
        raise OSError("password=hunter2")


class BrokenRetriever(arc_core.Retriever):
    """Finds nothing but trouble."""

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[arc_core.Document]:
        raise OSError("password=hunter2")


class HangingRetriever(arc_core.Retriever):
    """Is still looking."""

    async def retrieve(
        self, query: str, *, limit: int, filter: Mapping[str, str] = {}
    ) -> Sequence[arc_core.Document]:
        await asyncio.Event().wait()
        return ()


class BrokenSelector(arc_core.ToolSelector):
    """Cannot choose."""

    async def select(
        self, user_prompt: str, tools: Sequence[arc_core.Tool]
    ) -> Sequence[arc_core.Tool]:
        raise RuntimeError("password=hunter2")
