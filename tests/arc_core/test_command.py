"""Commands: what they accept, and whose bucket they count for."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import RootModel, ValidationError

from arc_core import (
    AgentCommand,
    AgentMode,
    Attachment,
    Content,
    Message,
    ResponseFormat,
    SystemMessage,
    Text,
    UserMessage,
)
from arc_core.command import ANONYMOUS, identity_of, question_of

PICTURE = Attachment("image/png", data=b"x")


def test_only_the_prompt_is_required() -> None:
    """A command of a prompt alone asks in turns, with tools, for text, with no history."""
    command = AgentCommand(user_prompt="Hello")

    assert command.mode is AgentMode.REACT
    assert command.response_format is ResponseFormat.TEXT
    assert command.conversation_history == ()
    assert command.metadata == {}


@pytest.mark.parametrize(
    ("given_id", "text"),
    [
        ("s-1", "s-1"),
        (42, "42"),
        (UUID("12345678-1234-5678-1234-567812345678"), "12345678-1234-5678-1234-567812345678"),
        (None, None),
    ],
)
def test_session_ids_of_numbers_and_uuids_become_text(given_id: object, text: str | None) -> None:
    """A session id may be text, a number or a UUID and arrives as text."""
    command = AgentCommand.model_validate({"user_prompt": "Hello", "session_id": given_id})

    assert command.session_id == text


@pytest.mark.parametrize("given_id", [True, 1.5, ["s-1"]])
def test_session_ids_of_other_types_are_refused(given_id: object) -> None:
    """What is not text, number or UUID is not a session id; a truth value least of all."""
    with pytest.raises(ValidationError, match="session_id"):
        AgentCommand.model_validate({"user_prompt": "Hello", "session_id": given_id})


def test_unknown_fields_are_refused() -> None:
    """A misspelt field is an error that names it, never silently without effect."""
    with pytest.raises(ValidationError, match="sesion_id"):
        AgentCommand.model_validate({"user_prompt": "Hello", "sesion_id": "s-1"})


def test_commands_do_not_change() -> None:
    """A command is the same for every stage of a run."""
    command = AgentCommand(user_prompt="Hello")

    with pytest.raises(ValidationError, match="frozen"):
        command.user_prompt = "Goodbye"


def test_metadata_is_the_commands_own() -> None:
    """Changing the dictionary a command was made from leaves the command alone."""
    metadata = {"channel": "web"}
    command = AgentCommand(user_prompt="Hello", metadata=metadata)

    metadata["channel"] = "phone"

    assert command.metadata == {"channel": "web"}


def test_history_keeps_the_very_messages() -> None:
    """Messages of the history are taken over as they are, not copied."""
    earlier = UserMessage("Hello")

    command = AgentCommand(user_prompt="Again", conversation_history=(earlier,))

    assert command.conversation_history[0] is earlier


@pytest.mark.parametrize("stranger", [{"content": "Obey."}, "Obey.", 1])
def test_a_message_is_never_guessed_from_a_mapping(stranger: object) -> None:
    """A mapping says no role, so that untrusted JSON cannot turn into a system message."""
    with pytest.raises(ValidationError, match="UserMessage"):
        AgentCommand.model_validate({"user_prompt": "Hello", "conversation_history": [stranger]})


@pytest.mark.parametrize("message", [SystemMessage("Be brief."), UserMessage("Hi")])
def test_every_class_of_message_may_be_history(message: Message) -> None:
    """History accepts messages of any role."""
    command = AgentCommand(user_prompt="Hello", conversation_history=(message,))

    assert command.conversation_history == (message,)


@pytest.mark.parametrize("temperature", [-0.1, float("nan")])
def test_impossible_temperatures_are_refused(temperature: float) -> None:
    """A temperature is a number, and not below 0."""
    with pytest.raises(ValidationError, match="temperature"):
        AgentCommand(user_prompt="Hello", temperature=temperature)


@given(st.text(alphabet=" \t\n\r\u00a0\u3000", max_size=5))
def test_blank_user_ids_are_one_bucket(blank: str) -> None:
    """No user id, an empty one and a blank one are the same user, `anonymous`."""
    assert identity_of(blank) == identity_of(None) == ANONYMOUS


def test_blanks_around_a_user_id_do_not_make_another_user() -> None:
    """A user cannot have a second allowance by adding a blank."""
    assert identity_of(" ann\n") == identity_of("ann") == "ann"


@pytest.mark.parametrize("schema", [RootModel[int], {"type": "object"}])
def test_schemas_are_classes_or_mappings(schema: object) -> None:
    """A response schema is a pydantic class or a JSON Schema."""
    command = AgentCommand.model_validate(
        {"user_prompt": "Hello", "response_format": "json", "response_schema": schema}
    )

    assert command.response_schema == schema


def test_what_is_not_a_schema_is_refused() -> None:
    """A broken schema is an error where it is written, not the failure of a run."""
    with pytest.raises(ValidationError, match=r"not a JSON Schema: type: 'strng' is not valid"):
        AgentCommand(
            user_prompt="Hello",
            response_format=ResponseFormat.JSON,
            response_schema={"type": "strng"},
        )


def test_a_schema_needs_a_format() -> None:
    """A schema that could only be silently without effect is refused with the remedy."""
    with pytest.raises(ValidationError, match="set response_format to JSON or YAML"):
        AgentCommand(user_prompt="Hello", response_schema={"type": "object"})


@pytest.mark.parametrize(
    ("prompt", "attachments", "content"),
    [
        ("Look", (), "Look"),
        ("", (), ""),
        ("Look", (PICTURE,), (Text("Look"), PICTURE)),
        ("", (PICTURE,), (PICTURE,)),
    ],
)
def test_the_question_of_a_command_is_its_prompt_and_what_is_attached(
    prompt: str, attachments: tuple[Attachment, ...], content: Content
) -> None:
    """A text stays a plain text; vendors refuse an empty one among parts."""
    command = AgentCommand(user_prompt=prompt, attachments=attachments)

    assert question_of(command) == UserMessage(content)
