"""From messages to a prompt and what was said before."""

import pytest

from arc_core import (
    AssistantMessage,
    Attachment,
    Text,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.serving import Problem
from arc_plugins.surfaces.openai.conversation import Conversation

ONE, TWO = ToolCall("1", "add", "{}"), ToolCall("2", "sub", "{}")


def test_the_last_message_is_the_prompt() -> None:
    """What is attached to it travels beside it."""
    image = Attachment("image/png", b"x")
    said = Conversation()
    said.instruct("Be brief.")
    said.ask("hi", "m[0]")
    said.answer("hello", (), "m[1]")
    said.ask((Text("a"), image, Text("b")), "m[2]")

    assert said.has_history
    assert said.as_fields("m") == {
        "user_prompt": "a\nb",
        "attachments": (image,),
        "system_prompt": "Be brief.",
        "conversation_history": (UserMessage("hi"), AssistantMessage("hello")),
    }


def test_calls_and_their_results_stand_together() -> None:
    """Though each of them is an item of its own."""
    said = Conversation()
    said.ask("hi", "m[0]")
    said.answer("Let me see.", (), "m[1]")
    said.answer("", [ONE], "m[2]")
    said.answer("", [TWO], "m[3]")
    said.report("2", "y", "m[4]")
    said.report("1", "x", "m[5]")
    said.ask("and?", "m[6]")

    assert said.as_fields("m")["conversation_history"][1:] == (
        AssistantMessage("Let me see.", (ONE, TWO)),
        ToolResultMessage((ToolResult("2", "sub", "y"), ToolResult("1", "add", "x"))),
    )


def test_a_call_without_a_result_is_refused() -> None:
    """A vendor would refuse it, too."""
    said = Conversation()
    said.answer("", [ONE], "m[0]")

    with pytest.raises(Problem, match=r"A call of 'add' before m\[1\] has no result"):
        said.ask("hi", "m[1]")


def test_a_result_without_a_call_is_refused() -> None:
    """It stands for nothing."""
    with pytest.raises(Problem, match=r"m\[0\] is the result of a call that does not stand"):
        Conversation().report("1", "x", "m[0]")


@pytest.mark.parametrize("prompt", ["", "  ", ()])
def test_an_empty_prompt_is_refused(prompt: str | tuple[()]) -> None:
    """There is nothing to answer."""
    said = Conversation()
    said.ask(prompt, "m[0]")

    with pytest.raises(Problem, match="is empty; send what is asked"):
        said.as_fields("m")


def test_the_last_message_is_the_users() -> None:
    """The model has nothing to answer to itself."""
    said = Conversation()
    said.ask("hi", "m[0]")
    said.answer("hello", (), "m[1]")

    with pytest.raises(Problem, match="The last of m is not a message of the user"):
        said.as_fields("m")
