"""Streamed answers of Gemini's, event by event."""

import json
from typing import Any

import pytest

from arc_core import ChatDelta, FinishReason, TokenUsage, ToolCallDelta
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.gemini.stream_events import GenerateContentDecoder


def chunk(*parts: dict[str, Any], usage: Any = None, **candidate: Any) -> dict[str, Any]:
    """A chunk with these parts."""
    return {"candidates": [{"content": {"parts": parts}, **candidate}], "usageMetadata": usage}


def decode(*chunks: Any) -> tuple[GenerateContentDecoder, list[ChatDelta | None]]:
    """A decoder that has read chunks, and what it gave."""
    decoder = GenerateContentDecoder()
    return decoder, [decoder.decode((b"", json.dumps(each).encode())) for each in chunks]


def test_the_last_count_said_of_each_counts() -> None:
    """In whatever chunk it comes, behind the end too."""
    decoder, deltas = decode(
        chunk({"text": "Hi"}, usage={"promptTokenCount": 3, "thoughtsTokenCount": 2}),
        chunk(usage={"promptTokenCount": 4}, finishReason="STOP"),
        {"usageMetadata": {"candidatesTokenCount": 5}},
    )

    usages = [delta.usage for delta in deltas if delta is not None]
    assert usages == [
        None,
        TokenUsage(4, 2, reasoning_tokens=2),
        TokenUsage(4, 7, reasoning_tokens=2),
    ]
    assert (decoder.is_complete, decoder.is_ended) == (True, False)


def test_a_call_in_pieces_is_handed_on_when_it_is_whole() -> None:
    """One that is not ended is whole at the end of the answer."""
    begin = {"functionCall": {"name": "look", "willContinue": True}, "thoughtSignature": "cw=="}
    piece = {"jsonPath": "$.at", "stringValue": "sea"}
    more = {"functionCall": {"partialArgs": [piece], "willContinue": True}}

    _, deltas = decode(
        chunk(begin),
        chunk(more),
        chunk({"functionCall": {}}),
        chunk(begin),
        chunk(finishReason="STOP"),
    )

    calls = [delta.tool_calls for delta in deltas if delta is not None]
    assert calls == [
        (ToolCallDelta(0, None, "look", '{"at":"sea"}'),),
        (ToolCallDelta(1, None, "look", "{}"),),
    ]
    kept = {"functionCall": {}, "thoughtSignature": "cw=="}
    assert deltas[-1] is not None
    assert deltas[-1].vendor_content == {"gemini": [kept, kept]}


def test_a_blocked_prompt_is_refused() -> None:
    """There are no candidates then."""
    decoder, deltas = decode({"promptFeedback": {"blockReason": "SAFETY"}})

    assert deltas == [ChatDelta(finish_reason=FinishReason.CONTENT_FILTER)]
    assert decoder.is_complete


@pytest.mark.parametrize("is_list", [False, True])
def test_an_error_behind_the_end_is_one(*, is_list: bool) -> None:
    """Some models say with each chunk that they stop."""
    decoder, _ = decode(chunk({"text": "Hi"}, finishReason="STOP"))
    error = {"error": {"code": 499}}

    with pytest.raises(PayloadError):
        decoder.decode((b"", json.dumps([error] if is_list else error).encode()))

    assert not decoder.is_complete
