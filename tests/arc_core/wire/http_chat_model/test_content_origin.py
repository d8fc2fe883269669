"""Which server has sent the vendor's own content of a message."""

import pytest

from arc_core import AssistantMessage, Message, UserMessage
from arc_core.wire.http_chat_model.content_origin import (
    leave_out_foreign,
    mark_content,
    name_server,
)

HERE = name_server("https://a.example/v1/", "large")


@pytest.mark.parametrize(
    ("base_url", "model", "is_same"),
    [
        ("https://a.example/v1/", "small", True),
        ("https://a.example/v2/", "large", False),
        ("https://b.example/v1/", "large", False),
        ("https://a.example/v1/", "acme/large", False),
    ],
)
def test_a_server_is_an_address_and_a_vendor_behind_it(
    base_url: str, model: str, *, is_same: bool
) -> None:
    """Another model of the same vendor there is no other server."""
    assert (name_server(base_url, model) == HERE) is is_same


def test_the_name_does_not_tell_the_address() -> None:
    """Its path may hold a token, and messages are stored."""
    name = name_server("https://a.example/token-17/v1", "large")

    assert "token" not in name
    assert "example" not in name


def test_content_of_another_server_is_left_out() -> None:
    """The server's own content, content without a mark, and the rest of a message stay."""
    own = AssistantMessage("a", vendor_content=mark_content({"openai": {}}, HERE))
    foreign = AssistantMessage("b", vendor_content=mark_content({"openai": {}}, "other"))
    unmarked = AssistantMessage("c", vendor_content={"anthropic": []})
    messages: list[Message] = [UserMessage("q"), own, foreign, unmarked]

    left = leave_out_foreign(messages, HERE)

    assert left == (messages[0], own, AssistantMessage("b"), unmarked)
    assert left[1] is own


def test_content_that_can_hold_no_mark_is_left_as_it_is() -> None:
    """It is opaque to all but the plugin."""
    assert mark_content("opaque", HERE) == "opaque"
