"""The scripted model: says what it was told, whole or in pieces, and remembers its requests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import FinishReason, RateLimitError, TokenUsage
from arc_core.interfaces.models.chat_model import ChatDelta, ChatModel, ChatRequest, ChatResponse
from arc_core.messages import AssistantMessage, Reasoning, ToolCall, UserMessage
from arc_core.testing import BrokenOff, ScriptedChatModel, ScriptExhaustedError
from arc_core.testing.scripted_model import Turn

REQUEST = ChatRequest(messages=(UserMessage("Hello"),), model="large")
CALLS = (ToolCall("1", "look", '{"at": "it"}'), ToolCall("2", "wait", ""))


async def deltas_of(model: ChatModel) -> list[ChatDelta]:
    """The pieces of the next turn."""
    return [delta async for delta in model.stream(REQUEST)]


def as_text(request: ChatRequest) -> str:
    """A turn that depends on the request."""
    return f"You are {request.model}."


def as_calls(request: ChatRequest) -> Turn:
    """A function that gives another kind of turn."""
    return list(CALLS)


@pytest.mark.parametrize(
    ("turn", "message", "reason"),
    [
        ("Hi.", AssistantMessage("Hi."), FinishReason.STOP),
        ("", AssistantMessage(""), FinishReason.STOP),
        (list(CALLS), AssistantMessage("", CALLS), FinishReason.TOOL_CALLS),
        (AssistantMessage("Hm.", CALLS), AssistantMessage("Hm.", CALLS), FinishReason.TOOL_CALLS),
        (as_text, AssistantMessage("You are large."), FinishReason.STOP),
        (as_calls, AssistantMessage("", CALLS), FinishReason.TOOL_CALLS),
    ],
    ids=["text", "empty", "calls", "message", "function", "function of calls"],
)
async def test_a_turn_is_one_of_several_things(
    turn: Turn, message: AssistantMessage, reason: FinishReason
) -> None:
    """Each becomes a response with usage and a fitting finish reason."""
    response = await ScriptedChatModel([turn]).complete(REQUEST)

    assert response == ChatResponse(message, TokenUsage(10, 5), reason)


async def test_a_whole_response_is_given_as_it_is() -> None:
    """For finish reasons and usage of one's own."""
    response = ChatResponse(AssistantMessage("It was"), None, FinishReason.LENGTH)

    assert await ScriptedChatModel([response]).complete(REQUEST) is response


async def test_usage_is_that_of_every_turn() -> None:
    """And may be none at all."""
    some = ScriptedChatModel(["Hi."], usage=TokenUsage(1, 2))
    none = ScriptedChatModel(["Hi."], usage=None)

    assert (await some.complete(REQUEST)).usage == TokenUsage(1, 2)
    assert (await deltas_of(none))[-1].usage is None


async def test_an_exception_is_raised_either_way() -> None:
    """Before anything is said."""
    error = RateLimitError()
    model = ScriptedChatModel([error, error])

    with pytest.raises(RateLimitError):
        await model.complete(REQUEST)
    with pytest.raises(RateLimitError):
        await deltas_of(model)


async def test_a_turn_may_break_off() -> None:
    """A stream says something first; a whole answer cannot."""
    model = ScriptedChatModel([BrokenOff("Half an", RateLimitError())] * 2)
    said: list[str | None] = []

    async def read() -> None:
        async for delta in model.stream(REQUEST):
            said.append(delta.text)

    with pytest.raises(RateLimitError):
        await read()
    with pytest.raises(RateLimitError):
        await model.complete(REQUEST)

    assert said == ["Half ", "an"]


@given(st.text())
async def test_text_is_streamed_word_by_word(text: str) -> None:
    """In pieces that are never empty and make up the text."""
    deltas = await deltas_of(ScriptedChatModel([text]))

    pieces = [delta.text for delta in deltas[:-1]]
    assert all(pieces)
    assert "".join(piece or "" for piece in pieces) == text


async def test_words_are_pieces() -> None:
    """Several words are several pieces."""
    deltas = await deltas_of(ScriptedChatModel(["It is  sunny.\n"]))

    assert [delta.text for delta in deltas[:-1]] == ["It ", "is  ", "sunny.\n"]


async def test_tool_calls_are_streamed_in_fragments() -> None:
    """The name first, then the arguments in two halves, call by call."""
    deltas = await deltas_of(ScriptedChatModel([list(CALLS)]))

    fragments = [fragment for delta in deltas for fragment in delta.tool_calls]
    assert [fragment.index for fragment in fragments] == [0, 0, 0, 1, 1, 1]
    assert [fragment.name for fragment in fragments] == ["look", None, None, "wait", None, None]
    assert "".join(fragment.arguments or "" for fragment in fragments) == '{"at": "it"}'


async def test_reasoning_is_streamed_before_the_text() -> None:
    """Word by word; its blocks, signed and hidden ones too, come whole at the end."""
    thoughts = (Reasoning("Let me see.", "signed"), Reasoning("", "encrypted", redacted=True))

    deltas = await deltas_of(ScriptedChatModel([AssistantMessage("Hi.", (), thoughts)]))

    assert [delta.reasoning for delta in deltas] == ["Let ", "me ", "see.", None, None]
    assert deltas[-1].reasoning_blocks == thoughts


async def test_the_last_piece_ends_the_turn() -> None:
    """Usage, finish reason and the vendor's own content come at the end."""
    message = AssistantMessage("Hi.", vendor_content={"thinking": "…"})

    last = (await deltas_of(ScriptedChatModel([message])))[-1]

    assert last == ChatDelta(
        usage=TokenUsage(10, 5), finish_reason=FinishReason.STOP, vendor_content={"thinking": "…"}
    )


async def test_requests_are_remembered() -> None:
    """In order, those that failed too."""
    model = ScriptedChatModel(["Hi.", RateLimitError()])
    other = ChatRequest(messages=())

    await model.complete(REQUEST)
    with pytest.raises(RateLimitError):
        await model.complete(other)

    assert model.requests == [REQUEST, other]


async def test_a_script_that_was_followed_is_complete() -> None:
    """Every turn asked for, and none too many."""
    model = ScriptedChatModel(["Hi."])

    await model.complete(REQUEST)

    model.assert_complete()


async def test_a_turn_that_was_not_asked_for_is_found() -> None:
    """The number of turns left is told."""
    model = ScriptedChatModel(["Hi.", "Ho."])

    await model.complete(REQUEST)

    with pytest.raises(AssertionError, match=r"1 turn\(s\) were never asked for"):
        model.assert_complete()


async def test_a_request_too_many_is_found() -> None:
    """At once, and at the end even if the error was caught."""
    model = ScriptedChatModel([])

    with pytest.raises(ScriptExhaustedError, match="request 1 has no turn"):
        await model.complete(REQUEST)
    with pytest.raises(AssertionError, match=r"1 request\(s\) found no turn left"):
        model.assert_complete()


def test_it_is_a_chat_model() -> None:
    """It fills the slot."""
    assert isinstance(ScriptedChatModel([]), ChatModel)
