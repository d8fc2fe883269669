"""The profile of each agent, made once for all runs: the fields of commands that it fills in."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.agents.tools import AgentTool
from arc_core.command import AgentCommand, ResponseFormat
from arc_core.errors import ConfigurationError
from arc_core.limits import Limits
from arc_core.runs.journal import RunSuspended
from arc_core.text.names import nearest

_NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class _Profile:
    """The fields of a command that an agent sets.

    Attributes:
        system_prompt: None if the settings or a function have it.
        tuning: How the model is asked: the fields of a command that it fills in.
    """

    system_prompt: str | None = None
    model: str | None = None
    output: Any = None
    limits: Limits = _NO_LIMITS
    tuning: Mapping[str, Any] = field(default_factory=dict)

    def fill(self, command: AgentCommand, *, name: str) -> AgentCommand:
        """The command with what it leaves open; its limits are the smallest of all, if any."""
        limits = self.limits if command.limits is None else command.limits.within(self.limits)
        # None so that no turn looks for any
        changes: dict[str, Any] = {
            "agent": name,
            "limits": None if limits is _NO_LIMITS else limits,
        }
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


def check_command(command: object) -> AgentCommand:
    """Return a command as it is, and refuse what is not an `AgentCommand`."""
    if not isinstance(command, AgentCommand):
        raise _not_a_command(command)
    return command


def _not_a_command(command: object) -> TypeError:
    return TypeError(
        f"an AgentCommand is needed, not {type(command).__name__}; "
        "write AgentCommand(user_prompt=…)"
    )


class AgentProfiles:
    """The agents of an engine by name, the default one included.

    Raises:
        ConfigurationError: Two agents have one name.

    Attributes:
        names: Of all agents, the default one first.
    """

    def __init__(self, agents: Iterable[Agent], *, limits: Limits) -> None:
        agents = tuple(agents)
        names = Counter(agent.name for agent in agents)
        if twins := [name for name, count in names.items() if count > 1]:
            raise ConfigurationError(
                f"two agents are called {twins[0]!r}", remedy="give one of them another name"
            )
        self._profiles: Mapping[str, _Profile] = {
            DEFAULT_AGENT: _Profile(limits=_unify(limits)),
            **{agent.name: _make_profile(agent, limits) for agent in agents},
        }
        self.names = tuple(self._profiles)
        self._wired = frozenset(agent.name for agent in agents)
        # A run that no agent and no limit has a say in costs nothing.
        is_wired = any(agent.name == DEFAULT_AGENT for agent in agents)
        self._is_default_plain = limits == _NO_LIMITS and not is_wired

    def knows(self, command: AgentCommand) -> bool:
        """Return True if the agent of a command exists."""
        return command.agent is None or command.agent in self._profiles

    def is_wired(self, name: str | None) -> bool:
        """Return True if an agent of this name exists beside the one of the settings."""
        return name in self._wired

    def accept(self, command: object) -> AgentCommand:
        """The command with what its agent fills in; that of an unknown agent as it is."""
        if not isinstance(command, AgentCommand):
            raise _not_a_command(command)
        if command.agent is None and self._is_default_plain:
            return command
        name = command.agent or DEFAULT_AGENT
        profile = self._profiles.get(name)
        return command if profile is None else profile.fill(command, name=name)

    def switch(self, command: AgentCommand, name: str) -> AgentCommand:
        """The command as another agent fills it in, within the limits that it has.

        Raises:
            RunSuspended: That agent is gone since an earlier life of the run.
        """
        if name not in self._profiles:
            raise RunSuspended(problem=f"its agent {name!r} is not there")
        before = self._profiles[command.agent or DEFAULT_AGENT]
        return self._profiles[name].fill(before.take_out(command), name=name)


def _make_profile(agent: Agent, settings: Limits) -> _Profile:
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


def every_agent(agents: Sequence[Agent], tools: Iterable[object]) -> tuple[Agent, ...]:
    """The wired agents, and those that stand in tools alone, such as `refunds.as_tool()`.

    The tools of agents are looked through, too.

    Raises:
        ConfigurationError: Two different agents have one name.
    """
    found = list(agents)
    every = [*tools, *(tool for agent in agents for tool in agent.own_tools)]
    for tool in every:  # grows meanwhile
        agent = tool.agent if isinstance(tool, AgentTool) else None
        if not isinstance(agent, Agent):
            continue
        known = next((each for each in found if each.name == agent.name), None)
        if known is None:
            found.append(agent)
            every += agent.own_tools
        elif known != agent:
            raise ConfigurationError(
                f"two agents are called {agent.name!r}, one of them a tool",
                remedy="give one of them another name",
            )
    return tuple(found)


def check_references(agents: Sequence[Agent]) -> None:
    """Refuse agents that are named and not there, and a circle of delegates, which is drawn."""
    names = {DEFAULT_AGENT, *(agent.name for agent in agents)}
    for agent in agents:
        for name in (*agent.delegates, *agent.handoffs):
            if name not in names:
                meant = nearest(name, sorted(names))
                raise ConfigurationError(
                    f"the agent {agent.name!r} names the agent {name!r}, which does not exist",
                    evidence=[f"known agents: {', '.join(sorted(names))}"],
                    remedy=f"write {meant!r}"
                    if meant
                    else "register the agent, or install what brings it",
                )
    asked = {agent.name: _asked_by(agent) for agent in agents}
    for name in asked:
        _check_circle((name,), asked)


def check_scheduled(names: Iterable[str], *, known: Sequence[str]) -> None:
    """Refuse schedules of agents that are not there, whose runs would fail at each tick."""
    for name in names:
        if name not in known:
            near = nearest(name, known)
            raise ConfigurationError(
                f"a schedule has the agent {name!r}, and there is no agent {name!r}",
                evidence=["it stands in [[schedules]]", f"there are: {', '.join(sorted(known))}"],
                remedy=f"write {near!r}" if near else "name one of these, or define the agent",
            )


def check_models(
    agents: Sequence[Agent], *, known: Sequence[str], vendor_model: str | None
) -> None:
    """Refuse models that agents name and that are not there.

    If several models have names, an agent names one of those. With only one, any name is the
    vendor's, who alone knows which there are.
    """
    if len(known) == 1:
        return
    for agent in agents:
        name = agent.model
        if name is None or name in {*known, vendor_model}:
            continue
        entry = f'[llm.models."{name}"] with model = "{name}"'
        meant, remedy = nearest(name, known), f"if the vendor has it, give it an entry: {entry}"
        raise ConfigurationError(
            f"the agent {agent.name!r} names the model {name!r}, which is not in llm.models",
            evidence=[f"known models: {', '.join(known)}"],
            remedy=f"write {meant!r}; {remedy}" if meant else remedy,
        )


def find_others(agent: Agent) -> tuple[str, ...]:
    """The agents that it may ask or hand over to, by their names."""
    return tuple(dict.fromkeys((*_asked_by(agent), *agent.handoffs)))


def _asked_by(agent: Agent) -> tuple[str, ...]:
    own = [tool.agent_name for tool in agent.own_tools if isinstance(tool, AgentTool)]
    return tuple(dict.fromkeys((*agent.delegates, *own)))


def _check_circle(path: tuple[str, ...], asked: Mapping[str, Sequence[str]]) -> None:
    for name in asked.get(path[-1], ()):
        if name == path[0]:
            raise ConfigurationError(
                f"agents ask each other in a circle: {' → '.join((*path, name))}",
                remedy="remove one of these from the `delegates` or `tools` of the one before it",
            )
        if name not in path:
            _check_circle((*path, name), asked)
