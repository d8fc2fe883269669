"""What is told of agents."""

from typing import Any

from arc_autoconfig import ArcSettings
from arc_autoconfig.explain.agents import AgentEntry, list_choices
from arc_core import Agent, Limits, tool


@tool
async def count() -> int:
    """Counts."""
    return 1


def write() -> str:
    """Writes instructions."""
    return ""


def told(agent: Agent, **settings: Any) -> dict[str, tuple[str, str]]:
    """What holds for an agent that was registered in code."""
    entry = AgentEntry(agent=agent, origin="code")
    choices = list_choices(entry, ArcSettings(_isolated=True, **settings))
    return {each.what: (each.value, each.origin) for each in choices}


def test_what_an_agent_says_is_its_own() -> None:
    """Functions and tools by their names."""
    choices = told(Agent("x", instructions=write, model="m", tools=[count, "find_*"], output=int))

    assert choices["instructions"] == ("written by write", "code")
    assert choices["model"] == ("m", "code")
    assert choices["tools"] == ("count, find_*", "code")
    assert choices["output"] == ("int", "code")


def test_what_it_leaves_open_is_that_of_the_settings() -> None:
    """With the key, and where it is set."""
    choices = told(Agent("x"), llm={"system_prompt": "Be kind.", "model": "m"})

    place = "keyword argument llm"
    assert choices["instructions"] == ("Be kind.", f"llm.system_prompt ({place}.system_prompt)")
    assert choices["model"] == ("m", f"llm.model ({place}.model)")
    assert choices["tools"][0] == "all"


def test_of_limits_the_smallest_is_told() -> None:
    """The command, the agent or the settings."""
    agent = Agent("x", limits=Limits(max_tool_calls=7, deadline_s=90))

    choices = told(agent, limits={"max_tool_calls": 8}, concurrency={"request_timeout_s": 0})

    assert choices["max_tool_calls"] == ("7", "code")
    assert choices["deadline_s"] == ("90", "code")
    assert told(agent, concurrency={"request_timeout_s": 30})["deadline_s"][0] == "30.0"
    assert told(Agent("x"), concurrency={"request_timeout_s": 0})["deadline_s"][0] == "none"
