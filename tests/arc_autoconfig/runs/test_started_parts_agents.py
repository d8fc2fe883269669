"""Which agents a started application knows."""

import pytest

from arc_autoconfig.errors import ComponentError, UnknownNameError
from arc_autoconfig.runs.started_parts import WiredAgents
from arc_core import Agent, AgentCommand, ResponseFormat

REFUNDS = Agent("refunds", output=int)


def test_the_wired_ones_and_the_default_one_are_known() -> None:
    """By name, and by what they say."""
    agents = WiredAgents([REFUNDS])

    for known in ("refunds", Agent("refunds", output=int), "default"):
        agents.check(known)


@pytest.mark.parametrize("asked", ["refund", Agent("refund")])
def test_an_unknown_one_is_an_error_with_the_nearest_name(asked: Agent | str) -> None:
    """And all that there are."""
    with pytest.raises(UnknownNameError, match="write 'refunds'"):
        WiredAgents([REFUNDS]).check(asked)


def test_another_agent_of_the_name_is_not_run_in_its_place() -> None:
    """An agent that was changed after the start, for one."""
    with pytest.raises(ComponentError, match="register it"):
        WiredAgents([REFUNDS]).check(Agent("refunds", model="careful"))


def test_a_command_with_a_schema_keeps_it() -> None:
    """Else it gets that of its agent."""
    agents = WiredAgents([REFUNDS])
    command = AgentCommand(user_prompt="Hi", agent="refunds")
    asked = AgentCommand(
        user_prompt="Hi", agent="refunds", response_format=ResponseFormat.YAML, response_schema=str
    )

    assert agents.with_output(command).response_schema is int
    assert agents.with_output(asked) is asked
