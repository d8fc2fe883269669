"""Events of streamed messages, and what may be odd about them."""

import json
from typing import Any

import pytest

from arc_core import ChatDelta, FinishReason, Reasoning, TokenUsage, ToolCallDelta
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.anthropic.stream_events import MessageEventDecoder


def start(usage: dict[str, Any] | None = None) -> dict[str, Any]:
    """The beginning of a message."""
    return {"type": "message_start", "message": {"content": [], "usage": usage}}


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """A content block, whole."""
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def end(reason: str | None = "end_turn", **usage: Any) -> list[dict[str, Any]]:
    """The end of a message."""
    delta = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}
    return [delta, {"type": "message_stop"}]


def text(piece: str) -> dict[str, Any]:
    """A piece of text."""
    return {"type": "text_delta", "text": piece}


def decoded(*events: dict[str, Any]) -> list[ChatDelta]:
    """The deltas of events."""
    decoder = MessageEventDecoder()
    deltas = [decoder.decode((b"", json.dumps(event).encode())) for event in events]
    return [delta for delta in deltas if delta is not None]


def test_text_is_handed_on() -> None:
    """From the start of a block, and from its deltas; empty pieces say nothing."""
    events = block(0, {"type": "text", "text": "a"}, text("b"), text(""), text("c"))

    assert [delta.text for delta in decoded(*events)] == ["a", "b", "c"]


def test_tool_use_is_a_call() -> None:
    """Id and name first, then the arguments in pieces."""
    use = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    pieces = [{"type": "input_json_delta", "partial_json": part} for part in ("", '{"x"', ":1}")]

    assert decoded(*block(0, use, *pieces)) == [
        ChatDelta(tool_calls=(ToolCallDelta(0, "t", "f"),)),
        ChatDelta(tool_calls=(ToolCallDelta(0, arguments='{"x"'),)),
        ChatDelta(tool_calls=(ToolCallDelta(0, arguments=":1}"),)),
    ]


@pytest.mark.parametrize(("given", "arguments"), [({}, "{}"), ({"x": 1}, '{"x":1}')])
def test_arguments_may_come_with_the_start(given: dict[str, Any], arguments: str) -> None:
    """A call without pieces has what its block began with."""
    deltas = decoded(*block(0, {"type": "tool_use", "id": "t", "name": "f", "input": given}))

    assert deltas[-1].tool_calls == (ToolCallDelta(0, arguments=arguments),)


def test_calls_are_counted_apart_from_other_blocks() -> None:
    """A call's place is among the calls."""
    use = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    events = [*block(0, {"type": "text", "text": "a"}), *block(1, use), *block(2, use)]

    places = [piece.index for delta in decoded(*events) for piece in delta.tool_calls]

    assert places == [0, 0, 1, 1]


def test_usage_counts_the_cache() -> None:
    """Tokens read from and written to the cache are part of the prompt."""
    first = {"input_tokens": 4, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 10}

    deltas = decoded(start({**first, "output_tokens": 1}), *end(output_tokens=7, input_tokens=None))

    assert deltas[-1].usage == TokenUsage(114, 7, cached_tokens=100, cache_write_tokens=10)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("end_turn", FinishReason.STOP),
        ("stop_sequence", FinishReason.STOP),
        ("model_context_window_exceeded", FinishReason.LENGTH),
        ("pause_turn", None),
        ("brand_new", FinishReason.STOP),
        ("tool_use", FinishReason.TOOL_CALLS),
        ("max_tokens", FinishReason.LENGTH),
        ("refusal", FinishReason.CONTENT_FILTER),
        (None, None),
    ],
)
def test_stop_reasons_have_names(name: str | None, reason: FinishReason | None) -> None:
    """Every reason of the vendor's has Arc's word."""
    assert decoded(start(), *end(name))[-1].finish_reason is reason


TOOL_TURN_WITH_THINKING = [
    *block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "Let "},
        {"type": "thinking_delta", "thinking": "me see."},
        {"type": "signature_delta", "signature": "c2ln"},
    ),
    *block(1, {"type": "redacted_thinking", "data": "b3BhcXVl"}),
    *block(2, {"type": "text", "text": ""}, text("Yes."), text(" Sure.")),
    *block(3, {"type": "tool_use", "id": "t", "name": "f", "input": {}}),
    *end("tool_use"),
]


def test_thinking_is_told_apart_from_the_answer() -> None:
    """In pieces as it comes, and whole with its signature for the next turn."""
    deltas = decoded(*TOOL_TURN_WITH_THINKING)

    assert "".join(delta.text or "" for delta in deltas) == "Yes. Sure."
    assert "".join(delta.reasoning or "" for delta in deltas) == "Let me see."
    assert deltas[-1].reasoning_blocks == (
        Reasoning("Let me see.", "c2ln"),
        Reasoning("", "b3BhcXVl", redacted=True),
    )
    assert deltas[-1].vendor_content == {"anthropic": []}


def test_what_the_vendors_own_tools_did_is_kept() -> None:
    """Their input comes in pieces as well, and makes no call of ours."""
    use = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    pieces = [{"type": "input_json_delta", "partial_json": part} for part in ('{"q":', '"a"}')]

    deltas = decoded(*block(0, use, *pieces), *end())

    assert [delta.tool_calls for delta in deltas] == [()]
    assert deltas[-1].vendor_content == {"anthropic": [{**use, "input": {"q": "a"}}]}


def test_citations_are_kept() -> None:
    """A cited text that comes with other blocks goes back with its citations."""
    citation = {"type": "page_location", "cited_text": "x"}
    events = [
        *block(0, {"type": "web_search_tool_result", "content": []}),
        *block(
            1,
            {"type": "text", "text": "", "citations": []},
            {"type": "citations_delta", "citation": citation},
            text("a"),
        ),
        *end(),
    ]

    kept: Any = decoded(*events)[-1].vendor_content

    assert kept["anthropic"][1] == {"type": "text", "text": "a", "citations": [citation]}


def test_ordinary_answers_keep_nothing() -> None:
    """Text and calls are in the message already."""
    assert decoded(*block(0, {"type": "text", "text": "a"}), *end())[-1].vendor_content is None


@pytest.mark.parametrize(
    "event",
    [
        {"type": "ping"},
        {"type": "brand_new_event"},
        {},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_stop", "index": 9},
    ],
)
def test_unknown_events_are_ignored(event: dict[str, Any]) -> None:
    """The vendor may invent events."""
    assert decoded(event) == []


def test_unknown_blocks_and_deltas_are_ignored() -> None:
    """They add nothing to the answer."""
    events = block(0, {"type": "brand_new"}, {"type": "brand_new_delta", "value": 1})

    assert decoded(*events) == []


def test_a_repeated_start_repeats_nothing() -> None:
    """Neither a second message start nor a second block start resets the answer."""
    first = {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}
    events = [start(), first, start(), *block(0, {"type": "text", "text": "x"}, text("a"))]

    assert [delta.text for delta in decoded(*events)] == ["a"]


@pytest.mark.parametrize(("events", "ended"), [(end(None), True), (end()[:1], False)])
def test_either_end_completes_the_answer(events: list[dict[str, Any]], *, ended: bool) -> None:
    """A stop reason is one, `message_stop` the other."""
    decoder = MessageEventDecoder()
    for event in events:
        decoder.decode((b"", json.dumps(event).encode()))

    assert (decoder.is_complete, decoder.is_ended) == (True, ended)


def test_an_error_in_the_stream_is_raised() -> None:
    """The vendor fails in the middle, with a status of success."""
    with pytest.raises(PayloadError, match="Overloaded") as caught:
        decoded({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})

    assert caught.value.codes == ["overloaded_error"]


def calls_of(*payloads: dict[str, Any]) -> list[ToolCallDelta]:
    """The pieces of calls that events bring."""
    decoder = MessageEventDecoder()
    deltas = [decoder.decode((b"", json.dumps(payload).encode())) for payload in payloads]
    return [piece for delta in deltas if delta is not None for piece in delta.tool_calls]


def start_of(block: dict[str, Any], index: int = 0) -> dict[str, Any]:
    """The event that announces a block."""
    return {"type": "content_block_start", "index": index, "content_block": block}


def test_a_new_id_under_an_old_index_is_a_new_call() -> None:
    """Compatible servers send index 0 for every call."""
    first = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    arguments = {"type": "input_json_delta", "partial_json": "{}"}
    piece = {"type": "content_block_delta", "index": 0, "delta": arguments}

    pieces = calls_of(start_of(first), piece, start_of({**first, "id": "b"}), piece)

    assert [(each.index, each.id) for each in pieces] == [(0, "a"), (0, None), (1, "b"), (1, None)]


def test_content_inside_message_start_is_read() -> None:
    """A server that sends what it has at once loses neither text nor call."""
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {"x": 1}}
    message = {"content": [{"type": "text", "text": "Hi"}, call]}
    decoder = MessageEventDecoder()

    events = [
        {"type": "message_start", "message": message},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    ]
    first, last = (decoder.decode((b"", json.dumps(each).encode())) for each in events)

    assert first is not None
    assert last is not None
    assert (first.text, first.tool_calls) == ("Hi", (ToolCallDelta(0, "a", "look"),))
    assert last.tool_calls == (ToolCallDelta(0, arguments='{"x":1}'),)


def test_signatures_are_never_mixed() -> None:
    """Two blocks under one index stay two, and a signature that is sent again replaces."""
    decoder = MessageEventDecoder()

    def decode(payload: dict[str, Any]) -> ChatDelta | None:
        return decoder.decode((b"", json.dumps(payload).encode()))

    for signature in ("one", "two"):
        decode(start_of({"type": "thinking", "thinking": "", "signature": ""}))
        for _ in range(2):
            delta = {"type": "signature_delta", "signature": signature}
            decode({"type": "content_block_delta", "index": 0, "delta": delta})
        decode({"type": "content_block_stop", "index": 0})
    end = decode({"type": "message_delta", "delta": {"stop_reason": "end_turn"}})

    assert end is not None
    assert end.reasoning_blocks == (Reasoning("", "one"), Reasoning("", "two"))


@pytest.mark.parametrize("usage", ["many", [1], {"output_tokens": "7"}, {"input_tokens": -1}])
def test_counts_that_are_not_counts_are_left_out(usage: object) -> None:
    """The answer is good without them."""
    decoder = MessageEventDecoder()
    payload = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}

    end = decoder.decode((b"", json.dumps(payload).encode()))

    assert end is not None
    assert end.usage is None
