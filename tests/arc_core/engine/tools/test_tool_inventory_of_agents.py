"""Which tools an agent may call."""

from collections.abc import Sequence

import pytest

from arc_core import Agent, ConfigurationError, FunctionTool, Tool, tool
from arc_core.engine.tools.tool_inventory import AgentTools, Inventory, check_tools


def named(name: str, *, qualified: str = "") -> FunctionTool:
    """A tool of a name."""

    @tool(name=name)
    async def function() -> str:
        """Does something."""
        return name

    if qualified:
        vars(function)["qualified_name"] = qualified
    return function


LOCAL, PLAIN = named("count"), named("find_order")
REMOTE = named("search", qualified="mcp:shop/search")
SHADOWED = named("search", qualified="mcp:bank/search")
INVENTORY = Inventory(
    local=(LOCAL,), selectable={each.name: each for each in (PLAIN, REMOTE)}, by_place=(SHADOWED,)
)


class Shop:
    """A source of tools whose server is down."""

    qualifiers = ("mcp:shop/",)

    def tools(self) -> Sequence[Tool]:
        return ()


@pytest.mark.parametrize(
    ("tools", "seen"),
    [
        (None, ["count", "find_order", "search"]),
        ([], []),
        (["find_order"], ["find_order"]),
        (["find_*"], ["find_order"]),
        (["mcp:shop/*"], ["search"]),
        (["mcp:shop/search", "count"], ["count", "search"]),
        (["mcp:other/*"], []),
    ],
)
def test_an_agent_sees_what_it_names(tools: list[str] | None, seen: list[str]) -> None:
    """By the tool's name, by a pattern, or by the server's name."""
    view = AgentTools(Agent("refunds", tools=tools)).among(INVENTORY)

    assert [*(each.name for each in view.local), *view.selectable] == seen


@pytest.mark.parametrize(
    ("tools", "search"),
    [
        (None, REMOTE),
        (["search"], REMOTE),
        (["*"], REMOTE),
        (["mcp:shop/search"], REMOTE),
        (["mcp:bank/search"], SHADOWED),
        (["mcp:bank/*", "mcp:shop/*"], SHADOWED),
        (["mcp:shop/*", "mcp:bank/*"], REMOTE),
        (["mcp:*/search"], REMOTE),
    ],
)
def test_a_pattern_that_names_a_server_means_its_tool(
    tools: list[str] | None, search: Tool
) -> None:
    """Also if another server has a tool of the name; the one that is named first counts."""
    view = AgentTools(Agent("refunds", tools=tools)).among(INVENTORY)

    assert view.selectable["search"] is search
    check_tools(Agent("refunds", tools=tools), INVENTORY, [])


def test_a_pattern_that_adds_no_tool_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    """Since another server's tool would be called in its place, unnoticed."""
    AgentTools(Agent("refunds", tools=["search", "mcp:bank/search"])).among(INVENTORY)

    assert [getattr(each, "named", "") for each in caplog.records] == ["mcp:bank/search"]


def test_a_tool_of_its_own_goes_before_a_wired_one_of_its_name() -> None:
    """And is always offered."""
    own = named("find_order")

    view = AgentTools(Agent("refunds", tools=[own, "find_order"[:4] + "*"])).among(INVENTORY)

    assert view.local == (own,)
    assert view.selectable == {}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("find_ordr", "does not exist"),
        ("fnd_*", "fits none"),
        ("mcp:shopp/search", "does not exist"),
    ],
)
def test_a_tool_that_does_not_exist_is_an_error(name: str, problem: str) -> None:
    """With the agent, the name, and what there is."""
    with pytest.raises(ConfigurationError, match=problem) as raised:
        check_tools(Agent("refunds", tools=[name]), INVENTORY, [Shop()])

    assert "agent 'refunds'" in str(raised.value)
    assert "find_order" in str(raised.value)


def test_the_nearest_name_is_proposed() -> None:
    """As for every other name."""
    with pytest.raises(ConfigurationError, match="write 'find_order'"):
        check_tools(Agent("refunds", tools=["find_ordr"]), INVENTORY, [])


def test_a_tool_of_a_server_may_come_later() -> None:
    """A server that is down does not stop the start."""
    check_tools(Agent("refunds", tools=["mcp:shop/find", "mcp:shop/*"]), INVENTORY, [Shop()])
