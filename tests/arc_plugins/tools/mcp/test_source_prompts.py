"""Prompts of a real server, and what it says of its own use."""

import json
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import Agent, prompt_instructions
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_plugins.tools.mcp.test_source import child


async def ask(agent: Agent | None = None, **settings: Any) -> str:
    """The system prompt of a run with the server."""
    model = ScriptedChatModel(["Done."])
    register = [model] if agent is None else [model, agent]
    async with Application(ArcSettings(**settings), register=register) as app:
        await app.execute("Hello", agent=None if agent is None else agent.name)
    return model.requests[0].system_prompt or ""


@pytest.mark.slow
async def test_a_prompt_is_the_instructions_of_an_agent() -> None:
    """The server writes it with the arguments that the program gives."""
    instructions = prompt_instructions("mcp:shop/refunds", {"tone": "kind"})

    text = await ask(
        Agent("refunds", instructions=instructions),
        mcp={"servers": {"shop": child("shop", "resources")}},
    )

    assert text == "Decide about refunds. Be kind."


@pytest.mark.slow
async def test_an_agent_of_the_settings_names_a_prompt() -> None:
    """It needs no code."""
    text = await ask(
        mcp={"servers": {"shop": child("shop", "resources")}},
        agents={"default": {"prompt": "mcp:shop/refunds"}},
    )

    assert text == "Decide about refunds. Be brief."


@pytest.mark.slow
@pytest.mark.parametrize(("wanted", "times"), [(True, 1), (False, 0)])
async def test_a_server_speaks_in_the_system_prompt_if_it_may(*, wanted: bool, times: int) -> None:
    """Once, however many tools it has."""
    server = child("shop", "resources", instructions=wanted)

    text = await ask(mcp={"servers": {"shop": server}}, llm={"system_prompt": "Be kind."})

    assert text.startswith("Be kind.")
    assert text.count("Read the notes of shop first.") == times


@pytest.mark.slow
def test_the_command_lists_prompts() -> None:
    """By the names that agents may have."""
    servers = json.dumps({"shop": child("shop", "resources")})

    result = invoke("mcp", "prompts", "--json", "--set", f"mcp.servers={servers}")

    assert json.loads(result.stdout) == [
        {
            "name": "mcp:shop/refunds",
            "description": "On refunds.",
            "arguments": ["tone"],
            "required": [],
        }
    ]
