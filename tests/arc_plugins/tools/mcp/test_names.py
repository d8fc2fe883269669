"""Names for the model."""

import re

from hypothesis import given
from hypothesis import strategies as st

from arc_plugins.tools.mcp.names import names_for


def test_a_name_of_one_server_stays() -> None:
    """Nothing is put in front of what is unique and acceptable."""
    assert names_for({"files": ["read"], "web": ["search"]}) == {
        ("files", "read"): "read",
        ("web", "search"): "search",
    }


def test_a_name_of_two_servers_gets_theirs_in_front() -> None:
    """Both change, so that the order of the servers does not matter."""
    names = names_for({"files": ["search"], "web": ["search"]})

    assert list(names.values()) == ["files_search", "web_search"]


@given(
    st.dictionaries(st.text(max_size=70), st.lists(st.text(max_size=70), unique=True), max_size=4)
)
def test_names_are_unique_and_acceptable(listed: dict[str, list[str]]) -> None:
    """Whatever servers call their tools, every tool gets a name, and vendors take it."""
    names = names_for(listed)

    assert set(names) == {(server, name) for server in listed for name in listed[server]}
    assert len(set(names.values())) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names.values())
