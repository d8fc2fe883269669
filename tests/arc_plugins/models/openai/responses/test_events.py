"""Events of streamed responses, ordinary and bad."""

from typing import Any

import pytest

from arc_core import ChatDelta, FinishReason, ModelUnavailableError, Reasoning, TokenUsage
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.openai.responses.events import ResponseEventDecoder
from tests.arc_plugins.models.openai.responses.answers import (
    CALL,
    REASONING,
    SEARCH,
    added,
    arguments,
    completed,
    decode_all,
    deltas_of,
    done,
    event,
    joined,
    message,
    response,
    text,
    thought,
)

HELLO = message("Hello Ann.")


def test_text_comes_as_it_is_said() -> None:
    """Each piece is a delta, and the end has usage and reason."""
    deltas = deltas_of(
        event("created", response={}),
        added(0, HELLO),
        text(0, "Hello "),
        text(0, ""),
        text(0, "Ann."),
        done(0, HELLO),
        completed(HELLO),
    )

    assert deltas == [
        ChatDelta("Hello "),
        ChatDelta("Ann."),
        ChatDelta(usage=TokenUsage(7, 5, 4, 2, 3), finish_reason=FinishReason.STOP),
    ]


def test_a_call_comes_in_pieces() -> None:
    """Id and name first, then arguments."""
    pieces = arguments(0, '{"city": '), arguments(0, '"Seoul"}')

    deltas = deltas_of(added(0, CALL), *pieces, done(0, CALL), completed(CALL))

    first = deltas[0].tool_calls[0]
    assert (first.index, first.id, first.name) == (0, "call_1", "get_weather")
    assert joined(deltas)[1] == CALL["arguments"]
    assert deltas[-1].finish_reason is FinishReason.TOOL_CALLS


@pytest.mark.parametrize("announced", [True, False])
def test_what_was_not_sent_in_pieces_comes_whole(*, announced: bool) -> None:
    """Text, arguments and reasoning, from items that are only finished."""
    items = (REASONING, HELLO, CALL)
    starts = [added(index, item) for index, item in enumerate(items)] if announced else []

    deltas = deltas_of(*starts, *[done(i, item) for i, item in enumerate(items)], completed(*items))

    assert joined(deltas) == ("Hello Ann.", CALL["arguments"], "I look it up.")


def test_what_only_the_end_has_comes_with_it() -> None:
    """A server may send nothing but the whole response."""
    deltas = deltas_of(completed(REASONING, HELLO, CALL))

    assert joined(deltas) == ("Hello Ann.", CALL["arguments"], "I look it up.")
    assert deltas[-1].tool_calls[0].name == "get_weather"


def test_lost_pieces_are_made_up_for() -> None:
    """What the finished item has beyond the pieces is handed out."""
    deltas = deltas_of(added(0, HELLO), text(0, "Hel"), done(0, HELLO), completed(HELLO))

    assert joined(deltas)[0] == "Hello Ann."


def test_text_that_was_changed_later_is_not_sent_again() -> None:
    """What was handed out cannot be taken back."""
    deltas = deltas_of(added(0, HELLO), text(0, "Good day"), done(0, HELLO), completed(HELLO))

    assert joined(deltas)[0] == "Good day"


def test_reasoning_comes_in_paragraphs() -> None:
    """Parts of a summary, and items, are parted as in the whole."""
    parts = [{"type": "summary_text", "text": each} for each in ("One.", "Two.")]
    first, second = {**REASONING, "summary": parts}, {**REASONING, "id": "rs_2"}
    pieces = (thought(0, "On"), thought(0, "e."), thought(0, "Two.", summary=1))
    rest = thought(1, "I look it up.")

    deltas = deltas_of(added(0, first), *pieces, added(1, second), rest, completed(first, second))

    assert joined(deltas)[2] == "One.\n\nTwo.\n\nI look it up."
    assert deltas[-1].reasoning_blocks == (
        Reasoning("One.\n\nTwo.", "gAAA+/="),
        Reasoning("I look it up.", "gAAA+/="),
    )


def test_the_finished_item_counts_and_not_its_announcement() -> None:
    """Encrypted reasoning is incomplete while it is announced."""
    begun = {**REASONING, "encrypted_content": "gA"}
    again = {**REASONING, "encrypted_content": "encrypted anew"}

    deltas = deltas_of(added(0, begun), done(0, REASONING), completed(again))

    assert deltas[-1].reasoning_blocks == (Reasoning("I look it up.", "gAAA+/="),)


def test_an_announcement_that_is_repeated_is_one_item() -> None:
    """The same id under the same index."""
    deltas = deltas_of(added(0, CALL), added(0, CALL), arguments(0, "{}"), completed())

    assert {piece.index for delta in deltas for piece in delta.tool_calls} == {0}


def test_an_index_that_is_repeated_is_another_item() -> None:
    """Calls of one index and two ids are two calls."""
    other = {**CALL, "id": "fc_2", "call_id": "call_2", "arguments": "{}"}

    deltas = deltas_of(added(0, CALL), done(0, CALL), added(0, other), done(0, other), completed())

    pieces = [piece for delta in deltas for piece in delta.tool_calls]
    assert [(piece.index, piece.id) for piece in pieces if piece.id] == [
        (0, "call_1"),
        (1, "call_2"),
    ]


def test_calls_that_come_out_of_order_keep_their_items() -> None:
    """What goes back pairs each call with the item that it came in."""
    first, second = {**CALL, "namespace": "a"}, {**CALL, "id": "fc_2", "namespace": "b"}

    deltas = deltas_of(done(1, second), done(0, first), completed(first, second))

    kept: Any = deltas[-1].vendor_content
    assert [item["namespace"] for item in kept["openai_responses"]] == ["b", "a"]


def test_an_item_that_is_finished_twice_is_one() -> None:
    """Its text is handed out once."""
    deltas = deltas_of(done(0, HELLO), done(0, HELLO), completed(HELLO))

    assert joined(deltas)[0] == "Hello Ann."


def test_ids_that_change_on_their_way_are_one_item() -> None:
    """Gateways make new ids for every event; the index tells."""
    changed = {**HELLO, "id": "msg_2"}

    deltas = deltas_of(added(0, HELLO), text(0, "Hello "), done(0, changed), completed(HELLO))

    assert joined(deltas)[0] == "Hello Ann."


def test_pieces_of_what_was_not_announced_are_taken() -> None:
    """Text and reasoning as they come; a call once it is whole."""
    deltas = deltas_of(
        thought(0, "I look it up."),
        text(1, "Hello "),
        arguments(2, '{"city"'),
        completed(REASONING, HELLO, CALL),
    )

    assert joined(deltas) == ("Hello Ann.", CALL["arguments"], "I look it up.")


def test_unknown_events_and_items_add_nothing() -> None:
    """Tools of OpenAI's own say nothing to people."""
    deltas = deltas_of(
        event("queued"),
        {"type": "keepalive"},
        added(0, SEARCH),
        event("web_search_call.searching", output_index=0),
        done(0, SEARCH),
        {"no": "type"},
    )

    assert deltas == []


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("max_output_tokens", FinishReason.LENGTH),
        ("content_filter", FinishReason.CONTENT_FILTER),
        ("news", FinishReason.LENGTH),
    ],
)
def test_an_incomplete_response_says_why(reason: str, expected: FinishReason) -> None:
    """What was said is kept, and what was begun is not sent back."""
    end = response(status="incomplete", incomplete_details={"reason": reason})

    deltas = deltas_of(
        added(0, REASONING), added(1, HELLO), text(1, "Hel"), event("incomplete", response=end)
    )

    assert [delta.text for delta in deltas] == ["Hel", None]
    assert (deltas[-1].finish_reason, deltas[-1].reasoning_blocks) == (expected, ())


def test_a_refusal_is_a_filter() -> None:
    """Its words are not the answer."""
    refusal = message("", content=[{"type": "refusal", "refusal": "No."}])

    deltas = deltas_of(
        added(0, refusal), event("refusal.delta", output_index=0, delta="No."), completed(refusal)
    )

    assert [delta.finish_reason for delta in deltas] == [FinishReason.CONTENT_FILTER]
    assert joined(deltas)[0] == ""


@pytest.mark.parametrize(
    "failure",
    [
        event("failed", response=response(status="failed", error={"code": "server_error"})),
        {"type": "error", "code": "server_error", "message": "no"},
        {"type": "error", "error": {"code": "server_error", "type": "x", "message": "no"}},
    ],
)
def test_an_error_in_the_middle_is_raised(failure: dict[str, object]) -> None:
    """In all its forms, with its code."""
    with pytest.raises(PayloadError) as caught:
        deltas_of(added(0, HELLO), text(0, "Hel"), failure)

    assert caught.value.codes[0] == "server_error"


def test_a_failure_without_a_reason_is_raised() -> None:
    """It is not an empty answer."""
    with pytest.raises(PayloadError, match="no reason"):
        deltas_of(event("failed", response=response(status="failed")))


def test_a_cancelled_response_is_raised() -> None:
    """It is not complete, whatever the event says."""
    with pytest.raises(ModelUnavailableError, match="cancelled"):
        deltas_of(completed(status="cancelled"))


@pytest.mark.parametrize("kind", ["output_text", "reasoning_summary_text", "reasoning_text"])
@pytest.mark.parametrize("piece", [None, 7, ["a"]])
def test_pieces_that_are_not_text_are_refused(kind: str, piece: object) -> None:
    """They would be handed out as they are."""
    with pytest.raises(TypeError, match="the piece of response"):
        deltas_of(event(f"{kind}.delta", output_index=0, delta=piece))


def test_nothing_counts_after_the_end() -> None:
    """The first end is the end."""
    decoder = ResponseEventDecoder()

    deltas = decode_all(decoder, [completed(HELLO), text(0, "more"), completed(HELLO)])

    assert joined(deltas)[0] == "Hello Ann."
    assert decoder.is_complete
    assert decoder.is_ended


def test_a_stream_that_stops_is_not_complete() -> None:
    """Even if all items are."""
    decoder = ResponseEventDecoder()

    decode_all(decoder, [added(0, HELLO), text(0, "Hello Ann."), done(0, HELLO)])

    assert not decoder.is_complete
