"""Which agents an engine has, and whether those exist that they name."""

from collections.abc import Iterable, Mapping, Sequence

from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.agents.tools import AgentTool
from arc_core.errors import ConfigurationError
from arc_core.text.near_names import nearest

__all__ = ["check_models", "check_references", "check_scheduled", "every_agent", "others_of"]


def every_agent(agents: Sequence[Agent], tools: Iterable[object]) -> tuple[Agent, ...]:
    """The wired agents, and those that stand in tools alone, such as `refunds.as_tool()`.

    Args:
        agents: That are wired.
        tools: That are wired; those of agents are looked through, too.

    Raises:
        ConfigurationError: Two different agents have one name.
    """
    found = list(agents)
    _collect(tools, found)
    for agent in found:  # grows meanwhile
        _collect(agent.own_tools, found)
    return tuple(found)


def _collect(tools: Iterable[object], found: list[Agent]) -> None:
    for tool in tools:
        agent = tool.agent if isinstance(tool, AgentTool) else None
        if not isinstance(agent, Agent):
            continue
        known = next((each for each in found if each.name == agent.name), None)
        if known is None:
            found.append(agent)
        elif known != agent:
            raise ConfigurationError(
                f"two agents are called {agent.name!r}, one of them a tool",
                remedy="give one of them another name",
            )


def check_references(agents: Sequence[Agent]) -> None:
    """Check that the agents exist that agents name, and that no chain of them comes back.

    Raises:
        ConfigurationError: An agent is not there, or a circle of delegates, which it draws.
    """
    names = {DEFAULT_AGENT, *(agent.name for agent in agents)}
    for agent in agents:
        for name in (*agent.delegates, *agent.handoffs):
            if name not in names:
                raise _unknown_agent(agent, name, known=sorted(names))
    asked = {agent.name: _asked_by(agent) for agent in agents}
    for name in asked:
        _check_circle((name,), asked)


def check_scheduled(names: Iterable[str], *, known: Sequence[str]) -> None:
    """Check that the agents exist whose runs begin by the clock.

    Args:
        names: Of those agents.
        known: The names of all agents.

    Raises:
        ConfigurationError: One of them is not there; its runs would fail at each tick.
    """
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
    """Check that the models exist that agents name.

    If several models have names, an agent names one of those. With only one, any name is the
    vendor's, who alone knows which there are.

    Args:
        agents: All of them.
        known: The names of the models of the engine.
        vendor_model: What the settings ask the vendor of `default` for, which may be named so, too.

    Raises:
        ConfigurationError: An agent names a model that is not there.
    """
    if len(known) == 1:
        return
    for agent in agents:
        if agent.model is not None and agent.model not in {*known, vendor_model}:
            raise _unknown_model(agent, agent.model, known=known)


def others_of(agent: Agent) -> tuple[str, ...]:
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


def _unknown_agent(agent: Agent, name: str, *, known: Sequence[str]) -> ConfigurationError:
    meant = nearest(name, known)
    return ConfigurationError(
        f"the agent {agent.name!r} names the agent {name!r}, which does not exist",
        evidence=[f"known agents: {', '.join(known)}"],
        remedy=f"write {meant!r}" if meant else "register the agent, or install what brings it",
    )


def _unknown_model(agent: Agent, name: str, *, known: Sequence[str]) -> ConfigurationError:
    meant = nearest(name, known)
    listed = f'if the vendor has it, give it an entry: [llm.models."{name}"] with model = "{name}"'
    return ConfigurationError(
        f"the agent {agent.name!r} names the model {name!r}, which is not in llm.models",
        evidence=[f"known models: {', '.join(known)}"],
        remedy=f"write {meant!r}; {listed}" if meant else listed,
    )
