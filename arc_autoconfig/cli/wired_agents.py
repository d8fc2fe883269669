"""The agents of an application, for commands that show or name one."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from arc_autoconfig.application import Application
from arc_autoconfig.errors import UnknownNameError
from arc_autoconfig.explain.agents import AgentEntry, agent_entries
from arc_core.agents.agent import DEFAULT_AGENT, Agent

__all__ = ["agent_option", "check_agent", "find_entries", "find_entry"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def agent_option(command: Decorated) -> Decorated:
    """`--agent`, as the parameter `agent`."""
    option = click.option("--agent", metavar="NAME", help="Which agent; `arc agents` lists them.")
    return option(command)


def find_entries(app: Application) -> tuple[AgentEntry, ...]:
    """The agents of an application that is not started."""
    return agent_entries(app.agents(), app.report.decision(Agent))


def find_entry(app: Application, name: str) -> AgentEntry:
    """The agent of a name."""
    entries = {each.agent.name: each for each in find_entries(app)}
    if name not in entries:
        raise UnknownNameError(setting="--agent", name=name, known=list(entries))
    return entries[name]


def check_agent(app: Application, name: str | None) -> None:
    """Check that there is an agent of a name; what else is wrong the start tells."""
    known = {DEFAULT_AGENT, *(each.name for each in app.report.decision(Agent).winners)}
    if name is not None and name not in known:
        raise UnknownNameError(setting="--agent", name=name, known=list(known))
