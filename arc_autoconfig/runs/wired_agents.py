"""The agents of a started application, by their names."""

from collections.abc import Iterable, Sequence
from typing import Any

from arc_autoconfig.errors import ComponentError, UnknownNameError
from arc_autoconfig.runs.options import command_of
from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.command import AgentCommand


class WiredAgents:
    """The agents of an application, by their names.

    Args:
        agents: With unique names.
    """

    def __init__(self, agents: Iterable[Agent]) -> None:
        self._agents = {agent.name: agent for agent in agents}

    @property
    def names(self) -> Sequence[str]:
        """The names that a command may have, that of the default agent first."""
        return tuple(dict.fromkeys([DEFAULT_AGENT, *self._agents]))

    def check(self, asked: Agent | str) -> None:
        """Check that there is an agent of a name, or an agent itself.

        Raises:
            UnknownNameError: There is none of this name.
            ComponentError: Another agent is wired under the name.
        """
        name = asked if isinstance(asked, str) else asked.name
        wired = self._agents.get(name)
        if wired is None and (name != DEFAULT_AGENT or isinstance(asked, Agent)):
            raise UnknownNameError(setting="app.agent", name=name, known=self.names)
        if isinstance(asked, Agent) and asked != wired:
            raise ComponentError(
                f"another agent is wired under the name {name!r} than the one asked for",
                evidence=["an agent runs only if it is wired"],
                remedy="register it, as in Application(register=[refunds]), or ask by the name",
            )

    def with_output(self, command: AgentCommand) -> AgentCommand:
        """The command with the output type of its agent, if it has none of its own."""
        agent = self._agents.get(command.agent or DEFAULT_AGENT) if self._agents else None
        if agent is None or agent.output is None or command.response_schema is not None:
            return command
        return command_of(command, output=agent.output)

    def get_output(self, command: AgentCommand, answering: str) -> Any:
        """Return the type of the answer to a command if an agent of this name gives it.

        Args:
            command: As `with_output` returns it.
            answering: The name of an agent, which may have taken over from the one that was asked.

        Returns:
            What the command asks for itself, else what the agent answers in; None for a text.
        """
        asked = self._agents.get(command.agent or DEFAULT_AGENT)
        if asked is None or command.response_schema is not asked.output:
            return command.response_schema
        agent = self._agents.get(answering)
        return None if agent is None else agent.output
