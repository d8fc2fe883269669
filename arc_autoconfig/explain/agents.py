"""Explain: which agents there are, and what of a run each of them decides."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from arc_autoconfig.decide.conditions import setting_at
from arc_autoconfig.decide.decisions import WiringDecision
from arc_autoconfig.settings import ArcSettings
from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.output_types import name_of_type

_SETTINGS = "settings"
_LATER = "is made when the application starts"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEntry:
    """One agent of an application."""

    agent: Agent
    origin: str
    is_made: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        agent = self.agent
        tools = None if agent.tools is None else [_show_name(tool) for tool in agent.tools]
        return {
            "name": agent.name,
            "description": agent.description,
            "origin": self.origin,
            "model": agent.model,
            "tools": tools,
            "delegates": list(agent.delegates),
            "handoffs": list(agent.handoffs),
            "output": None if agent.output is None else name_of_type(agent.output),
            **asdict(agent.limits),
        }


@dataclass(frozen=True, slots=True)
class Choice:
    """The settings for the runs of an agent."""

    what: str
    value: str
    origin: str


def agent_entries(agents: Sequence[Agent], decision: WiringDecision) -> tuple[AgentEntry, ...]:
    """All agents, the default one first."""
    origins: Mapping[str, str] = {each.name: str(each.origin) for each in decision.winners}
    override = str(decision.winners[0].origin) if decision.winners else ""
    wired = [
        AgentEntry(agent=each, origin=origins.get(each.name, override))
        for each in sorted(agents, key=lambda agent: agent.name != DEFAULT_AGENT)
    ]
    made = {each.name for each in agents}
    wired += [
        AgentEntry(agent=Agent(name, description=_LATER), origin=origin, is_made=False)
        for name, origin in origins.items()
        if name not in made
    ]
    if any(each.agent.name == DEFAULT_AGENT for each in wired):
        return tuple(wired)
    return (AgentEntry(agent=Agent(DEFAULT_AGENT), origin=_SETTINGS), *wired)


def list_choices(entry: AgentEntry, settings: ArcSettings) -> Iterator[Choice]:
    """Return what holds for runs of an agent if commands leave it open, and who says so."""
    agent, origin = entry.agent, entry.origin
    if not entry.is_made:
        yield Choice("agent", _LATER, origin)
        return
    if agent.instructions is None:
        yield _of_setting("instructions", settings, "llm.system_prompt")
    elif isinstance(agent.instructions, str):
        yield Choice("instructions", agent.instructions, origin)
    else:
        yield Choice("instructions", f"written by {_show_name(agent.instructions)}", origin)
    if agent.model is None:
        yield _of_setting("model", settings, "llm.model")
    else:
        yield Choice("model", agent.model, origin)
    yield from _reach(entry)
    is_text = agent.output is None
    yield Choice(
        "output",
        "text" if is_text else name_of_type(agent.output),
        "default" if is_text else origin,
    )
    yield from _limits(entry, settings)


def _reach(entry: AgentEntry) -> Iterator[Choice]:
    """Return what the agent may call, and to whom it may turn."""
    agent, origin = entry.agent, entry.origin
    if agent.tools is None:
        yield Choice("tools", "all", _SETTINGS)
    else:
        yield Choice("tools", ", ".join(map(_show_name, agent.tools)) or "none", origin)
    for what, names in (("delegates", agent.delegates), ("handoffs", agent.handoffs)):
        yield Choice(what, ", ".join(names) or "none", origin if names else "default")


def _limits(entry: AgentEntry, settings: ArcSettings) -> Iterator[Choice]:
    """The smallest of each kind."""
    limits, deadline = entry.agent.limits, settings.concurrency.request_timeout_s
    bounds: Mapping[str, dict[str, float | Decimal | None]] = {
        "max_model_calls": {"limits.max_model_calls": settings.limits.max_model_calls},
        "max_tool_calls": {
            "limits.max_tool_calls": settings.limits.max_tool_calls,
            "max_tool_calls": settings.max_tool_calls,
        },
        "max_total_tokens": {"limits.max_total_tokens": settings.limits.max_total_tokens},
        "max_cost": {"limits.max_cost": settings.limits.max_cost},
        "deadline_s": {
            "limits.deadline_s": settings.limits.deadline_s,
            "concurrency.request_timeout_s": deadline or None,
        },
    }
    for name, of_settings in bounds.items():
        own: float | Decimal | None = getattr(limits, name)
        held = {key: value for key, value in of_settings.items() if value is not None}
        smallest = min(held, key=lambda key: held[key], default=None)
        if own is not None and (smallest is None or own < held[smallest]):
            yield Choice(name, f"{own:g}", entry.origin)
        elif smallest is not None:
            yield _of_setting(name, settings, smallest)
        else:
            yield Choice(name, "none", "default")


def _of_setting(what: str, settings: ArcSettings, key: str) -> Choice:
    value = setting_at(settings, key)
    text = "the vendor's default" if value is None else f"{value}"
    return Choice(what, text, f"{key} ({settings.origin_of(key)})")


def _show_name(value: Any) -> str:
    if isinstance(value, str):
        return value
    name = getattr(value, "name", None) or getattr(value, "__qualname__", None)
    return str(name or value)
