"""A session is called by the beginning of its first question."""

import pytest

from arc_core import AssistantMessage, Attachment, Message, Text, UserMessage
from arc_core.messages.sessions import MAX_TITLE_CHARS, title_of

_PICTURE = Attachment("image/png", data=b"x", name="menu.png")


@pytest.mark.parametrize(
    ("message", "title"),
    [
        (UserMessage("  What\n\nis it?\t"), "What is it?"),
        (UserMessage((Text("Look"), _PICTURE)), "Look"),
        (UserMessage((_PICTURE,)), "menu.png"),
        (UserMessage((Attachment("image/png", data=b"x"),)), "image/png"),
        (UserMessage("  "), ""),
        (AssistantMessage("Hello"), ""),
    ],
)
def test_a_title_is_the_question_on_one_line(message: Message, title: str) -> None:
    """Or what it attaches, if it says nothing."""
    assert title_of([message]) == title


def test_a_title_is_bounded() -> None:
    """However long the question, and however long its words."""
    titles = [title_of([UserMessage(text)]) for text in ("why " * 10_000, "y" * 10_000)]

    assert [len(each) for each in titles] == [MAX_TITLE_CHARS, MAX_TITLE_CHARS]
    assert all(each.endswith("…") for each in titles)
