"""The tools by which an agent asks another one, or hands over to it."""

from collections.abc import Collection, Mapping
from copy import copy
from typing import Any, Self

from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import TakesInjection
from arc_core.interfaces.tool import Tool, ToolContext

__all__ = ["AgentTool", "HandoffTool", "ask_name", "transfer_name"]


def ask_name(agent: str) -> str:
    """The name of the tool that asks an agent."""
    return f"ask_{agent}"


def transfer_name(agent: str) -> str:
    """The name of the tool that hands over to an agent."""
    return f"transfer_to_{agent}"


class AgentTool(Tool):
    """Asks an agent, which answers in a run of its own; `agent.as_tool()` makes one.

    The engine starts that run itself, in place of a call: without a permit and without a time-out
    of the tool, so that agents that wait for each other block no other run.

    Args:
        agent_name: The agent that is asked.
        description: What it is for; empty says only its name.
        agent: The agent itself, if it need not be wired.
    """

    def __init__(
        self, agent_name: str, *, description: str = "", agent: TakesInjection | None = None
    ) -> None:
        self.agent_name, self.agent = agent_name, agent
        self.name = ask_name(agent_name)
        self.description = description or f"Asks the agent {agent_name}."
        self.parameters: Mapping[str, Any] = {
            "type": "object",
            "properties": {
                "task": {
                    "type": "string",
                    "description": "What it is to do, with all it needs to know: it sees nothing "
                    "of this conversation.",
                }
            },
            "required": ["task"],
            "additionalProperties": False,
        }
        self.timeout_s: float | None = None

    @property
    def injected(self) -> Mapping[str, Any]:
        """What the agent asks for; see `TakesInjection`."""
        return {} if self.agent is None else self.agent.injected

    def has_default(self, parameter: str) -> bool:
        """Whether a parameter of the agent may be left out; see `TakesInjection`."""
        return self.agent is not None and self.agent.has_default(parameter)

    def fill(self, values: Mapping[str, object], *, per_call: Collection[str]) -> Self:
        """The same tool, whose agent is filled; see `TakesInjection`."""
        tool = copy(self)
        if self.agent is not None:
            tool.__dict__["agent"] = self.agent.fill(values, per_call=per_call)
        return tool

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Never called by the engine.

        Raises:
            ConfigurationError: Always.
        """
        raise ConfigurationError(
            f"the tool {self.name!r} was called outside of a run",
            remedy=f"ask the agent itself, as in app.agent({self.agent_name!r}).execute(…)",
        )


class HandoffTool(Tool):
    """Hands a run over to another agent, which goes on with the conversation.

    Args:
        agent_name: The agent that takes over.
        description: What it is for; empty says only its name.
    """

    def __init__(self, agent_name: str, *, description: str = "") -> None:
        self.agent_name = agent_name
        self.name = transfer_name(agent_name)
        self.description = f"Hands the conversation over to {agent_name}. {description}".rstrip()
        self.parameters: Mapping[str, Any] = {"type": "object", "properties": {}}
        self.timeout_s: float | None = None

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Never called by the engine.

        Raises:
            ConfigurationError: Always.
        """
        raise ConfigurationError(
            f"the tool {self.name!r} was called outside of a run",
            remedy=f"ask the agent itself, as in app.agent({self.agent_name!r}).execute(…)",
        )
