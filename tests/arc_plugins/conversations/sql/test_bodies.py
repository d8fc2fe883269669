"""Messages come back from their rows as they were, also from those of version 0.1."""

import pytest

pytest.importorskip("sqlalchemy", reason="needs the extra sql")
from hypothesis import given

from arc_core import (
    ArcError,
    AssistantMessage,
    Attachment,
    Message,
    SystemMessage,
    Text,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_plugins.conversations.sql.bodies import MessageBody, decode, encode, hashes_in, json_text
from tests.arc_core.forms.values import MESSAGES, TEXTS

PICTURE = Attachment("image/png", data=b"\x89PNG", name="a.png")
LINK = Attachment("image/png", url="https://example.com/b.png")


@pytest.mark.slow
@given(MESSAGES)
def test_a_message_comes_back_as_it_was(message: Message) -> None:
    """Kind, fields, bytes, and whatever characters are in them."""
    stored = encode(message)

    back = decode(stored.body, stored.data)

    assert type(back) is type(message)
    assert back == message


@given(TEXTS)
def test_any_text_becomes_one_that_databases_take(value: str) -> None:
    """UTF-8 without the null character, which PostgreSQL refuses."""
    assert b"\x00" not in json_text(value).encode()


def test_the_bytes_of_attachments_are_kept_once() -> None:
    """By their hash, beside the row; addresses stay in it."""
    message = UserMessage((Text("Look"), PICTURE, LINK, PICTURE))

    stored = encode(message)

    assert list(stored.data.values()) == [b"\x89PNG"]
    assert hashes_in(stored.body) == set(stored.data)
    assert "data" not in stored.body.text


def test_attachments_of_tool_results_are_kept() -> None:
    """A tool may answer with a picture."""
    message = ToolResultMessage((ToolResult("1", "draw", (PICTURE,)), ToolResult("2", "say", "x")))
    stored = encode(message)

    assert decode(stored.body, stored.data) == message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"role":"user","content":"안녕"}', UserMessage("안녕")),
        ('{"role":"user","content":"\\ud800"}', UserMessage("\ud800")),
        ('{"role":"system","content":"note"}', SystemMessage("note")),
        (
            (
                '{"role":"assistant","content":"","tool_calls":[["1","find","{"],["","go",""]],'
                '"vendor_content":[{"type":"thinking","signature":"E/+=","b":1,"a":2}]}'
            ),
            AssistantMessage(
                "",
                (ToolCall("1", "find", "{"), ToolCall("", "go", "")),
                vendor_content=[{"type": "thinking", "signature": "E/+=", "b": 1, "a": 2}],
            ),
        ),
        (
            '{"role":"tool","results":[["1","find","no","failed"]]}',
            ToolResultMessage((ToolResult("1", "find", "no", ToolOutcome.FAILED),)),
        ),
    ],
)
def test_a_body_of_the_first_version_is_read(body: str, message: Message) -> None:
    """As its code wrote it."""
    assert decode(MessageBody(body), {}) == message


@pytest.mark.parametrize(
    "body",
    [
        *("{}", "[]", "no json", '{"role":"robot"}', '{"role":"user"}'),
        *('{"v":2,"type":"user_message","content":"x"}', '{"v":1,"type":"text","text":"x"}'),
    ],
)
def test_an_unknown_form_is_an_error(body: str) -> None:
    """It is not guessed at."""
    with pytest.raises((ValueError, ArcError)):
        decode(MessageBody(body), {})
