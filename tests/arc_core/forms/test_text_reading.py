"""Texts that are not quite forms are refused, with the place."""

import json
import re
from typing import Any

import pytest

from arc_core import AgentCommand, AgentEvent, AgentResult, Message, Part, UserMessage
from arc_core.forms import FormError, from_json, to_json

DEEP = "[" * 100 + "]" * 100


def form(**fields: Any) -> str:
    """A text that may be a form."""
    return json.dumps({"v": 1, **fields})


@pytest.mark.parametrize("text", [b"{}", None])
def test_only_a_text_is_read(text: Any) -> None:
    """What a file has in bytes is decoded by the caller, who knows its encoding."""
    with pytest.raises(TypeError, match=r"from_json reads a str, not .*: decode bytes first"):
        from_json(text, UserMessage)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "$: it is not JSON, or is cut off, at character 0 of 0"),
        ("[]", "$: it is an array, not an object"),
        ("null", "$: it is null, not an object"),
        ("{}", "$.v: its version is missing"),
        ('{"v":2,"type":"text"}', "$.v: its version is 2, and 1 is known"),
        ('{"v":true,"type":"text"}', "$.v: its version is True, and 1 is known"),
        ('{"v":"1","type":"text"}', "$.v: its version is '1', and 1 is known"),
        ('{"v":1}', "$: it has no type"),
        (form(type="robot"), "$: the type 'robot' is not known"),
        (form(type=["user_message"]), "$: the type an array is not known"),
        (form(type="text_delta", text="x"), "$: its type is 'text_delta'"),
        (form(type="user_message"), "$: the type 'user_message' needs the key 'content'"),
        (
            form(type="user_message", content="x", more=1),
            "$: the type 'user_message' has no key 'more'",
        ),
        (form(type="user_message", content=3), "$.content: it is a number, not a text"),
        (form(type="user_message", content=None), "$.content: it is null, not a text"),
        (form(type="user_message", content=["x"]), "$.content[0]: it is a text, not an object"),
        (
            form(type="user_message", content=[{"type": "text", "text": "x", "v": 1}]),
            "$.content[0]: the type 'text' has no key 'v'",
        ),
        (
            form(type="user_message", content=[{"type": "tool_call"}]),
            "$.content[0]: its type is 'tool_call'",
        ),
        (
            form(type="user_message", content=[{"type": "attachment", "media_type": "a/b",
                                                "data": "AP/"}]),
            "$.content[0].data: it is not base64, or is cut off",
        ),
        (
            form(type="user_message", content={"type": "raw_text", "utf8": "/w=="}),
            "$.content.utf8: its bytes are not UTF-8",
        ),
        (
            '{"v":1,"type":"user_message","content":"x","content":"y"}',
            "$: the key 'content' stands in it twice; remove one of them",
        ),
        (
            '{"v":1,"type":"assistant_message","content":"","vendor_content":[{"a":1,"a":1}]}',
            "$.vendor_content[0]: the key 'a' stands in it twice",
        ),
        (
            f'{{"v":1,"type":"assistant_message","content":"","vendor_content":{DEEP}}}',
            "$.vendor_content[0][0]",
        ),
        (
            '{"v":1,"type":"assistant_message","content":"","vendor_content":NaN}',
            "$: 'NaN' is not JSON",
        ),
        (
            '{"v":1,"type":"assistant_message","content":"","vendor_content":1e999}',
            "$.vendor_content: inf is not a number of JSON",
        ),
        ("1" * 5000, "$: a number in it is too long"),
        ("[" * 100_000, "$: it is nested too deeply to be read"),
    ],
    ids=range(27),
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_place(text: str, problem: str) -> None:
    """Nothing is guessed at."""
    with pytest.raises(FormError, match=f"^{re.escape(problem)}"):
        from_json(text, Message)


def test_a_refused_field_of_a_command_is_named() -> None:
    """What the class itself does not take."""
    text = form(type="agent_command", user_prompt="hi", temperature=-1)

    with pytest.raises(FormError, match=r"^\$\.temperature: the value is refused: "):
        from_json(text, AgentCommand)


@pytest.mark.parametrize("mode", ["turbo", 3, None])
def test_an_unknown_value_of_an_enum_is_named(mode: object) -> None:
    """With the values that there are."""
    text = form(type="agent_command", user_prompt="hi", mode=mode)

    with pytest.raises(FormError, match=r"^\$\.mode: .*use one of: standard, react$"):
        from_json(text, AgentCommand)


def test_an_answer_of_another_type_is_refused() -> None:
    """The caller who asks for a number is not given a text."""
    text = to_json(AgentResult(success=True, output="many"))

    with pytest.raises(FormError, match=r"^\$\.output: the value is refused"):
        from_json(text, AgentResult[int])


@pytest.mark.parametrize("expected", [UserMessage, Message])
def test_classes_and_unions_can_be_asked_for(expected: object) -> None:
    """One of the classes is enough."""
    assert from_json(to_json(UserMessage("hi")), expected) == UserMessage("hi")


@pytest.mark.parametrize("expected", [Part, AgentEvent, AgentCommand])
def test_another_class_is_refused(expected: object) -> None:
    """A message is neither a part nor an event nor a command."""
    with pytest.raises(FormError, match=r"^\$: its type is 'user_message'; one of these "):
        from_json(to_json(UserMessage("hi")), expected)


def test_a_class_without_a_form_cannot_be_asked_for() -> None:
    """That is a mistake in the program, not in the text."""
    with pytest.raises(TypeError, match="has no JSON form"):
        from_json("{}", dict)


def test_an_error_shows_nothing_that_was_said() -> None:
    """Errors end up in logs, and texts belong to their users."""
    text = to_json(UserMessage("my secret"))[:-3]

    with pytest.raises(FormError) as caught:
        from_json(text, Message)

    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_limits_that_cannot_be_are_refused_with_their_place() -> None:
    """As other values of a command are."""
    limits = {"type": "limits", "deadline_s": -1}

    with pytest.raises(FormError, match=r"\$\.limits: the value is refused: deadline_s is -1"):
        from_json(form(type="agent_command", user_prompt="Hi", limits=limits), AgentCommand)
