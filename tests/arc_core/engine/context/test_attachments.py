"""What is attached to a run: sent, or refused before the model is asked."""

from typing import Any, cast

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Allowed,
    AssistantMessage,
    Attachment,
    GuardRequest,
    ModelError,
    Text,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    tool,
)
from arc_core.settings import AgentSettings, LlmSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from tests.attached_files import IMAGE, PDF, SOUND

CALL = [ToolCall("1", "draw", "{}")]


class Choosy(ScriptedChatModel):
    """Takes images."""

    def accepts(self, media_type: str) -> bool:
        """Nothing else."""
        return media_type.startswith("image/")

    def accepts_address(self, media_type: str) -> bool:
        """Of one kind of them."""
        return media_type == "image/png"


class Silent:
    """Does not say what it takes."""

    async def complete(self, request: object) -> object:
        """Never asked."""
        raise ModelError(str(request))


def settings(max_bytes: int = 10_000) -> AgentSettings:
    """With a bound of the attachments."""
    return AgentSettings(llm=LlmSettings(max_attachment_bytes=max_bytes))


async def run(model: Any, *attachments: Attachment, max_bytes: int = 10_000) -> AgentResult:
    """What becomes of a run with attachments."""
    command = AgentCommand(user_prompt="What is it?", attachments=attachments)
    return await scripted_agent(model, settings(max_bytes)).execute(command)


async def test_attachments_stand_behind_the_text() -> None:
    """In the order in which they were given."""
    model = ScriptedChatModel(["A cat."])

    await run(model, IMAGE, PDF)

    assert model.requests[0].messages == (UserMessage((Text("What is it?"), IMAGE, PDF)),)


async def test_a_text_stays_a_text() -> None:
    """Without attachments nothing changes."""
    model = ScriptedChatModel(["A cat."])

    await run(model)

    assert model.requests[0].messages == (UserMessage("What is it?"),)


@pytest.mark.parametrize(
    ("attachment", "said"),
    [
        (SOUND, "'a.wav' (audio/wav) cannot be sent: the model does not take this type."),
        (Attachment("image/png", b""), "1 (image/png) cannot be sent: it is empty."),
        (
            Attachment("image/png", url="data:image/png;base64,AA=="),
            "1 (image/png) cannot be sent: its address does not begin with http:// or https://.",
        ),
        (
            Attachment("image/gif", url="https://a.example/a.gif"),
            "1 (image/gif) cannot be sent: the model takes this type as bytes only.",
        ),
        (
            Attachment("image/png", url="https://ann:p4ss@a.example/a.png"),
            "1 (image/png) cannot be sent: its address holds credentials.",
        ),
        (
            Attachment("image/png", b"PNG", url="https://a.example/a.png"),
            "1 (image/png) cannot be sent: it has both bytes and an address.",
        ),
        (
            Attachment("image/png", cast(Any, "PNG")),
            "1 (image/png) cannot be sent: its data is not bytes.",
        ),
        (
            Attachment("image/png", bytes(10_001)),
            "1 (image/png) cannot be sent: all attachments together may have 10000 bytes.",
        ),
    ],
    ids=["type", "empty", "data address", "not fetched", "password", "both", "text", "size"],
)
async def test_what_cannot_be_sent_is_refused_by_name(attachment: Attachment, said: str) -> None:
    """The model is not asked."""
    model = Choosy([])

    result = await run(model, attachment)

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert result.error_message == f"Attachment {said}"
    assert model.requests == []


async def test_the_scheme_of_an_address_may_be_in_capitals() -> None:
    """As `Attachment.from_url` takes it."""
    online = Attachment.from_url("HTTPS://a.example/a.png")

    assert (await run(Choosy(["A cat."]), online)).success


async def test_an_address_of_the_history_that_is_not_fetched_fails_no_run() -> None:
    """It may come from another model; the rest of the session is not lost with it."""
    online = Attachment("image/gif", url="https://a.example/a.gif", name="a.gif")
    model = Choosy(["Yes."])
    command = AgentCommand(
        user_prompt="Was it a cat?",
        conversation_history=(UserMessage((Text("What is it?"), online)), AssistantMessage("1")),
    )

    result = await scripted_agent(model).execute(command)

    first = model.requests[0].messages[0]
    assert isinstance(first, UserMessage)
    assert result.content == "Yes."
    assert "a.gif (image/gif) is left out: the model takes this type as bytes only" in first.text


async def test_attachments_are_bounded_together() -> None:
    """Each alone would do."""
    images = [Attachment("image/png", bytes(6))] * 2

    result = await run(ScriptedChatModel([]), *images, max_bytes=11)

    assert result.error_message is not None
    assert result.error_message.startswith("Attachment 2 (image/png)")


async def test_a_model_that_does_not_say_takes_nothing() -> None:
    """Vendors refuse what they do not know in many ways."""
    assert (await run(Silent(), IMAGE)).error_code is AgentErrorCode.INVALID_INPUT


async def test_guards_see_attachments() -> None:
    """They may reject what they do not like."""
    seen: list[GuardRequest] = []

    class Watching:
        order = 100

        async def check(self, request: GuardRequest) -> Allowed:
            seen.append(request)
            return Allowed()

    command = AgentCommand(user_prompt="What is it?", attachments=(IMAGE,))
    await scripted_agent(ScriptedChatModel(["A cat."]), guards=(Watching(),)).execute(command)

    assert seen[0].attachments == (IMAGE,)


def drawing(value: object) -> Any:
    """A tool that returns a value."""

    @tool
    async def draw() -> object:
        """Draws."""
        return value

    return draw


@pytest.mark.parametrize(
    ("value", "content"),
    [
        (IMAGE, (IMAGE,)),
        (["Here:", IMAGE, {"a": 1}], (Text("Here:"), IMAGE, Text('{"a":1}'))),
        (
            (Text("Here:"), SOUND),
            (
                Text("Here:"),
                Text("[a.wav (audio/wav) is left out: the model does not take this type]"),
            ),
        ),
    ],
    ids=["alone", "with text", "not taken"],
)
async def test_tools_may_return_attachments(value: object, content: object) -> None:
    """What the model cannot be sent is named to it."""
    model = Choosy([CALL, "Done."])

    result = await scripted_agent(model, tools=(drawing(value),)).execute(
        AgentCommand(user_prompt="Draw.")
    )

    results = model.requests[1].messages[-1]
    assert isinstance(results, ToolResultMessage)
    assert (result.content, results.results[0].content) == ("Done.", content)


async def test_old_attachments_give_way_to_new_ones() -> None:
    """The oldest of the history are named only; the caller's own come first."""
    old, newer = (Attachment("image/png", bytes(6), name=name) for name in ("old", "newer"))
    history = (
        UserMessage((Text("One."), old)),
        AssistantMessage("1"),
        UserMessage((Text("Two."), newer)),
        AssistantMessage("2"),
    )
    model = ScriptedChatModel(["A cat."])
    command = AgentCommand(
        user_prompt="What is it?",
        attachments=(Attachment("image/png", bytes(6)),),
        conversation_history=history,
    )

    await scripted_agent(model, settings(12)).execute(command)

    first, _, third, *_ = model.requests[0].messages
    said = "[old (image/png) is left out: all attachments together may have 12 bytes]"
    assert first == UserMessage((Text("One."), Text(said)))
    assert third is history[2]
