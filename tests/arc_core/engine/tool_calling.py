"""An agent that calls tools in its first turn, and what came of it."""

import asyncio
from collections.abc import Sequence
from typing import Any

from arc_core import (
    AgentCommand,
    AgentResult,
    FunctionTool,
    ToolCall,
    ToolCallResult,
    ToolContext,
    ToolResult,
    ToolResultMessage,
    tool,
)
from arc_core.settings import AgentSettings
from arc_core.testing import RecordingHook, RecordingMetrics, ScriptedChatModel, scripted_agent

__all__ = ["COMMAND", "SHORT", "TINY_S", "World", "call", "echo", "hanging", "make_look", "said"]

COMMAND = AgentCommand(user_prompt="Do it.", user_id="ann", session_id="s", tenant_id="acme")
TINY_S = 0.01
SHORT = {"concurrency": {"tool_call_timeout_s": TINY_S}}


@tool
async def echo(text: str) -> str:
    """Says it again."""
    return text


@tool
async def hanging() -> str:
    """Never ends."""
    await asyncio.Event().wait()
    return "never"


def make_look(seen: list[ToolContext]) -> FunctionTool:
    """Return a tool that keeps the context of each call."""

    @tool
    async def look(context: ToolContext) -> str:
        """Looks."""
        seen.append(context)
        return "seen"

    return look


def call(name: str, arguments: str = "{}", *, number: int = 1) -> ToolCall:
    """A call of the model's."""
    return ToolCall(f"call-{number}", name, arguments)


def said(text: str, *, number: int = 1) -> ToolCall:
    """A call of `echo`."""
    return call("echo", f'{{"text": "{text}"}}', number=number)


class World:
    """An agent that makes these calls in its first turn and then is done.

    Attributes:
        model: What the agent asks.
        hook: Told of all calls.
        metrics: All measurements.
    """

    def __init__(self, calls: Sequence[ToolCall], *tools: Any, **settings: Any) -> None:
        self.model = ScriptedChatModel([calls, "Done."])
        self.hook, self.metrics = RecordingHook(), RecordingMetrics()
        self.agent = scripted_agent(
            self.model,
            AgentSettings.model_validate(settings),
            tools=tools,
            hooks=(self.hook,),
            agent_metrics=self.metrics,
        )

    async def run(self, **command: Any) -> AgentResult:
        """The result of the run."""
        return await self.agent.execute(COMMAND.model_copy(update=command))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """What the model read in its second turn."""
        message = self.model.requests[1].messages[-1]
        assert isinstance(message, ToolResultMessage)
        return message.results

    @property
    def told(self) -> list[ToolCallResult]:
        """What the hooks were told of the calls, as they ended."""
        return [value for _, value in self.hook.calls if isinstance(value, ToolCallResult)]
