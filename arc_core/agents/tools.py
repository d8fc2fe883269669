"""The tools by which an agent asks another one, or hands over to it."""

from collections.abc import Collection, Mapping
from copy import copy
from typing import Any, Self

from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import TakesInjection
from arc_core.interfaces.tools.tool import Tool, ToolContext

_OF_FUNCTION = "function: "


def ask_name(agent: str) -> str:
    """The name of the tool that asks an agent."""
    return f"ask_{agent}"


def transfer_name(agent: str) -> str:
    """The name of the tool that hands over to an agent."""
    return f"transfer_to_{agent}"


class _TurningTool(Tool):
    """A tool by which an agent turns to another one; the engine does that in place of a call.

    A `function` is called before that, and gives its name, its description and its parameters.
    """

    always_offered = True

    def __init__(
        self, agent_name: str, function: Tool | None, agent: TakesInjection | None = None
    ) -> None:
        self.agent_name, self.function, self.agent = agent_name, function, agent
        self.timeout_s: float | None = None
        if function is not None:
            self.name, self.description = function.name, function.description
            self.parameters = function.parameters
            self.needs_approval = getattr(function, "needs_approval", False)

    @property
    def injected(self) -> Mapping[str, Any]:
        """The parameters that its function and its agent have filled; see `TakesInjection`."""
        return {
            prefix + name: hint
            for prefix, taking in self._taking_injection().items()
            for name, hint in taking.injected.items()
        }

    def has_default(self, parameter: str) -> bool:
        """Return if a parameter may be left out; see `TakesInjection`."""
        prefix = _OF_FUNCTION if parameter.startswith(_OF_FUNCTION) else ""
        return self._taking_injection()[prefix].has_default(parameter.removeprefix(prefix))

    def fill(self, values: Mapping[str, object], *, per_call: Collection[str]) -> Self:
        """The same tool, whose function and agent are filled; see `TakesInjection`."""
        tool = copy(self)
        for prefix, taking in self._taking_injection().items():
            keys = {name: prefix + name for name in taking.injected}
            filled = taking.fill(
                {name: values[key] for name, key in keys.items() if key in values},
                per_call=[name for name, key in keys.items() if key in per_call],
            )
            tool.__dict__["function" if prefix else "agent"] = filled
        return tool

    def _taking_injection(self) -> Mapping[str, TakesInjection]:
        """Return the parts that ask for something, by the prefix of their parameters."""
        parts: Mapping[str, object] = {_OF_FUNCTION: self.function, "": self.agent}
        return {name: each for name, each in parts.items() if isinstance(each, TakesInjection)}

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Refuse a call outside of a run; the engine makes none."""
        raise ConfigurationError(
            f"the tool {self.name!r} was called outside of a run",
            remedy=f"ask the agent itself, as in app.agent({self.agent_name!r}).execute(…)",
        )


class AgentTool(_TurningTool):
    """Asks an agent, which answers in a run of its own; `agent.as_tool()` makes one.

    The engine starts that run itself, in place of a call: without a permit and without a time-out
    of the tool, so that agents that wait for each other block no other run.

    Args:
        agent_name: The agent that is asked.
        description: What it is for; empty says only its name.
        agent: The agent itself, if it need not be wired.
        task: A tool that returns the task as a text, and whose name, description and parameters the
            model sees; None is `ask_<agent>(task)`.
    """

    def __init__(
        self,
        agent_name: str,
        *,
        description: str = "",
        agent: TakesInjection | None = None,
        task: Tool | None = None,
    ) -> None:
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
        super().__init__(agent_name, task, agent)


class HandoffTool(_TurningTool):
    """Hands a run over to another agent, which goes on with the conversation.

    Args:
        agent_name: The agent that takes over.
        description: What it is for; empty says only its name.
        function: A tool that is called at the handoff, whose name, description and parameters the
            model sees, and whose text the other agent reads as the result of the call; None is
            `transfer_to_<agent>()`. What it raises keeps the run with its agent.
    """

    def __init__(
        self, agent_name: str, *, description: str = "", function: Tool | None = None
    ) -> None:
        self.name = transfer_name(agent_name)
        self.description = f"Hands the conversation over to {agent_name}. {description}".rstrip()
        self.parameters: Mapping[str, Any] = {"type": "object", "properties": {}}
        super().__init__(agent_name, function)
