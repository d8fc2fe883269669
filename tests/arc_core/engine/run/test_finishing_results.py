"""What a result says of a run, beside its answer."""

from collections.abc import AsyncIterator

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AssistantMessage,
    Attachment,
    ChatDelta,
    ChatRequest,
    FinishReason,
    Hook,
    HookContext,
    Reasoning,
    ReasoningDelta,
    Rejected,
    RejectionCategory,
    ResponseFilterChain,
    ResponseFormat,
    RunFinished,
    Text,
    TextDelta,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
    tool,
)
from arc_core.errors import ModelUnavailableError
from arc_core.testing import ScriptedChatModel, scripted_agent
from tests.arc_core.engine.entry_points import executed, streamed

COMMAND = AgentCommand(user_prompt="Hello", user_id="ann", metadata={"channel": "web"})
CALL = ToolCall("1", "look", "{}")


@tool
async def look() -> str:
    """Looks."""
    return "seen"


class Note(Hook):
    """Leaves a note."""

    async def before_agent_start(self, context: HookContext) -> None:
        context.metadata["note"] = "left"


class Upper:
    """Writes the answer in capitals."""

    order = 1

    async def filter(self, content: str, context: object) -> str:
        """Change every answer."""
        return content.upper()


class Closed:
    """A guard that rejects every prompt."""

    order = 1

    async def check(self, request: object) -> Rejected:
        """Reject."""
        return Rejected("no", RejectionCategory.OFF_TOPIC)


class ThinkingModel(ScriptedChatModel):
    """Thinks aloud before it speaks, in the pieces it is given."""

    def __init__(self, deltas: list[ChatDelta | Exception]) -> None:
        super().__init__([])
        self._deltas = deltas

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        self.requests.append(request)
        for delta in self._deltas:
            if isinstance(delta, Exception):
                raise delta
            yield delta


@pytest.mark.parametrize("ask", [executed, streamed])
async def test_messages_of_a_result_are_what_the_run_added(ask: object) -> None:
    """The user's message comes first, then tool exchanges, then the answer."""
    model = ScriptedChatModel([AssistantMessage("Wait.", (CALL,)), "Seen."])

    result = await ask(scripted_agent(model, tools=[look]), COMMAND)  # type: ignore[operator]

    assert result.messages == (
        UserMessage("Hello"),
        AssistantMessage("Wait.", (CALL,)),
        ToolResultMessage((ToolResult("1", "look", "seen"),)),
        AssistantMessage("Seen."),
    )


async def test_messages_of_a_result_end_with_what_the_caller_got() -> None:
    """A changed answer takes neither the model's words nor the vendor's content along."""
    thoughts = (Reasoning("Hm.", "signed"),)
    model = ScriptedChatModel([AssistantMessage("seen", (), thoughts, ["seen"])])
    agent = scripted_agent(model, response_filter_chain=ResponseFilterChain([Upper()]))

    result = await agent.execute(COMMAND)

    assert result.messages[-1] == AssistantMessage("SEEN", (), thoughts)


async def test_an_unchanged_answer_keeps_the_vendors_content() -> None:
    """What only the vendor understands goes back to it in the next run."""
    said = AssistantMessage("seen", (), (Reasoning("Hm.", "signed"),), ["opaque"])

    result = await scripted_agent(ScriptedChatModel([said])).execute(COMMAND)

    assert result.messages[-1] is said


async def test_a_failed_run_has_added_what_was_done_before() -> None:
    """Without an answer, the messages end with the last tool exchange."""
    model = ScriptedChatModel([[CALL], RuntimeError("broken")])

    result = await scripted_agent(model, tools=[look]).execute(COMMAND)

    assert not result.success
    assert [type(message) for message in result.messages] == [
        UserMessage,
        AssistantMessage,
        ToolResultMessage,
    ]


async def test_a_run_that_is_not_let_in_adds_nothing() -> None:
    """A rejected prompt is not a part of the conversation."""
    agent = scripted_agent(ScriptedChatModel([]), guards=[Closed()])

    result = await agent.execute(COMMAND)

    assert (result.error_code, result.messages) == (AgentErrorCode.GUARD_REJECTED, ())


async def test_metadata_is_what_callers_and_hooks_put_there() -> None:
    """The engine adds no key of its own."""
    agent = scripted_agent(ScriptedChatModel(["Hi"]), hooks=[Note()])

    result = await agent.execute(COMMAND)

    assert result.metadata == {"channel": "web", "note": "left"}


async def test_a_result_says_why_the_model_stopped_when_it_refused() -> None:
    """The finish reason of a failed answer is there, too."""
    delta = ChatDelta(text="I", finish_reason=FinishReason.CONTENT_FILTER)

    result = await streamed(scripted_agent(ThinkingModel([delta])), COMMAND)

    assert result.error_code is AgentErrorCode.REFUSED
    assert result.finish_reason is FinishReason.CONTENT_FILTER


async def test_reasoning_of_all_turns_is_in_the_result() -> None:
    """Blocks stand apart by a blank line; hidden ones have no text to show."""
    hidden = Reasoning("", "encrypted", redacted=True)
    model = ScriptedChatModel(
        [
            AssistantMessage("", (CALL,), (Reasoning("Look first."), hidden)),
            AssistantMessage("Seen.", (), (Reasoning("So it is there."),)),
        ]
    )

    result = await scripted_agent(model, tools=[look]).execute(COMMAND)

    assert result.reasoning == "Look first.\n\nSo it is there."


async def test_a_run_without_reasoning_says_none() -> None:
    """There is no empty text in its place."""
    result = await scripted_agent(ScriptedChatModel(["Hi"])).execute(COMMAND)

    assert (result.reasoning, result.agent) == (None, "default")


async def test_reasoning_is_an_event_and_never_a_text() -> None:
    """It comes in the pieces of the model, before the text of the same piece."""
    deltas = [ChatDelta(reasoning="Hm"), ChatDelta("Hi", reasoning="."), ChatDelta(" you")]

    agent = scripted_agent(ThinkingModel([*deltas]))
    events = [event async for event in agent.stream_events(COMMAND)]

    *pieces, finished = events
    assert pieces == [ReasoningDelta("Hm"), ReasoningDelta("."), TextDelta("Hi"), TextDelta(" you")]
    assert isinstance(finished, RunFinished)
    assert (finished.result.content, finished.result.reasoning) == ("Hi you", "Hm.")


async def test_a_stream_that_has_shown_reasoning_is_not_asked_again() -> None:
    """A retry would show it twice."""
    model = ThinkingModel([ChatDelta(reasoning="Hm"), ModelUnavailableError("gone")])

    result = await streamed(scripted_agent(model), COMMAND)

    assert (result.success, len(model.requests)) == (False, 1)


async def test_an_answer_of_null_has_an_output() -> None:
    """JSON's null is the answer, and no text stands in for it."""
    command = COMMAND.model_copy(update={"response_format": ResponseFormat.JSON})

    result = await scripted_agent(ScriptedChatModel(["null"])).execute(command)

    assert (result.has_output, result.unwrap()) == (True, None)


async def test_attachments_are_sent_and_kept_with_the_question() -> None:
    """The message of the run has them behind the prompt."""
    image = Attachment("image/png", b"png")
    model = ScriptedChatModel(["A cat."])

    result = await scripted_agent(model).execute(
        AgentCommand(user_prompt="What is it?", attachments=(image,))
    )

    [asked] = model.requests[0].messages
    assert asked == result.messages[0] == UserMessage((Text("What is it?"), image))
