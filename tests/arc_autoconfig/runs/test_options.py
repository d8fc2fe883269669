"""Keywords of a run: those of `AgentCommand`, alone or over a command."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from arc_autoconfig.runs.options import RunOptions, command_of
from arc_core import AgentCommand, AgentMode, ResponseFormat, UserMessage


class Invoice(BaseModel):
    total: int


def test_the_keywords_are_the_fields_of_a_command() -> None:
    """A field that a command gains is a keyword, too."""
    assert set(RunOptions.__annotations__) == set(AgentCommand.model_fields) - {"user_prompt"}


def test_a_question_with_keywords_is_a_command() -> None:
    """Each keyword has the meaning that it has in a command."""
    options: RunOptions = {"session_id": 7, "mode": AgentMode.STANDARD, "temperature": 0.5}

    command = command_of("Hi", options=options)

    assert command == AgentCommand(
        user_prompt="Hi", session_id="7", mode=AgentMode.STANDARD, temperature=0.5
    )


def test_keywords_are_laid_over_a_command() -> None:
    """What is not named stays, and the messages stay the same objects."""
    earlier = UserMessage("Hello")
    command = AgentCommand(user_prompt="Hi", user_id="ann", conversation_history=(earlier,))

    changed = command_of(command, options={"user_id": "bob", "session_id": 7})

    assert (changed.user_id, changed.session_id, changed.user_prompt) == ("bob", "7", "Hi")
    assert changed.conversation_history[0] is earlier
    assert command.user_id == "ann"


def test_a_command_without_keywords_stays_the_same() -> None:
    """Nothing is copied or checked again."""
    command = AgentCommand(user_prompt="Hi")

    assert command_of(command) is command


@pytest.mark.parametrize(
    ("options", "error", "problem"),
    [
        ({"temperature": -1}, ValidationError, "temperature"),
        ({"tenant": "acme"}, TypeError, "did you mean 'tenant_id'"),
    ],
)
def test_keywords_are_checked_as_fields_are(
    options: Any, error: type[Exception], problem: str
) -> None:
    """A wrong value and an unknown name are refused, over a command too."""
    for command in ("Hi", AgentCommand(user_prompt="Hi")):
        with pytest.raises(error, match=problem):
            command_of(command, options=options)


def test_an_output_type_asks_for_json() -> None:
    """A type is enough: without a form of its own the answer is JSON."""
    command = command_of("Hi", output=Invoice)

    assert command.response_schema is Invoice
    assert command.response_format is ResponseFormat.JSON


@pytest.mark.parametrize(
    "command",
    [
        command_of("Hi", output=Invoice, options={"response_format": ResponseFormat.YAML}),
        command_of(
            AgentCommand(user_prompt="Hi", response_format=ResponseFormat.YAML), output=Invoice
        ),
    ],
    ids=["keyword", "command"],
)
def test_an_output_type_may_be_asked_for_as_yaml(command: AgentCommand) -> None:
    """By the command or by a keyword."""
    assert command.response_format is ResponseFormat.YAML
    assert command.response_schema is Invoice


def test_an_answer_has_one_type() -> None:
    """Two of them are a mistake, whichever was meant."""
    with pytest.raises(TypeError, match="give one of them"):
        command_of("Hi", output=Invoice, options={"response_schema": {}})


def test_a_type_without_a_schema_is_named() -> None:
    """Before any model is asked."""
    with pytest.raises(ValidationError, match="has no JSON Schema"):
        command_of("Hi", output=object())
