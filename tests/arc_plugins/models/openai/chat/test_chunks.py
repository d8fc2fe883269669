"""Chunks of chat completions, and what imitators make of them."""

import json
from typing import Any

import pytest

from arc_core import ChatDelta, FinishReason, ModelUnavailableError, TokenUsage, ToolCallDelta
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.openai.chat.chunks import ChunkDecoder


def chunk(delta: Any = None, reason: str | None = None, **fields: Any) -> dict[str, Any]:
    """A chunk with one choice."""
    return {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": reason}], **fields}


def decoded(*chunks: dict[str, Any] | bytes) -> list[ChatDelta]:
    """The deltas of chunks."""
    decoder = ChunkDecoder()
    payloads = (each if isinstance(each, bytes) else json.dumps(each).encode() for each in chunks)
    deltas = [decoder.decode((b"", payload)) for payload in payloads]
    return [delta for delta in deltas if delta is not None]


def test_text_is_handed_on() -> None:
    """A chunk with text is a delta with that text."""
    assert decoded(chunk({"content": "안녕"})) == [ChatDelta("안녕")]


@pytest.mark.parametrize(
    "empty",
    [
        chunk({"role": "assistant", "content": None}),
        chunk({"role": "assistant", "content": ""}),
        chunk({}),
        {"choices": []},
        {"choices": None, "usage": None},
        {"prompt_filter_results": [], "choices": []},
        {"choices": [{"index": 0, "delta": None}]},
        {"choices": [{"index": 0}]},
    ],
)
def test_what_says_nothing_gives_nothing(empty: dict[str, Any]) -> None:
    """Roles, nulls and empty choices add nothing, and break nothing."""
    assert decoded(empty) == []


def test_only_the_first_choice_is_used() -> None:
    """Of several choices, those with other indexes are left out, alone or beside the first."""
    second = {"index": 1, "delta": {"content": "b"}, "finish_reason": None}
    first = {"index": 0, "delta": {"content": "a"}, "finish_reason": None}

    assert decoded({"choices": [second]}, {"choices": [second, first]}) == [ChatDelta("a")]


def test_content_may_be_a_list_of_parts() -> None:
    """Text parts are of the answer, thinking parts of the reasoning."""
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "4"},
    ]

    assert decoded(chunk({"content": parts})) == [ChatDelta("4", reasoning="hm")]


def test_usage_may_come_alone_or_with_text() -> None:
    """Counts are handed on wherever they stand."""
    usage = {"prompt_tokens": 3, "completion_tokens": 2}

    deltas = decoded(
        chunk({"content": "a"}, usage=usage),
        {"choices": [], "usage": usage},
        {"choices": [], "x_groq": {"usage": usage}},
        {"choices": [], "usage": {"prompt_tokens": None}},
    )

    counted = TokenUsage(3, 2)
    assert [delta.usage for delta in deltas] == [counted, counted, counted, TokenUsage(0, 0)]
    assert deltas[0].text == "a"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("stop", FinishReason.STOP),
        ("eos", FinishReason.STOP),
        ("tool_calls", FinishReason.TOOL_CALLS),
        ("function_call", FinishReason.TOOL_CALLS),
        ("length", FinishReason.LENGTH),
        ("model_length", FinishReason.LENGTH),
        ("content_filter", FinishReason.CONTENT_FILTER),
    ],
)
def test_finish_reasons_have_names(name: str, reason: FinishReason) -> None:
    """Every server's word for the end has Arc's."""
    assert decoded(chunk({}, name)) == [ChatDelta(finish_reason=reason)]


@pytest.mark.parametrize("name", ["error", "insufficient_system_resource"])
def test_a_server_that_gives_up_has_not_finished(name: str) -> None:
    """Some say in the finish reason that they failed."""
    with pytest.raises(ModelUnavailableError, match=name):
        decoded(chunk({}, name))


def test_the_last_chunk_may_say_everything() -> None:
    """Text, a whole call, usage and the reason in one chunk."""
    call = {"id": "a", "function": {"name": "f", "arguments": "{}"}}
    usage = {"prompt_tokens": 3, "completion_tokens": 2}

    (delta,) = decoded(chunk({"content": "x", "tool_calls": [call]}, "tool_calls", usage=usage))

    assert delta == ChatDelta(
        "x", (ToolCallDelta(0, "a", "f", "{}"),), TokenUsage(3, 2), FinishReason.TOOL_CALLS
    )


def test_a_refusal_is_not_text() -> None:
    """Its words are not handed out; the finish reason says that the model refused."""
    deltas = decoded(chunk({"refusal": "I can"}), chunk({"refusal": "not"}), chunk({}, "stop"))

    assert deltas == [ChatDelta(finish_reason=FinishReason.CONTENT_FILTER)]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_comes_in_pieces_beside_the_answer(field: str) -> None:
    """The end tells the field it came in, where it goes back."""
    deltas = decoded(
        chunk({field: "Hm", "content": ""}),
        chunk({field: "m.", "content": None}),
        chunk({"content": "4"}),
        chunk({}, "stop"),
    )

    assert [delta.text for delta in deltas] == [None, None, "4", None]
    assert [delta.reasoning for delta in deltas] == ["Hm", "m.", None, None]
    assert deltas[-1].vendor_content == {"openai": {"reasoning_field": field}}


def test_reasoning_that_comes_twice_counts_once() -> None:
    """Some servers fill both fields with the same text."""
    (delta,) = decoded(chunk({"reasoning_content": "Hm.", "reasoning": "Hm."}))

    assert delta.reasoning == "Hm."


def test_reasoning_beside_text_is_not_lost() -> None:
    """A chunk may have both."""
    (delta,) = decoded(chunk({"content": "4", "reasoning": "Hm."}))

    assert delta == ChatDelta("4", reasoning="Hm.")


def test_reasoning_survives_a_missing_finish_reason() -> None:
    """The terminator is an end too."""
    deltas = decoded(chunk({"reasoning_content": "Hm."}), b"[DONE]")

    kept = {"openai": {"reasoning_field": "reasoning_content"}}
    assert [delta.vendor_content for delta in deltas] == [None, kept]


@pytest.mark.parametrize("end", [chunk({}, "stop"), b"[DONE]", b"[DONE] "])
def test_either_end_completes_the_answer(end: dict[str, Any] | bytes) -> None:
    """Some servers send no terminator, some no finish reason."""
    decoder = ChunkDecoder()
    payload = end if isinstance(end, bytes) else json.dumps(end).encode()

    decoder.decode((b"", payload))

    assert decoder.is_complete
    assert decoder.is_ended is isinstance(end, bytes)


def test_nothing_counts_after_the_terminator() -> None:
    """What a server sends behind its own end is not looked at."""
    assert decoded(b"[DONE]", chunk({"content": "x"}), b"garbage") == []


@pytest.mark.parametrize(
    ("payload", "codes"),
    [
        ({"error": {"message": "busy", "code": 503}}, ["503"]),
        ({"error": {"message": "busy", "code": "503", "type": "x"}}, ["503", "x"]),
        ({"error": "busy"}, []),
        ({"choices": [{"index": 0, "error": {"code": 502, "message": "busy"}}]}, ["502"]),
    ],
)
def test_an_error_in_the_stream_is_raised(payload: dict[str, Any], codes: list[str]) -> None:
    """Servers fail in the middle, with a status of success."""
    with pytest.raises(PayloadError, match="busy") as caught:
        decoded(payload)

    assert caught.value.codes == codes


def test_an_event_named_error_is_one() -> None:
    """Its data need not say so again."""
    with pytest.raises(PayloadError, match="busy"):
        ChunkDecoder().decode((b"error", b'{"message":"busy"}'))


def test_a_message_in_place_of_a_delta_is_taken() -> None:
    """A server may stream whole messages; beside a delta they repeat it."""
    whole = {"choices": [{"index": 0, "message": {"content": "x"}}]}
    both = {"choices": [{"index": 0, "delta": {"content": "y"}, "message": {"content": "xy"}}]}

    assert decoded(whole, both) == [ChatDelta("x"), ChatDelta("y")]


@pytest.mark.parametrize("data", [b"{", b"x", b"", b"null", b"[1]"])
def test_what_is_not_a_chunk_raises(data: bytes) -> None:
    """The caller says what that means."""
    with pytest.raises((ValueError, AttributeError)):
        ChunkDecoder().decode((b"", data))
