"""Every tool is offered."""

from arc_core import ToolSelector, tool
from arc_core.testing.conformance.tools.tool_selector import ToolSelectorConformance
from arc_plugins.selectors.all_tools import AllToolSelector


@tool
def first() -> str:
    """One."""
    return "1"


@tool
def second() -> str:
    """Two."""
    return "2"


class TestConformance(ToolSelectorConformance):
    """It is a selector like any other."""

    def make_selector(self) -> ToolSelector:
        return AllToolSelector()


async def test_all_tools_are_selected_in_their_order() -> None:
    """Whatever is asked, nothing is left out or moved."""
    assert list(await AllToolSelector().select("anything", [second, first])) == [second, first]
