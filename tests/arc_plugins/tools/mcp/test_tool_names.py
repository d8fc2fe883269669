"""Names for the model."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_plugins.tools.mcp.tool import get_qualifier, names_for


def test_a_name_of_one_server_stays() -> None:
    """Nothing is put in front of what is unique and acceptable."""
    assert names_for({"files": ["read"], "web": ["search"]}) == {
        ("files", "read"): "read",
        ("web", "search"): "search",
    }


def test_a_name_of_two_servers_is_the_first_ones() -> None:
    """No tool is renamed: a hook that blocks a name blocks every tool that is offered by it."""
    names = names_for({"files": ["search"], "web": ["search", "fetch"]})

    assert names == {("files", "search"): "search", ("web", "fetch"): "fetch"}


def test_a_name_does_not_depend_on_other_servers() -> None:
    """A name that vendors refuse becomes the same one beside any other server."""
    alone = names_for({"web": ["날씨"]})
    beside = names_for({"files": ["search"], "web": ["날씨"]})

    assert beside["web", "날씨"] == alone["web", "날씨"]


@pytest.mark.slow
@given(
    st.dictionaries(st.text(max_size=70), st.lists(st.text(max_size=70), unique=True), max_size=4)
)
def test_names_are_unique_and_acceptable(listed: dict[str, list[str]]) -> None:
    """Whatever servers call their tools, vendors take every name that is offered, each once."""
    names = names_for(listed)

    assert len(set(names.values())) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names.values())


def test_agents_name_a_tool_with_its_server() -> None:
    """Whatever the model calls it."""
    assert get_qualifier("shop") == "mcp:shop/"
