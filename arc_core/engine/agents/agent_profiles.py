"""What each agent fills in of a command, worked out once for all runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.command import AgentCommand, ResponseFormat
from arc_core.errors import ConfigurationError
from arc_core.interfaces.run_journal import RunSuspended
from arc_core.limits import Limits

__all__ = ["AgentProfiles", "name_of_agent"]


def name_of_agent(command: AgentCommand) -> str:
    """The agent that a command is for."""
    return command.agent or DEFAULT_AGENT


_NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class _Profile:
    """What an agent says.

    Attributes:
        system_prompt: None if the settings or a function have it.
        model: None is the configured one.
        output: The type of its answers; None for a text.
        limits: With those of the settings.
        tuning: How the model is asked: the fields of a command that it fills in.
    """

    system_prompt: str | None = None
    model: str | None = None
    output: Any = None
    limits: Limits = _NO_LIMITS
    tuning: Mapping[str, Any] = field(default_factory=dict)

    def fill(self, command: AgentCommand, *, name: str) -> AgentCommand:
        """The command with what it leaves open; its limits are the smallest of all, if any."""
        changes: dict[str, Any] = {"agent": name, "limits": self._limits_of(command)}
        if command.system_prompt is None:
            changes["system_prompt"] = self.system_prompt
        if command.model is None:
            changes["model"] = self.model
        changes |= {
            name: value for name, value in self.tuning.items() if getattr(command, name) is None
        }
        if self.output is not None and command.response_schema is None:
            changes["response_schema"] = self.output
            if command.response_format is ResponseFormat.TEXT:
                changes["response_format"] = ResponseFormat.JSON
        return command.model_copy(update=changes)

    def take_out(self, command: AgentCommand) -> AgentCommand:
        """The command without what `fill` has put there, but for the limits, which stay."""
        changes: dict[str, Any] = {}
        if command.system_prompt == self.system_prompt:
            changes["system_prompt"] = None
        if command.model == self.model:
            changes["model"] = None
        changes |= {
            name: None for name, value in self.tuning.items() if getattr(command, name) == value
        }
        if self.output is not None and command.response_schema is self.output:
            changes |= {"response_schema": None, "response_format": ResponseFormat.TEXT}
        return command.model_copy(update=changes)

    def _limits_of(self, command: AgentCommand) -> Limits | None:
        limits = self.limits if command.limits is None else command.limits.within(self.limits)
        return None if limits is _NO_LIMITS else limits  # so that no turn looks for any


class AgentProfiles:
    """The agents of an engine by name, the default one included.

    Args:
        agents: With unique names.
        limits: Those of the settings.

    Raises:
        ConfigurationError: Two agents have one name.

    Attributes:
        names: Of all agents, the default one first.
    """

    def __init__(self, agents: Iterable[Agent], *, limits: Limits) -> None:
        agents = tuple(agents)
        _check_names(agents)
        self._profiles: Mapping[str, _Profile] = {
            DEFAULT_AGENT: _Profile(limits=_unify(limits)),
            **{agent.name: _profile_of(agent, limits) for agent in agents},
        }
        self.names = tuple(self._profiles)
        self._wired = frozenset(agent.name for agent in agents)
        # A run that no agent and no limit has a say in costs nothing.
        is_wired = any(agent.name == DEFAULT_AGENT for agent in agents)
        self._is_default_plain = limits == _NO_LIMITS and not is_wired

    def knows(self, command: AgentCommand) -> bool:
        """Whether there is the agent that a command is for."""
        return command.agent is None or command.agent in self._profiles

    def is_wired(self, name: str | None) -> bool:
        """Whether there is an agent of this name beside the one that the settings describe."""
        return name in self._wired

    def accept(self, command: object) -> AgentCommand:
        """The command with what its agent fills in; that of an unknown agent as it is.

        Raises:
            TypeError: It is not an `AgentCommand`.
        """
        if not isinstance(command, AgentCommand):
            raise TypeError(
                f"an AgentCommand is needed, not {type(command).__name__}; "
                "write AgentCommand(user_prompt=…)"
            )
        if command.agent is None and self._is_default_plain:
            return command
        name = name_of_agent(command)
        profile = self._profiles.get(name)
        return command if profile is None else profile.fill(command, name=name)

    def switch(self, command: AgentCommand, name: str) -> AgentCommand:
        """The command as another agent fills it in, within the limits that it has.

        Raises:
            RunSuspended: That agent is gone since an earlier life of the run.
        """
        if name not in self._profiles:
            raise RunSuspended(problem=f"its agent {name!r} is not there")
        before = self._profiles[name_of_agent(command)]
        return self._profiles[name].fill(before.take_out(command), name=name)


def _check_names(agents: Sequence[Agent]) -> None:
    names = [agent.name for agent in agents]
    for name in names:
        if names.count(name) > 1:
            raise ConfigurationError(
                f"two agents are called {name!r}", remedy="give one of them another name"
            )


def _profile_of(agent: Agent, settings: Limits) -> _Profile:
    instructions, limits = agent.instructions, agent.limits.within(settings)
    return _Profile(
        system_prompt=instructions if isinstance(instructions, str) else None,
        model=agent.model,
        output=agent.output,
        limits=_unify(limits),
        tuning={name: value for name, value in agent.tuning.items() if value is not None},
    )


def _unify(limits: Limits) -> Limits:
    """The same limits; those that bound nothing as the object that profiles know them by."""
    return _NO_LIMITS if limits == _NO_LIMITS else limits
