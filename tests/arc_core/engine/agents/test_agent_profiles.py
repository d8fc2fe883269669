"""What agents fill in of commands."""

from typing import Any

import pytest

from arc_core import Agent, AgentCommand, ConfigurationError, Limits, ResponseFormat
from arc_core.engine.agents.agent_profiles import AgentProfiles

REFUNDS = Agent(
    "refunds",
    instructions="You decide.",
    model="careful",
    output=list[int],
    limits=Limits(max_tool_calls=5, deadline_s=9),
)


def accepted(command: AgentCommand, *agents: Agent[Any], limits: Limits | None = None) -> Any:
    """The command as a run has it."""
    return AgentProfiles(agents, limits=limits or Limits()).accept(command)


def test_an_agent_fills_in_what_a_command_leaves_open() -> None:
    """Instructions, model, output and limits."""
    command = accepted(AgentCommand(user_prompt="Hi", agent="refunds"), REFUNDS)

    assert (command.system_prompt, command.model) == ("You decide.", "careful")
    assert (command.response_format, command.response_schema) == (ResponseFormat.JSON, list[int])
    assert command.limits == Limits(max_tool_calls=5, deadline_s=9)


def test_what_a_command_says_wins() -> None:
    """Field by field."""
    asked = AgentCommand(
        user_prompt="Hi", agent="refunds", system_prompt="", model="quick",
        response_format=ResponseFormat.YAML, response_schema=int,
    )  # fmt: skip

    command = accepted(asked, REFUNDS)

    assert (command.system_prompt, command.model) == ("", "quick")
    assert (command.response_format, command.response_schema) == (ResponseFormat.YAML, int)


def test_the_smallest_limit_of_command_agent_and_settings_holds() -> None:
    """The command, the agent or the settings."""
    asked = AgentCommand(user_prompt="Hi", agent="refunds", limits=Limits(max_tool_calls=2))

    command = accepted(asked, REFUNDS, limits=Limits(max_tool_calls=3, deadline_s=4))

    assert command.limits == Limits(max_tool_calls=2, deadline_s=4)


def test_without_limits_a_command_has_none() -> None:
    """So that no turn looks for any."""
    command = accepted(AgentCommand(user_prompt="Hi", agent="x"), Agent("x"))

    assert command.limits is None


def test_without_agents_a_command_stays_the_same_object() -> None:
    """It costs nothing."""
    command = AgentCommand(user_prompt="Hi")

    assert accepted(command) is command
    assert accepted(command, REFUNDS) is command


def test_an_agent_called_default_answers_commands_that_name_none() -> None:
    """In the place of what the settings describe."""
    command = accepted(AgentCommand(user_prompt="Hi"), Agent("default", instructions="You decide."))

    assert (command.agent, command.system_prompt) == ("default", "You decide.")


def test_two_agents_of_one_name_are_refused() -> None:
    """The error says the name."""
    with pytest.raises(ConfigurationError, match="two agents are called 'refunds'"):
        AgentProfiles([REFUNDS, Agent("refunds")], limits=Limits())
