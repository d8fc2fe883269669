"""The names of tools by source, cut with a count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import Tool, tool
from arc_plugins.selectors.lexical.search import write_catalogue
from tests.arc_plugins.selectors.tools import DescribedTool


class ServerTool(DescribedTool):
    """A tool of a server."""

    def __init__(self, server: str, name: str) -> None:
        super().__init__(name, category="ignored")
        self.qualified_name = f"mcp:{server}/{name}"


def lines(tools: list[Tool], max_tokens: int = 10_000) -> list[str]:
    """Without the heading; a character is a token."""
    return write_catalogue(tools, max_tokens=max_tokens, estimate=len).splitlines()[2:]


def test_tools_stand_with_their_source() -> None:
    """The server, else the category, else the package; all in alphabetical order."""
    found = tool(name="plain")(lambda: "done")
    tools = [
        ServerTool("shop", "pay"), DescribedTool("send", category="mail"),
        ServerTool("shop", "find"), found,
    ]  # fmt: skip

    assert lines([*tools]) == ["mail: send", "mcp:shop: find, pay", "tests: plain"]
    assert lines([*tools[::-1]]) == lines([*tools])


def test_the_heading_says_how_many_there_are() -> None:
    """And how they are found and called."""
    text = write_catalogue([DescribedTool("a"), DescribedTool("b")], max_tokens=999, estimate=len)

    assert "There are 2 more tools" in text
    assert "find_tools" in text
    assert "use_tool" in text


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (90, ["a: a_0, a_1, … and 38 more", "b: b_0, b_1, … and 38 more"]),
        (30, ["a: 40 tools", "b: 40 tools"]),
    ],
)
def test_what_does_not_fit_is_counted(room: int, expected: list[str]) -> None:
    """Names of each source in turn; then sources."""
    tools = [
        DescribedTool(f"{source}_{number}", category=source)
        for source in ("a", "b")
        for number in range(40)
    ]
    heading = len(write_catalogue(tools, max_tokens=10_000, estimate=len).split("\na:")[0])

    found = lines([*tools], heading + room)

    assert [each.split(",")[0] for each in found] == [each.split(",")[0] for each in expected]


def test_sources_that_do_not_fit_are_counted() -> None:
    """The first ones are there."""
    tools = [DescribedTool(f"tool_{number}", category=f"s{number:02}") for number in range(99)]

    found = lines([*tools], 300)

    assert found[0] == "s00: tool_0"
    assert found[-1] == f"… and {99 - len(found) + 1} more sources with {99 - len(found) + 1} tools"


@given(st.dictionaries(st.text(max_size=8), st.integers(1, 30), max_size=30), st.integers(0, 900))
def test_it_is_never_too_long(sources: dict[str, int], max_tokens: int) -> None:
    """Whatever the sources are called, and however many tools they have."""
    tools = [
        DescribedTool(f"tool_{number}", category=source)
        for source, count in sources.items()
        for number in range(count)
    ]

    assert len(write_catalogue(tools, max_tokens=max_tokens, estimate=len)) <= max_tokens
