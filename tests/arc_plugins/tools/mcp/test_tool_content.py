"""From a server's result to text."""

import mcp_types as types

from arc_plugins.tools.mcp.tool import join_text


def test_what_is_not_text_becomes_a_note() -> None:
    """Texts stay, of others it is said that they were there."""
    result = types.CallToolResult(
        content=[
            types.TextContent(text="Sunny."),
            types.ImageContent(data="aGk=", mime_type="image/png"),
        ]
    )

    assert join_text(result, max_chars=100) == "Sunny.\n[image: not a text]"


def test_structure_without_text_becomes_json() -> None:
    """A result may have nothing but structured content."""
    result = types.CallToolResult(content=[], structured_content={"날씨": "맑음"})

    assert join_text(result, max_chars=100) == '{"날씨":"맑음"}'


def test_a_long_text_is_cut() -> None:
    """One character more than the bound shows that there was more."""
    result = types.CallToolResult(content=[types.TextContent(text="x" * 50)] * 3)

    assert join_text(result, max_chars=10) == "x" * 11
