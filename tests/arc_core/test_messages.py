"""Messages: values that are compared, shared and weakly referenced."""

import weakref
from dataclasses import FrozenInstanceError
from typing import get_args

import pytest

from arc_core import messages

MESSAGES = [
    messages.SystemMessage("Be brief."),
    messages.UserMessage("Hello"),
    messages.AssistantMessage("", (messages.ToolCall("c1", "add", "{}"),)),
    messages.ToolResultMessage((messages.ToolResult("c1", "add", "3"),)),
]


def test_the_examples_are_all_kinds_of_messages() -> None:
    """Each class of the union stands among the examples of these tests."""
    assert {type(message) for message in MESSAGES} == set(get_args(messages.Message))


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_may_be_weakly_referenced(message: messages.Message) -> None:
    """Token counts can be kept beside a message without keeping it alive."""
    assert weakref.ref(message)() is message


def test_messages_of_one_text_differ_by_class() -> None:
    """The same text said by different people is not the same message."""
    assert (
        len(
            {
                messages.SystemMessage("Hi"),
                messages.UserMessage("Hi"),
                messages.AssistantMessage("Hi"),
            }
        )
        == 3
    )


def test_messages_are_equal_by_value() -> None:
    """A message read back from a store equals the one that was saved."""
    assert messages.UserMessage("Hi") == messages.UserMessage("Hi")
    assert messages.ToolResult("c1", "add", "3") == messages.ToolResult(
        "c1", "add", "3", messages.ToolOutcome.SUCCESS
    )


def test_messages_do_not_change() -> None:
    """A message may be shared between runs, because it cannot be changed."""
    with pytest.raises(FrozenInstanceError):
        messages.UserMessage("Hi").content = "Bye"  # type: ignore[misc]
