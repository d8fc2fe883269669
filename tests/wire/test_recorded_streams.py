"""Every recorded stream, over a socket, whole and in pieces, says what its index expects."""

import os
from collections.abc import Sequence
from itertools import pairwise

import pytest

from arc_core import AgentErrorCode, ChatResponse, FinishReason, ModelError
from arc_core.testing.vendor_server import Ending, Reply, VendorServer
from arc_core.wire import EventStreamDecoder, ServerSentEvent
from arc_plugins.models.anthropic.encode import encode_blocks
from arc_plugins.models.openai.chat.encode import encode_payloads
from tests.wire.answers import QUESTION, expected_of_chat, expected_of_message, plain, whole
from tests.wire.models import asking, model_type_of, stream_in_pieces
from tests.wire.recorded import EVERY_STREAM, STREAMS, Recording, every_stream, recorded

ORDINARY = {"text", "tool_use"}


def block_types(recording: Recording) -> set[str]:
    """The types of the content blocks that the index expects."""
    if recording.is_chat:
        return set()
    return {block["type"] for block in recording.facts.get("expected_sdk", {}).get("content", ())}


# The SDK mends or refuses broken arguments; Arc hands on what the model wrote.
BROKEN_ARGUMENTS = {
    "anthropic/max_tokens_incomplete_tool_json.sse",
    "anthropic/tool_invalid_json.sse",
}

EVERY_CHAT_STREAM = every_stream(lambda recording: recording.is_chat)
EVERY_MESSAGE_STREAM = every_stream(
    lambda recording: not recording.is_chat and recording.file not in BROKEN_ARGUMENTS
)
EVERY_SPECIAL_STREAM = every_stream(lambda recording: not block_types(recording) <= ORDINARY)


async def answer_to(recording: Recording, *replies: Reply) -> ChatResponse:
    """What the plugin makes of a recording, sent whole unless a reply is given."""
    model_type = model_type_of(is_chat=recording.is_chat)
    replies = replies or (Reply.events(recording.body),)
    async with VendorServer(*replies) as server, asking(server, model_type) as model:
        return await whole(model.stream(QUESTION))


def events_of(stream: bytes, cuts: Sequence[int] = ()) -> list[ServerSentEvent]:
    """The events of a stream in pieces."""
    decoder = EventStreamDecoder()
    edges = [0, *cuts, len(stream)]
    pieces = [stream[start:end] for start, end in pairwise(edges)]
    return [event for piece in pieces for event in decoder.feed(piece)] + decoder.close()


def test_the_recordings_are_there() -> None:
    """In CI, nothing is skipped for want of them."""
    assert STREAMS or not os.environ.get("CI")


@pytest.mark.parametrize("recording", EVERY_CHAT_STREAM)
async def test_chat_streams_say_what_is_expected(recording: Recording) -> None:
    """Text, tool calls, usage and finish reason, right even if the SDK is wrong."""
    assert plain(await answer_to(recording)) == plain(expected_of_chat(recording))


@pytest.mark.parametrize("recording", EVERY_MESSAGE_STREAM)
async def test_message_streams_say_what_is_expected(recording: Recording) -> None:
    """Text, tool calls, usage and stop reason, as the SDK puts them together."""
    expected = expected_of_message(recording.facts["expected_sdk"])

    assert plain(await answer_to(recording)) == plain(expected)


@pytest.mark.slow
@pytest.mark.parametrize("recording", EVERY_STREAM)
async def test_pieces_over_the_socket_say_the_same(recording: Recording) -> None:
    """Short streams come byte by byte, long ones in 500 pieces; the answer is the whole's."""
    model_type = model_type_of(is_chat=recording.is_chat)

    in_pieces, at_once = await stream_in_pieces(recording.body, model_type)

    assert in_pieces == at_once


@pytest.mark.slow
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("recording", EVERY_STREAM)
def test_no_cut_changes_the_events(recording: Recording, newline: bytes) -> None:
    """Cut at every byte of the beginning, here and there behind it, and everywhere at once."""
    stream = recording.body.replace(b"\n", newline)
    events = events_of(recording.body)
    step = 1 if newline == b"\n" else 17
    beginning = stream[:2000]
    of_beginning = events_of(beginning)

    assert events_of(stream, range(1, len(stream))) == events
    assert all(
        events_of(stream, range(first, len(stream), 97)) == events for first in range(1, 97, 8)
    )
    cuts = range(0, len(beginning), step)
    assert all(events_of(beginning, [cut]) == of_beginning for cut in cuts)


@pytest.mark.parametrize("ending", [Ending.COMPLETE, Ending.DROPPED, Ending.RESET])
@pytest.mark.parametrize("recording", EVERY_STREAM)
async def test_half_a_stream_is_not_an_answer(recording: Recording, ending: Ending) -> None:
    """However politely a stream ends too early, it is said to be incomplete."""
    body = recording.body

    with pytest.raises(ModelError) as caught:
        await answer_to(recording, Reply.events(body).cut_off(len(body) // 3, ending))

    assert caught.value.code is AgentErrorCode.UNAVAILABLE
    assert caught.value.retryable


@pytest.mark.parametrize("recording", EVERY_SPECIAL_STREAM)
async def test_special_blocks_go_back_as_they_came(recording: Recording) -> None:
    """Thinking, and what the vendor's own tools did, go back byte for byte in the next turn."""
    blocks = recording.facts["expected_sdk"]["content"]

    answer = await answer_to(recording)

    sent = encode_blocks(answer.message, [call.id for call in answer.message.tool_calls])
    expected = [block for block in blocks if block["type"] != "text" or block["text"].strip()]
    for block, recorded_block in zip(sent, expected, strict=True):
        assert block == {name: value for name, value in recorded_block.items() if name in block}


async def test_arguments_cut_off_by_the_limit_stay_as_they_are() -> None:
    """Half a JSON text is not mended: the finish reason tells why it is half."""
    answer = await answer_to(recorded("anthropic/max_tokens_incomplete_tool_json.sse"))

    assert answer.finish_reason is FinishReason.LENGTH
    assert answer.message.tool_calls[0].arguments.startswith('{"filename": "taxes.txt"')
    assert not answer.message.tool_calls[0].arguments.endswith("}")


async def test_arguments_that_are_not_json_are_handed_on() -> None:
    """The tool's validation tells the model about them."""
    answer = await answer_to(recorded("anthropic/tool_invalid_json.sse"))

    assert answer.message.tool_calls[0].arguments == '{"location": "Paris", "unit": celsius}'


async def test_reasoning_is_kept_for_the_next_turn_and_not_handed_out() -> None:
    """DeepSeek demands it back with the tool calls it led to."""
    answer = await answer_to(recorded("compat/deepseek_tool_call.sse"))

    (payload,) = encode_payloads(answer.message, ["id-1"])
    assert payload["reasoning_content"] == answer.message.reasoning[0].text
    assert payload["reasoning_content"].strip()
    assert answer.message.content == ""
