"""From a server's result to texts and attachments."""

import mcp_types as types
import pytest

from arc_core import Attachment
from arc_plugins.tools.mcp.calls.results import find_result_flaw, read_result


def test_images_are_attachments_in_their_place() -> None:
    """Texts before and behind them stay texts, those that follow each other are one."""
    result = types.CallToolResult(
        content=[
            types.TextContent(text="Sunny."),
            types.ImageContent(data="aGk=", mime_type="image/png"),
            types.TextContent(text="And"),
            types.TextContent(text="warm."),
        ]
    )

    image = Attachment("image/png", data=b"hi")
    assert read_result(result, max_chars=100) == ("Sunny.", image, "And\nwarm.")


def test_sounds_and_documents_are_attachments() -> None:
    """A sound, and what is embedded as bytes, which has the name of its address."""
    resource = types.BlobResourceContents(
        uri="file:///a/report.pdf", mime_type="application/pdf", blob="aGk="
    )
    result = types.CallToolResult(
        content=[
            types.AudioContent(data="aGk=", mime_type="audio/wav; rate=16000"),
            types.EmbeddedResource(resource=resource),
        ]
    )

    assert read_result(result, max_chars=100) == (
        Attachment("audio/wav", data=b"hi"),
        Attachment("application/pdf", data=b"hi", name="report.pdf"),
    )


def test_links_are_text() -> None:
    """The name and the address; nothing is fetched."""
    link = types.ResourceLink(name="Report", uri="file:///report")

    assert read_result(types.CallToolResult(content=[link]), max_chars=100) == (
        "[Report: file:///report]"
    )


@pytest.mark.parametrize(
    "image",
    [
        types.ImageContent(data="not base64!", mime_type="image/png"),
        types.ImageContent(data="", mime_type="image/png"),
        types.ImageContent(data="aGk=", mime_type="nonsense"),
    ],
)
def test_an_image_that_cannot_be_read_becomes_a_note(image: types.ImageContent) -> None:
    """The rest of the result stays."""
    result = types.CallToolResult(content=[types.TextContent(text="Sunny."), image])

    assert read_result(result, max_chars=100) == "Sunny.\n[image: unreadable]"


def test_structure_without_text_becomes_json() -> None:
    """A result may have nothing but structured content."""
    result = types.CallToolResult(content=[], structured_content={"날씨": "맑음"})

    assert read_result(result, max_chars=100) == '{"날씨":"맑음"}'


def test_a_long_text_is_cut() -> None:
    """One character more than the bound shows that there was more."""
    result = types.CallToolResult(content=[types.TextContent(text="x" * 50)] * 3)

    assert read_result(result, max_chars=10) == "x" * 11


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("structure", "flaw"),
    [
        ({"n": 1}, None),
        ({"n": "one"}, "is not of type"),
        ({}, "'n' is a required property"),
        (None, "there is no structured content"),
    ],
)
async def test_a_structure_is_checked_by_its_schema(structure: object, flaw: str | None) -> None:
    """What is wrong is said with its place."""
    result = types.CallToolResult.model_validate({"content": [], "structuredContent": structure})

    found = await find_result_flaw(result, SCHEMA)

    assert found is None if flaw is None else flaw in str(found)


async def test_without_a_schema_nothing_is_checked() -> None:
    """A tool that declares none may answer with anything."""
    assert await find_result_flaw(types.CallToolResult(content=[]), None) is None
