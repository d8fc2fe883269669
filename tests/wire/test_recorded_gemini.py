"""Every recorded answer and error of Gemini's, from Google's own address and through Vertex AI."""

import json
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AssistantMessage,
    AuthenticationError,
    ChatResponse,
    ContextTooLongError,
    FinishReason,
    IncompleteStreamError,
    InvalidRequestError,
    InvalidResponseError,
    ModelError,
    ModelUnavailableError,
    RateLimitError,
    tool,
)
from arc_core.forms import from_json, to_json
from arc_core.testing import scripted_agent
from arc_core.testing.vendor_server import Ending, Reply, VendorServer
from arc_core.wire import EventStreamDecoder
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.gemini.encode import encode_message
from arc_plugins.models.gemini.stream_events import GenerateContentDecoder
from tests.wire.answers import QUESTION, Answer, whole
from tests.wire.models import asking, stream_in_pieces
from tests.wire.recorded import GEMINI, Recording, parameters_of, recorded
from tests.wire.scripts import content, content_events

FAILING: dict[str, type[ModelError]] = {
    "gemini/gemini_stream_crlf_malformed-function-call_nothing-said_thoughts_1.sse": (
        InvalidResponseError
    ),
    "vertex/gemini_stream_crlf_nothing-said_1.sse": IncompleteStreamError,
    "vertex/gemini_stream_error-inside_1.sse": ModelUnavailableError,
    "vertex/gemini_stream_nothing-said_2.sse": IncompleteStreamError,
    "vertex/gemini_whole_call_no-arguments_signed_unexpected-tool-call_1.json": (
        InvalidResponseError
    ),
    "vertex/gemini_whole_call_no-arguments_signed_unexpected-tool-call_2.json": (
        InvalidResponseError
    ),
}
ERRORS: dict[str, type[ModelError]] = {
    "gemini/error_400_1.json": AuthenticationError,
    "gemini/error_403_1.json": AuthenticationError,
    "gemini/error_403_2.json": AuthenticationError,
    "gemini/error_404_2.json": InvalidRequestError,
    "gemini/error_404_4.json": InvalidRequestError,
    "gemini/error_429_1.json": RateLimitError,
    "gemini/made_503_overloaded.json": ModelUnavailableError,
    "vertex/error_400_1.json": InvalidRequestError,
    "vertex/error_400_3.json": AuthenticationError,
    "vertex/error_400_4.json": InvalidRequestError,
    "vertex/error_400_6.json": InvalidRequestError,
    "vertex/error_400_7.json": InvalidRequestError,
    "vertex/error_400_9.json": ContextTooLongError,
    "vertex/error_400_10.json": InvalidRequestError,
    "vertex/error_400_12.json": AuthenticationError,
    "vertex/error_403_1.json": AuthenticationError,
    "vertex/error_403_3.json": AuthenticationError,
    "vertex/error_404_1.json": InvalidRequestError,
    "vertex/error_404_3.json": InvalidRequestError,
    "vertex/error_404_4.json": InvalidRequestError,
}
FINISHES = {
    "STOP": FinishReason.STOP,
    "MAX_TOKENS": FinishReason.LENGTH,
    "FAKE_NEW_FINISH_REASON": FinishReason.STOP,
    None: None,
}
ANSWERS = [each for each in GEMINI if each.facts["kind"] == "answer"]
GOOD = [each for each in ANSWERS if each.file not in FAILING]
STREAMS = [each for each in ANSWERS if each.facts["wire"] == "sse"]


async def answer_to(recording: Recording) -> ChatResponse:
    """What the model makes of a recording."""
    is_stream = recording.facts["wire"] == "sse"
    reply = Reply.events(recording.body) if is_stream else Reply(body=recording.body)
    async with VendorServer(reply) as server, asking(server, GeminiChatModel) as model:
        return await (whole(model.stream(QUESTION)) if is_stream else model.complete(QUESTION))


def outcome_of(pieces: list[bytes]) -> tuple[ChatResponse | str, bool]:
    """What a stream in pieces is decoded to, and whether that is a whole answer."""
    events, decoder, answer = EventStreamDecoder(), GenerateContentDecoder(), Answer()
    try:
        for event in [event for piece in pieces for event in events.feed(piece)] + events.close():
            answer.deltas += filter(None, [decoder.decode(event)])
    except Exception as error:  # noqa: BLE001 -- the same for every way of cutting
        return repr(error), False
    return answer.build(), decoder.is_complete


def calls_in(said: dict[str, Any]) -> list[Any]:
    return [[call["id"] or "", call["name"], call["arguments"]] for call in said["calls"]]


@pytest.mark.parametrize("recording", parameters_of(GOOD))
async def test_answers_say_what_is_expected(recording: Recording) -> None:
    """Text, thoughts and calls, as an independent reader has them."""
    said = recording.facts["said"]

    answer = await answer_to(recording)

    calls = [[each.id, each.name, json.loads(each.arguments)] for each in answer.message.tool_calls]
    assert answer.message.text == said["text"]
    assert "".join(each.text for each in answer.message.reasoning) == said["thoughts"]
    if "in-pieces" in recording.file:  # whose arguments that reader leaves out
        calls = [[*call[:2], {}] for call in calls]
    assert calls == calls_in(said)


@pytest.mark.parametrize("recording", parameters_of(GOOD))
async def test_answers_end_and_count_as_expected(recording: Recording) -> None:
    """A count may be right with the vendor's tools and without."""
    said = recording.facts["said"]
    is_refused = said["refusal"] or said["finish"] == "MODEL_ARMOR"
    finish = FinishReason.CONTENT_FILTER if is_refused else FINISHES[said["finish"]]

    answer = await answer_to(recording)

    called = finish is FinishReason.STOP and said["calls"]
    assert answer.finish_reason is (FinishReason.TOOL_CALLS if called else finish)
    assert (answer.usage is None) == (said["usage"] is None or not said["prompt"])
    if answer.usage is not None:
        assert answer.usage.prompt_tokens in said["prompt"]
        assert answer.usage.completion_tokens in said["completion"]
        assert answer.usage.prompt_tokens == max(said["prompt"])


@pytest.mark.parametrize("recording", parameters_of(GOOD))
async def test_signatures_go_back_to_the_byte(recording: Recording) -> None:
    """In their order, through a form, too."""
    message = (await answer_to(recording)).message
    kept = from_json(to_json(message), AssistantMessage)
    ids = [call.id for call in message.tool_calls]

    sent = encode_message(kept, ids, signs_calls=False)

    signatures = [part["thoughtSignature"] for part in sent if "thoughtSignature" in part]
    assert signatures == recording.facts["said"]["signatures"]
    assert sent == encode_message(message, ids, signs_calls=False)


@pytest.mark.parametrize(
    "recording", parameters_of([each for each in ANSWERS if each.file in FAILING])
)
async def test_what_is_not_an_answer_fails(recording: Recording) -> None:
    """A call that was written wrongly is asked for once more."""
    with pytest.raises(ModelError) as caught:
        await answer_to(recording)

    assert type(caught.value) is FAILING[recording.file]
    assert caught.value.retryable


@pytest.mark.slow
@pytest.mark.parametrize("recording", parameters_of(STREAMS))
def test_no_cut_changes_a_stream(recording: Recording) -> None:
    """Cut at every byte, and everywhere at once."""
    body = recording.body
    expected = outcome_of([body])
    singly = [bytes([byte]) for byte in body]
    step = 1 + len(body) // 4000
    edges = range(0, len(body), step)

    assert outcome_of(singly) == expected
    assert all(outcome_of([body[:edge], body[edge:]]) == expected for edge in edges)


@pytest.mark.slow
@pytest.mark.parametrize("recording", parameters_of([e for e in GOOD if e in STREAMS]))
async def test_pieces_over_the_socket_say_the_same(recording: Recording) -> None:
    """Short streams come byte by byte, long ones in 500 pieces."""
    in_pieces, at_once = await stream_in_pieces(recording.body, GeminiChatModel)

    assert in_pieces == at_once


@pytest.mark.parametrize("ending", [Ending.COMPLETE, Ending.DROPPED])
@pytest.mark.parametrize("recording", parameters_of([e for e in GOOD if e in STREAMS][:9]))
async def test_half_a_stream_is_not_an_answer(recording: Recording, ending: Ending) -> None:
    """However politely a stream ends too early, it is said to be incomplete."""
    reply = Reply.events(recording.body).cut_off(len(recording.body) // 3, ending)

    async with VendorServer(reply) as server, asking(server, GeminiChatModel) as model:
        with pytest.raises(ModelError) as caught:
            await whole(model.stream(QUESTION))

    assert caught.value.code is AgentErrorCode.UNAVAILABLE


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize(
    "recording", parameters_of([each for each in GEMINI if each.facts["kind"] == "error"])
)
async def test_errors_have_the_right_type(recording: Recording, *, streaming: bool) -> None:
    """Reason and status decide, for whole and for streamed answers alike."""
    reply = Reply(body=recording.body, status=recording.facts["status"])

    async with VendorServer(reply) as server, asking(server, GeminiChatModel) as model:
        with pytest.raises(ModelError) as caught:
            await (whole(model.stream(QUESTION)) if streaming else model.complete(QUESTION))

    assert type(caught.value) is ERRORS[recording.file]
    assert len(server.requests) == 1


async def test_the_vendor_says_in_the_body_when_to_retry() -> None:
    """It sends no `Retry-After`."""
    recording = recorded("gemini/error_429_1.json", GEMINI)
    reply = Reply(body=recording.body, status=429)

    async with VendorServer(reply) as server, asking(server, GeminiChatModel) as model:
        with pytest.raises(RateLimitError) as caught:
            await model.complete(QUESTION)

    assert caught.value.retry_after_s == 48


async def test_arguments_in_pieces_are_put_together() -> None:
    """As Vertex AI sends them to those who ask for it."""
    file = "gemini/gemini_stream_calls_in-pieces_no-arguments_signed_1.sse"
    recording = recorded(file, GEMINI)

    calls = (await answer_to(recording)).message.tool_calls

    assert [call.arguments for call in calls] == [
        '{"location":"Boston"}',
        '{"location":"San Francisco"}',
    ]


@tool
async def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"sunny in {city}"


@pytest.mark.parametrize("streaming", [False, True])
async def test_a_signed_call_goes_back_in_its_tool_turn(*, streaming: bool) -> None:
    """Through a whole run, whichever way the answer came."""
    call = {"name": "get_weather", "args": {"city": "Seoul"}}
    signed = {"functionCall": call, "thoughtSignature": "CiQB+/a0=="}
    chunks = [content(signed, finishReason="STOP"), content({"text": "Sunny"}, finishReason="STOP")]
    streams = [Reply.events(content_events(chunk)) for chunk in chunks]

    async with (
        VendorServer(*(streams if streaming else map(Reply.json, chunks))) as server,
        asking(server, GeminiChatModel) as model,
    ):
        agent = scripted_agent(model, tools=(get_weather,))
        command = AgentCommand(user_prompt="How is it?")
        if streaming:
            assert [piece async for piece in agent.execute_stream(command)] == ["Sunny"]
        else:
            assert (await agent.execute(command)).content == "Sunny"

    _, called, answered = server.requests[1].json()["contents"]
    (sent,) = called["parts"]
    assert sent["thoughtSignature"] == "CiQB+/a0=="
    assert answered["parts"][0]["functionResponse"]["id"] == sent["functionCall"]["id"]
