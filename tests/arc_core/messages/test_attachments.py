"""Attachments of messages are found, replaced, and dropped if they are large."""

import pytest

from arc_core import (
    AssistantMessage,
    Attachment,
    Message,
    Text,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.messages.attachments import attachments_in, drop_large, replace_attachments

SMALL = Attachment("image/png", data=b"1234", name="small.png")
LARGE = Attachment("image/png", data=b"12345", name="large.png")
LINK = Attachment("image/png", url="https://example.com/a.png")
LINE = "\n[Attachment that was not kept: large.png, image/png, 5 bytes]"


def test_attachments_of_questions_and_tool_results_are_found() -> None:
    """In their order."""
    results = (
        ToolResult("1", "a", (SMALL,)),
        ToolResult("2", "b", "x"),
        ToolResult("3", "c", (LINK,)),
    )

    assert attachments_in(UserMessage((LARGE, Text("x"), SMALL))) == (LARGE, SMALL)
    assert attachments_in(ToolResultMessage(results)) == (SMALL, LINK)


@pytest.mark.parametrize(
    "message", [UserMessage("x"), UserMessage((Text("x"),)), AssistantMessage("x")]
)
def test_a_message_without_attachments_is_itself(message: Message) -> None:
    """Chat models keep what they make of the very object."""
    assert replace_attachments(message, lambda each: each) is message


def test_a_large_attachment_becomes_a_line() -> None:
    """With its name, its kind and its size; addresses and small ones stay."""
    message = UserMessage((Text("Look"), LARGE, LINK, SMALL))

    kept = drop_large(message, max_bytes=4)

    assert kept == UserMessage((Text("Look"), Text(LINE), LINK, SMALL))


def test_content_without_attachments_left_is_a_text() -> None:
    """As if it had had none."""
    assert drop_large(UserMessage((Text("Look"), LARGE)), max_bytes=4) == UserMessage(f"Look{LINE}")


def test_large_attachments_of_tool_results_become_lines() -> None:
    """The other results are left alone."""
    other = ToolResult("2", "b", (Text("x"),))
    message = ToolResultMessage((ToolResult("1", "a", (LARGE,)), other))

    assert drop_large(message, max_bytes=4) == ToolResultMessage(
        (ToolResult("1", "a", LINE), other)
    )


def test_a_message_with_small_attachments_is_itself() -> None:
    """Exactly so many bytes are not too many."""
    message = UserMessage((SMALL, LINK))

    assert drop_large(message, max_bytes=4) is message
