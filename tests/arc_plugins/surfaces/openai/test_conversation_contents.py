"""From parts of messages to texts and attachments."""

import base64
from typing import Any

import pytest
from pydantic import TypeAdapter

from arc_core import Attachment, Text
from arc_core.serving import Problem
from arc_plugins.surfaces.openai.conversation import Parts, read_content, text_of_parts

PNG = b"\x89PNG\r\n\x1a\nrest"
DATA = base64.b64encode(PNG).decode()
ATTACHED: list[tuple[dict[str, Any], Attachment]] = [
    (
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}},
        Attachment("image/png", PNG),
    ),
    ({"type": "image_url", "image_url": f"DATA:;base64,{DATA}"}, Attachment("image/png", PNG)),
    (
        {"type": "input_image", "image_url": "https://example.com/a.gif"},
        Attachment("image/gif", url="https://example.com/a.gif", name="a.gif"),
    ),
    (
        {"type": "input_image", "image_url": "https://example.com/"},
        Attachment("image/jpeg", url="https://example.com/"),
    ),
    (
        {"type": "file", "file": {"file_data": "aGk=", "filename": "a.txt"}},
        Attachment("text/plain", b"hi", name="a.txt"),
    ),
    (
        {"type": "input_file", "file_data": "data:text/csv;charset=utf-8;base64,aGk="},
        Attachment("text/csv", b"hi"),
    ),
    (
        {"type": "input_file", "file_url": "https://example.com/paper"},
        Attachment("application/pdf", url="https://example.com/paper", name="paper"),
    ),
    (
        {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
        Attachment("audio/wav", b"hi"),
    ),
]
BROKEN: list[tuple[dict[str, Any], str, str]] = [
    ({"type": "text"}, "content[0].text", "is missing"),
    ({"type": "refusal"}, "content[0].refusal", "is missing"),
    ({"type": "image_url"}, "content[0].image_url", "is missing"),
    ({"type": "input_file"}, "content[0].file_data", "is missing"),
    ({"type": "file", "file": {}}, "content[0].file.file_data", "is missing"),
    ({"type": "file", "file": {"file_id": "f"}}, "content[0].file_id", "Files are not kept"),
    ({"type": "input_image", "file_id": "f"}, "content[0].file_id", "Files are not kept"),
    ({"type": "image_url", "image_url": "data:image/png,x"}, "content[0].image_url", "not a data:"),
    (
        {"type": "image_url", "image_url": "data:image/png;base64,*"},
        "content[0].image_url",
        "is not base64",
    ),
    ({"type": "image_url", "image_url": "data:image/png;base64,"}, "content[0]", "it is empty"),
    ({"type": "image_url", "image_url": "ftp://example.com/a.png"}, "content[0]", "http and https"),
    ({"type": "image_url", "image_url": "https://me:pw@example.com/a"}, "content[0]", "credential"),
    ({"type": "file", "file": {"file_data": "AA=="}}, "content[0]", "tell what it is"),
    (
        {"type": "input_audio", "input_audio": {"data": "é", "format": "wav"}},
        "content[0].input_audio.data",
        "is not base64",
    ),
]


def parts_of(content: object) -> Parts:
    """The parts of a content, as a body has it."""
    found: Parts = TypeAdapter(Parts).validate_python(content)
    return found


@pytest.mark.parametrize(("part", "expected"), ATTACHED)
def test_what_is_attached_becomes_an_attachment(part: dict[str, Any], expected: Attachment) -> None:
    """Behind the text that stands before it."""
    found = read_content(parts_of([{"type": "text", "text": "Look."}, part]), "content")

    assert found == (Text("Look."), expected)


@pytest.mark.parametrize(("part", "param", "message"), BROKEN)
def test_what_cannot_be_attached_is_named(part: dict[str, Any], param: str, message: str) -> None:
    """With its place, and without a secret."""
    with pytest.raises(Problem) as raised:
        read_content(parts_of([part]), "content")

    assert (raised.value.status, raised.value.param) == (422, param)
    assert message in raised.value.message
    assert "pw" not in raised.value.message


def test_texts_stay_texts() -> None:
    """One or several; a refusal is a text, too."""
    refusal = {"type": "refusal", "refusal": "no"}

    assert read_content(parts_of("hi"), "content") == "hi"
    assert read_content(parts_of([{"type": "input_text", "text": "a"}, refusal]), "c") == "a\nno"
    assert read_content(parts_of(None), "content") == ""


def test_a_text_has_nothing_attached() -> None:
    """As of the system."""
    with pytest.raises(Problem, match="may have texts only"):
        text_of_parts(parts_of([ATTACHED[0][0]]), "messages[0].content")
