"""Which tools of an application are local."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arc_autoconfig import Application
from arc_core import (
    Tool,
    ToolSelector,
    tool,
)
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.installed import PackageIndex


@tool
async def get_weather(city: str) -> str:
    """Current weather of a city.

    Args:
        city: Its name.
    """
    return f"Sunny in {city}"


class NoTools(ToolSelector):
    """Chooses nothing, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        self.asked = [each.name for each in tools]
        return ()


class Lamp(Tool):
    """A tool that is written by hand."""

    name, description, timeout_s = "lamp", "Switch it.", None
    parameters: Mapping[str, Any] = {"type": "object"}

    async def call(self, arguments: Mapping[str, Any], context: object) -> object:
        return "on"


_MANY_TOOLS = """
    from arc_core import Tool, hookimpl, tool

    @hookimpl
    def arc_register(registry):
        for number in range(41):
            @tool(name=f"plugins_{number}")
            async def brought() -> str:
                "Do something."
                return ""
            registry.contribute(Tool, brought)
"""


@pytest.mark.slow
async def test_tools_are_local_that_are_registered_in_code(packages: PackageIndex) -> None:
    """However they are made: those of plugins are for the selector, and never crowd them out."""
    packages.install("acme-arc", modules={"acme": _MANY_TOOLS}, arc={"acme": "acme"})
    model, selector = ScriptedChatModel(["answer"]), NoTools()

    async with Application(register=[get_weather, Lamp(), model, selector]) as app:
        await app.execute("hi")

    assert [each.name for each in model.requests[0].tools] == ["get_weather", "lamp"]
    assert len(selector.asked) == 41


async def test_tools_of_an_override_are_local() -> None:
    """A program that replaces all tools has registered them itself."""
    model, selector = ScriptedChatModel(["answer"]), NoTools()
    app = Application(register=[model, selector])
    app.container.tools.override([get_weather, Lamp()])

    async with app:
        await app.execute("hi")

    assert [each.name for each in model.requests[0].tools] == ["get_weather", "lamp"]
