"""Explain: what the commands print with `--json`, for the command line and for servers."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from arc_autoconfig.decide.decisions import WiringDecision
from arc_autoconfig.explain.agents import agent_entries
from arc_autoconfig.explain.wired import WiredComponent
from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.inventory import list_settings
from arc_autoconfig.settings.search_paths import list_files
from arc_core.agents.agent import Agent

__all__ = ["agents_view", "components_view", "config_view"]


def components_view(built: Sequence[WiredComponent]) -> list[dict[str, Any]]:
    """The components, slots first."""
    names = ("place", "name", "type", "origin", "order", "needs")
    return [{name: getattr(each, name) for name in names} for each in built]


def config_view(settings: ArcSettings, sections: Mapping[str, object]) -> dict[str, Any]:
    """The settings with their origins, secrets masked, and the files that were looked for."""
    sources = settings.sources
    return {
        "files": [asdict(each) for each in list_files(sources)],
        "profiles": list(sources.profiles),
        "settings": [asdict(each) for each in list_settings(settings, sections)],
    }


def agents_view(agents: Sequence[Agent], decision: WiringDecision) -> list[dict[str, Any]]:
    """The agents, `default` first."""
    return [each.to_dict() for each in agent_entries(agents, decision)]
