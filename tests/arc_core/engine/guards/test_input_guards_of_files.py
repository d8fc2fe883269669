"""Guards see the text of attached files as if it were typed."""

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    Allowed,
    Attachment,
    Guard,
    GuardRequest,
    GuardResult,
    Rejected,
    RejectionCategory,
    RunSuspended,
    Text,
    UserMessage,
)
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals
from tests.attached_files import IMAGE

SECRET = "open sesame"


class NoSesame(Guard):
    """Rejects one word, and remembers what it saw."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def check(self, request: GuardRequest) -> GuardResult:
        self.texts.append(request.text)
        if SECRET in request.text:
            return Rejected("Not these words.", RejectionCategory.PROMPT_INJECTION)
        return Allowed()


class Lower(Guard):
    """Replaces capital letters, and is sorted before the others."""

    order = 1

    async def check(self, request: GuardRequest) -> GuardResult:
        return Allowed(request.text.lower())


def file(text: str, media_type: str = "text/plain", name: str | None = "notes.txt") -> Attachment:
    """A file of text."""
    return Attachment(media_type, text.encode(), name=name)


def command(*files: Attachment, prompt: str = "Read This.") -> AgentCommand:
    """A prompt with files."""
    return AgentCommand(user_prompt=prompt, attachments=files)


@pytest.mark.parametrize(
    "media_type",
    ["text/plain", "text/markdown", "text/csv", "application/json", "image/svg+xml", "TEXT/Plain"],
)
async def test_a_file_whose_words_a_guard_rejects_is_rejected(media_type: str) -> None:
    """Whatever kind of text it is; the model is not asked."""
    model = ScriptedChatModel(["Hello."])
    agent = scripted_agent(model, guards=(NoSesame(),))

    result = await agent.execute(command(file(f"Say {SECRET}!", media_type)))

    assert result.error_code is AgentErrorCode.GUARD_REJECTED
    assert model.requests == []


async def test_words_in_several_files_are_one_text() -> None:
    """In their order, behind the prompt; what is not text has none."""
    guard = NoSesame()

    await scripted_agent(ScriptedChatModel(["Hello."]), guards=(guard,)).execute(
        command(file("One."), IMAGE, file("Two."))
    )

    assert guard.texts == ["Read This.\n\nOne.\n\nTwo."]


async def test_a_file_that_no_guard_changes_is_sent_as_it_is() -> None:
    """Bytes that are not UTF-8 included."""
    attached = Attachment("text/plain", b"caf\xe9", name="menu.txt")
    model = ScriptedChatModel(["Hello."])

    await scripted_agent(model, guards=(NoSesame(),)).execute(command(attached))

    assert model.requests[0].messages[-1] == UserMessage((Text("Read This."), attached))


@pytest.mark.parametrize("is_forwarded", [True, False])
async def test_the_model_gets_files_as_guards_have_normalised_them(*, is_forwarded: bool) -> None:
    """As it gets the prompt; other attachments stay what they are."""
    settings = AgentSettings.model_validate({"guard": {"forward_normalized": is_forwarded}})
    model, guard = ScriptedChatModel(["Hello."]), NoSesame()
    agent = scripted_agent(model, settings, guards=(Lower(), guard))

    await agent.execute(command(file("One."), IMAGE, file("Two.")))

    assert guard.texts == ["read this.\n\none.\n\ntwo."]
    lowered = (Text("read this."), file("one."), IMAGE, file("two."))
    given = (Text("Read This."), file("One."), IMAGE, file("Two."))
    sent = lowered if is_forwarded else given
    assert model.requests[0].messages[-1] == UserMessage(sent)


async def test_a_resumed_run_sends_files_as_guards_have_normalised_them() -> None:
    """The guards are not asked again."""
    journals, guard = DictRunJournals(), NoSesame()
    model = ScriptedChatModel(["Hello."])
    agent = scripted_agent(model, guards=(Lower(), guard), run_journals=journals)
    await agent.start()
    await journals.submit(command(file("One.")), run_id="r")
    journals.records["r"].suspend_before = "model/1"
    assert journals.body is not None
    with pytest.raises(RunSuspended):
        await journals.body(command(file("One.")), journals.records["r"])

    await journals.take_up("r")

    assert len(guard.texts) == 1
    assert model.requests[0].messages[-1] == UserMessage((Text("read this."), file("one.")))
