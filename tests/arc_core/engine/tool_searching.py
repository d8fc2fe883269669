"""An agent whose model finds tools and calls them by their names."""

import json
from collections.abc import Sequence
from typing import Any

from arc_core import (
    AgentCommand,
    AgentResult,
    AssistantMessage,
    SearchesTools,
    Tool,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    ToolSelector,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.settings import AgentSettings
from arc_core.testing import RecordingHook, RecordingMetrics, ScriptedChatModel, scripted_agent

__all__ = ["COMMAND", "NameSearch", "SearchWorld", "add", "find", "use", "weather"]

COMMAND = AgentCommand(user_prompt="Do it.", user_id="ann")


@tool
async def weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


@tool
async def add(first: int, second: int) -> int:
    """Adds numbers."""
    return first + second


class NameSearch(ToolSelector, SearchesTools):
    """Finds tools whose names have the query in them.

    Attributes:
        asked: The names of the tools of each catalogue.
    """

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        """Never asked."""
        raise AssertionError

    async def write_catalogue(self, tools: Sequence[Tool]) -> str:
        """All names."""
        self.asked.append([each.name for each in tools])
        return f"Tools: {', '.join(each.name for each in tools)}"

    async def find(self, query: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        """By a part of their names."""
        return [each for each in tools if query in each.name]


def find(query: str, *, number: int = 1) -> ToolCall:
    """A call of `find_tools`."""
    return ToolCall(f"call-{number}", "find_tools", json.dumps({"query": query}))


def use(name: object, *, number: int = 1, **arguments: Any) -> ToolCall:
    """A call of `use_tool`."""
    text = json.dumps({"name": name, "arguments": arguments})
    return ToolCall(f"call-{number}", "use_tool", text)


class SearchWorld:
    """An agent with a search.

    Args:
        *turns: Of its model, before it is done.
        tools: That it has.
        parts: Other components of it, and `settings`.

    Attributes:
        model: What it asks.
        hook: Told of all calls.
        metrics: All measurements.
    """

    def __init__(self, *turns: Any, tools: Sequence[Any] = (weather, add), **parts: Any) -> None:
        self.model = ScriptedChatModel([*turns, "Done."])
        self.hook, self.metrics = RecordingHook(), RecordingMetrics()
        settings = AgentSettings.model_validate(parts.pop("settings", {}))
        fakes = {"tool_selector": NameSearch(), "agent_metrics": self.metrics}
        self.agent: ReActAgentExecutor = scripted_agent(
            self.model, settings, tools=tools, **{"hooks": (self.hook,), **fakes, **parts}
        )

    async def run(self, **command: Any) -> AgentResult:
        """The result of the run."""
        return await self.agent.execute(COMMAND.model_copy(update=command))

    def offered(self, turn: int = 0) -> list[str]:
        """The names in a request."""
        return [each.name for each in self.model.requests[turn].tools]

    @property
    def calls(self) -> Sequence[ToolCall]:
        """What the model said in its first turn, as it was sent again."""
        message = self.model.requests[1].messages[-2]
        assert isinstance(message, AssistantMessage)
        return message.tool_calls

    @property
    def results(self) -> Sequence[ToolResult]:
        """What the model read in its second turn."""
        message = self.model.requests[1].messages[-1]
        assert isinstance(message, ToolResultMessage)
        return message.results
