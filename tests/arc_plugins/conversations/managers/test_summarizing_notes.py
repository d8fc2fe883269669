"""The chat model is asked for a summary, with bounds on what it reads and writes."""

from collections.abc import Sequence

from arc_core import (
    AssistantMessage,
    Attachment,
    ChatRequest,
    ChatResponse,
    ConversationSummary,
    FinishReason,
    Message,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.settings import LlmSettings
from arc_core.testing import ScriptedChatModel
from arc_plugins.conversations.managers.summarizing import write_summary


class FilteredModel(ScriptedChatModel):
    """A model whose vendor filters what it says."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Half an answer."""
        return ChatResponse(AssistantMessage("half"), None, FinishReason.CONTENT_FILTER)


async def asked(messages: Sequence[Message], summary: ConversationSummary | None = None) -> str:
    """What the model is to read."""
    model = ScriptedChatModel(["notes"])
    settings = LlmSettings(model="small", temperature=0)
    await write_summary(model, settings, before=summary, messages=messages)
    request = model.requests[0]
    assert (request.model, request.temperature, request.tool_choice) == ("small", 0, "none")
    question = request.messages[0]
    assert isinstance(question, UserMessage)
    return question.text


async def test_every_kind_of_message_is_told() -> None:
    """With who said it; of calls the tool's name."""
    text = await asked(
        [
            UserMessage("How warm is it?"),
            AssistantMessage("", (ToolCall("1", "weather", "{}"),)),
            ToolResultMessage((ToolResult("1", "weather", "21"),)),
            SystemMessage("be brief"),
            AssistantMessage("21 degrees"),
        ]
    )

    assert text == (
        "[Notes]\nnone yet\n\n[Transcript]\nUser: How warm is it?\nAssistant:  (calls weather)\n"
        "Tool weather: 21\nNote: be brief\nAssistant: 21 degrees"
    )


async def test_what_was_attached_is_told_by_its_name() -> None:
    """Nothing else of it is left once its turn has left the window."""
    image = Attachment("image/png", b"PNG", name="cat.png")
    text = await asked(
        [
            UserMessage((Text("What is it?"), image)),
            UserMessage((Attachment("application/pdf", b"PDF"),)),
            ToolResultMessage((ToolResult("1", "draw", (image,)),)),
        ]
    )

    assert text.endswith(
        "User: What is it? [attached: cat.png, image/png]\n"
        "User: [attached: no name, application/pdf]\nTool draw: [attached: cat.png, image/png]"
    )


async def test_the_summary_before_is_told() -> None:
    """The new one takes its place."""
    text = await asked([UserMessage("hi")], ConversationSummary("Ann likes tea.", 3))

    assert text == "[Notes]\nAnn likes tea.\n\n[Transcript]\nUser: hi"


async def test_long_messages_are_cut() -> None:
    """A turn of a megabyte does not make a request of a megabyte."""
    text = await asked([UserMessage("x" * 1_000_000)])

    assert len(text) < 3_000
    assert text.endswith("x […]")


async def test_a_summary_is_bounded() -> None:
    """Whatever a model writes; blanks around it do not count."""
    model = ScriptedChatModel([f"  {'x' * 100_000}"])

    text = await write_summary(model, LlmSettings(), before=None, messages=[])

    assert text == "x" * 8_000


async def test_a_filtered_answer_is_none() -> None:
    """What the vendor cut off is not kept as what was said."""
    model = FilteredModel([])

    messages = [UserMessage("hi")]
    assert await write_summary(model, LlmSettings(), before=None, messages=messages) == ""
