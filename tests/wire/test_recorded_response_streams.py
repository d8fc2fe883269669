"""Every recorded stream of the Responses API, whole and in pieces, says what its index expects."""

import json
from typing import Any

import pytest

from arc_core import (
    AgentErrorCode,
    AssistantMessage,
    ChatDelta,
    ChatResponse,
    FinishReason,
    ModelError,
    TokenUsage,
    ToolCall,
)
from arc_core.forms import from_json, to_json
from arc_core.testing.vendor_server import Ending, Reply, VendorServer
from arc_core.wire import CallIds, EventStreamDecoder
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from arc_plugins.models.openai.responses.encode import encode_input_items
from arc_plugins.models.openai.responses.events import ResponseEventDecoder
from tests.wire.answers import QUESTION, Answer, whole
from tests.wire.models import asking, stream_in_pieces
from tests.wire.recorded import EVERY_RESPONSE_STREAM, Recording

BEGINNING = b"event: response.created"
ITEM_DONE = "response.output_item.done"


def last_stream(recording: Recording) -> bytes:
    """One response; a recording of several turns counts by its last, as its index does."""
    body = recording.body
    return body[body.rindex(BEGINNING) :]


def encode_payloads(stream: bytes) -> list[dict[str, Any]]:
    """The events of a stream, read independently."""
    lines = stream.decode().splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]


def deltas_of(pieces: list[bytes]) -> list[ChatDelta]:
    """What a stream in pieces is decoded to."""
    events, decoder = EventStreamDecoder(), ResponseEventDecoder()
    parsed = [event for piece in pieces for event in events.feed(piece)] + events.close()
    return [delta for event in parsed if (delta := decoder.decode(event)) is not None]


def answer_of(stream: bytes) -> ChatResponse:
    """A whole stream, put together."""
    answer = Answer()
    answer.deltas = deltas_of([stream])
    return answer.build()


async def answer_to(*replies: Reply) -> ChatResponse:
    """What the model makes of a stream over a socket."""
    async with VendorServer(*replies) as server, asking(server, OpenAIResponsesChatModel) as model:
        return await whole(model.stream(QUESTION))


@pytest.mark.parametrize("recording", EVERY_RESPONSE_STREAM)
async def test_streams_say_what_is_expected(recording: Recording) -> None:
    """Text, calls, usage and reason, and as many items of reasoning."""
    expected = recording.facts["expected"]
    usage, calls = expected["usage"], expected["function_calls"]

    answer = await answer_to(Reply.events(last_stream(recording)))

    assert answer.message.content == expected["text"]
    assert answer.message.tool_calls == tuple(
        ToolCall(call["call_id"], call["name"], call["arguments"]) for call in calls
    )
    assert answer.finish_reason is (FinishReason.TOOL_CALLS if calls else FinishReason.STOP)
    assert answer.usage == TokenUsage(
        usage["input_tokens"],
        usage["output_tokens"],
        usage["cached_tokens"],
        reasoning_tokens=usage["reasoning_tokens"],
    )
    assert len(answer.message.reasoning) == len(expected["reasoning"])


@pytest.mark.parametrize("recording", EVERY_RESPONSE_STREAM)
def test_a_whole_response_says_the_same_as_its_stream(recording: Recording) -> None:
    """Reasoning is encrypted anew for the last event; all else is alike."""
    stream = last_stream(recording)
    model = OpenAIResponsesChatModel.__new__(OpenAIResponsesChatModel)
    body = json.dumps(encode_payloads(stream)[-1]["response"]).encode()

    at_once, streamed = model.decode(body), answer_of(stream)

    assert at_once.message.content == streamed.message.content
    assert at_once.message.tool_calls == streamed.message.tool_calls
    assert (at_once.usage, at_once.finish_reason) == (streamed.usage, streamed.finish_reason)
    assert [each.text for each in at_once.message.reasoning] == [
        each.text for each in streamed.message.reasoning
    ]


@pytest.mark.parametrize("recording", EVERY_RESPONSE_STREAM)
def test_reasoning_is_handed_out_as_it_is_kept(recording: Recording) -> None:
    """Its pieces are the texts of the blocks, with a paragraph between them."""
    stream = last_stream(recording)

    pieces = [delta.reasoning or "" for delta in deltas_of([stream])]

    texts = [each.text for each in answer_of(stream).message.reasoning if each.text]
    assert "".join(pieces) == "\n\n".join(texts)


@pytest.mark.parametrize("recording", EVERY_RESPONSE_STREAM)
def test_items_go_back_as_they_came(recording: Recording) -> None:
    """All of them in order, encrypted reasoning to the byte, if OpenAI would know it again."""
    stream = last_stream(recording)
    message = answer_of(stream).message
    *events, end = encode_payloads(stream)
    whole_items = [event["item"] for event in events if event["type"] == ITEM_DONE]
    by_id = {item["id"]: item for item in whole_items}
    items = [by_id.get(item["id"], item) for item in end["response"]["output"]]
    returned = [item for item in items if not is_unknown(item)]

    sent = encode_input_items(message, CallIds().of(message))

    assert list(map(type_of, sent)) == list(map(type_of, returned))
    if message.vendor_content is not None and len(returned) == len(items):
        assert list(map(without_logprobs, sent)) == list(map(without_logprobs, items))


@pytest.mark.parametrize("recording", EVERY_RESPONSE_STREAM)
def test_items_survive_their_form(recording: Recording) -> None:
    """What is sent of a message is the same after it was written as JSON and read."""
    message = answer_of(last_stream(recording)).message
    ids = CallIds().of(message)

    kept = from_json(to_json(message), AssistantMessage)

    assert encode_input_items(kept, ids) == encode_input_items(message, ids)


def type_of(item: dict[str, Any]) -> str:
    """The type of an item, which a message may leave out."""
    return str(item.get("type", "message"))


def is_unknown(item: dict[str, Any]) -> bool:
    """Whether OpenAI would refuse an item of reasoning."""
    return item["type"] == "reasoning" and not item.get("encrypted_content")


def without_logprobs(item: dict[str, Any]) -> dict[str, Any]:
    """An item without the empty lists that may be left out."""
    if item["type"] != "message":
        return item
    parts = [
        {name: value for name, value in part.items() if name != "logprobs" or value}
        for part in item["content"]
    ]
    return {**item, "content": parts}


@pytest.mark.slow
@pytest.mark.parametrize("recording", EVERY_RESPONSE_STREAM)
async def test_pieces_over_the_socket_say_the_same(recording: Recording) -> None:
    """Short streams come byte by byte, long ones in 500 pieces; the answer is the whole's."""
    body = last_stream(recording)

    in_pieces, at_once = await stream_in_pieces(body, OpenAIResponsesChatModel)

    assert in_pieces == at_once


@pytest.mark.slow
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("recording", EVERY_RESPONSE_STREAM)
def test_no_cut_changes_the_deltas(recording: Recording, newline: bytes) -> None:
    """Everywhere at once, and once at every byte of some events."""
    original = last_stream(recording)
    stream = original.replace(b"\n", newline)
    first_events = original.split(b"\n\n")[2:6]
    beginning = b"\n\n".join([*first_events, b""]).replace(b"\n", newline)
    expected = deltas_of([beginning])

    assert deltas_of([stream[i : i + 1] for i in range(len(stream))]) == deltas_of([original])
    assert all(
        deltas_of([beginning[:cut], beginning[cut:]]) == expected for cut in range(len(beginning))
    )


@pytest.mark.parametrize("ending", [Ending.COMPLETE, Ending.DROPPED, Ending.RESET])
@pytest.mark.parametrize("recording", EVERY_RESPONSE_STREAM)
async def test_half_a_stream_is_not_an_answer(recording: Recording, ending: Ending) -> None:
    """However politely a stream ends too early, it is said to be incomplete."""
    body = last_stream(recording)

    with pytest.raises(ModelError) as caught:
        await answer_to(Reply.events(body).cut_off(len(body) // 2, ending))

    assert caught.value.code is AgentErrorCode.UNAVAILABLE
    assert caught.value.retryable
