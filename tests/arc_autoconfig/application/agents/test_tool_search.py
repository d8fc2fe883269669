"""An application whose model finds tools on the way."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentErrorCode, AgentResult, Inject, ToolCall, tool
from arc_core.testing import ScriptedChatModel

USE = ToolCall("1", "use_tool", json.dumps({"name": "greet", "arguments": {}}))


@dataclass(frozen=True)
class CurrentUser:
    """Of the caller's own."""

    name: str


@tool
async def greet(user: Inject[CurrentUser]) -> str:
    """Greets the user."""
    return f"Hello {user.name}."


@tool(always_offered=True)
async def clock() -> str:
    """The time."""
    return "noon"


async def run(*register: Any, **options: Any) -> tuple[AgentResult, ScriptedChatModel]:
    """The result of a run that greets."""
    model = ScriptedChatModel([[USE], "Done."])
    settings = ArcSettings(_isolated=True, tools={"selector": "search", "builtin": []})
    async with Application(settings, register=[*register, model]) as app:
        return await app.execute("Hi.", **options), model


async def test_the_setting_gives_the_model_a_search() -> None:
    """Tools in code are found as those of packages are; the catalogue has their package."""
    result, model = await run(greet, clock, deps=CurrentUser("Ann"))

    assert result.tools_used == ("greet",)
    request = model.requests[0]
    assert [each.name for each in request.tools] == ["clock", "find_tools", "use_tool"]
    assert (request.system_prompt or "").endswith("\ntests: greet")


@pytest.mark.parametrize("deps", [None, "ann"])
async def test_what_a_tool_needs_is_asked_for_before_it_is_found(deps: object) -> None:
    """A run that may call a tool gives what that needs, whether it is offered or not."""
    result, model = await run(greet, deps=deps)

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert "greet" in (result.error_message or "")
    assert model.requests == []
