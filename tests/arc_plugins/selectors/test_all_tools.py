"""Every tool is offered."""

from arc_core import tool
from arc_plugins.selectors.all_tools import AllToolSelector


@tool
def first() -> str:
    """One."""
    return "1"


@tool
def second() -> str:
    """Two."""
    return "2"


async def test_all_tools_are_selected_in_their_order() -> None:
    """Whatever is asked, nothing is left out or moved."""
    assert list(await AllToolSelector().select("anything", [second, first])) == [second, first]
