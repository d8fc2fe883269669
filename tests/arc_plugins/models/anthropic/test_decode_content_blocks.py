"""Content blocks, put together from their pieces."""

from dataclasses import replace
from typing import Any

import pytest

from arc_core import AssistantMessage, ToolCall
from arc_plugins.models.anthropic.decode import (
    ContentBlock,
    find_tool_uses,
    join_text,
    keep_vendor_content,
    own_blocks,
    read_reasoning,
)


def built(start: dict[str, Any], *deltas: dict[str, Any]) -> dict[str, Any]:
    """A block after its deltas."""
    block = ContentBlock(start)
    for delta in deltas:
        block.add(delta)
    return block.build()


def test_texts_are_appended_to_the_start() -> None:
    """Whatever the field, also if it began with null."""
    start = {"type": "compaction", "content": None}

    block = built(start, {"type": "x", "content": "a"}, {"type": "x", "content": "b"})

    assert block == {"type": "compaction", "content": "ab"}
    assert start["content"] is None


def test_text_pieces_are_appended() -> None:
    """The fast way for what nearly all pieces are."""
    block = ContentBlock({"type": "text", "text": "a"})
    block.text.extend(["b", "c"])

    assert block.build() == {"type": "text", "text": "abc"}


@pytest.mark.parametrize(
    ("pieces", "value"), [(['{"a"', ":1}"], {"a": 1}), ([""], {}), (["{"], {})]
)
def test_input_is_parsed(pieces: list[str], value: object) -> None:
    """Broken input of the vendor's own tools is none."""
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]

    assert built({"type": "server_tool_use", "input": {}}, *deltas)["input"] == value


def test_a_block_can_be_built_at_any_time() -> None:
    """What was built before does not change."""
    block = ContentBlock({"type": "thinking", "thinking": ""})
    block.add({"type": "thinking_delta", "thinking": "a"})
    first = block.build()
    block.add({"type": "thinking_delta", "thinking": "b"})

    assert (first["thinking"], block.build()["thinking"]) == ("a", "ab")


THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "b3BhcXVl"}
ANSWER = {"type": "text", "text": "Yes."}
USE = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
FILLED_USE = {"type": "tool_use"}


def message_of(*blocks: dict[str, Any]) -> AssistantMessage:
    """The message that blocks make."""
    calls = tuple(ToolCall(use["id"], use["name"], "{}") for use in find_tool_uses(blocks))
    return AssistantMessage(
        join_text(blocks), calls, read_reasoning(blocks), keep_vendor_content(blocks)
    )


@pytest.mark.parametrize(
    ("blocks", "kept"),
    [
        ([ANSWER, USE], None),
        ([THINKING, REDACTED, ANSWER, USE], []),
        ([ANSWER, THINKING, USE], [ANSWER, {"type": "thinking"}, FILLED_USE]),
        ([THINKING, SEARCH, ANSWER], [{"type": "thinking"}, SEARCH, ANSWER]),
        ([{**THINKING, "new": 1}, USE], [{**THINKING, "new": 1}, FILLED_USE]),
    ],
    ids=["no thinking", "usual order", "another order", "own tools", "unknown field"],
)
def test_nothing_is_kept_twice(blocks: list[dict[str, Any]], kept: object) -> None:
    """Places only, and none if the order is the usual one; blocks that Arc does not know, whole."""
    content = keep_vendor_content(blocks)

    assert content == (None if kept is None else {"anthropic": kept})


@pytest.mark.parametrize(
    "blocks",
    [
        [THINKING, REDACTED, ANSWER, USE],
        [ANSWER, THINKING, USE, REDACTED],
        [THINKING, SEARCH, THINKING, ANSWER],
        [{**THINKING, "new": 1}, ANSWER, USE],
    ],
)
def test_blocks_come_back_as_they_came(blocks: list[dict[str, Any]]) -> None:
    """In their order and unchanged; of calls, the place."""
    expected = [FILLED_USE if block is USE else block for block in blocks]

    assert own_blocks(message_of(*blocks)) == expected


def test_thinking_without_a_signature_does_not_come_back() -> None:
    """An answer was cut off in it; the vendor refuses it."""
    unsigned = {"type": "thinking", "thinking": "H", "signature": ""}

    assert own_blocks(message_of(unsigned, ANSWER)) == [ANSWER]


def test_places_without_their_thinking_are_not_used() -> None:
    """Something has taken the reasoning away."""
    message = replace(message_of(ANSWER, THINKING, USE), reasoning=())

    assert own_blocks(message) is None
