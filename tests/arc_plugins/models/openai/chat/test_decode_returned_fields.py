"""Fields that go back as they came, put together from the pieces of a stream."""

from typing import Any

import pytest

from arc_plugins.models.openai.chat.decode import StreamedFields, thoughts_in

ENCRYPTED = {"type": "reasoning.encrypted", "data": "x"}


def built(*pieces: dict[str, Any]) -> dict[str, Any]:
    """What pieces make."""
    fields = StreamedFields()
    for piece in pieces:
        fields.add(piece)
    return fields.build()


def details(*blocks: dict[str, Any]) -> dict[str, Any]:
    """A piece with blocks of reasoning."""
    return {"reasoning_details": list(blocks)}


def text(piece: str, **fields: Any) -> dict[str, Any]:
    """A block of readable reasoning, or a part of one."""
    return {"type": "reasoning.text", "text": piece, "index": 0, **fields}


def test_pieces_of_a_block_are_one_block() -> None:
    """Its texts are appended, and what comes later stands beside them."""
    signature = {"type": "reasoning.text", "index": 0, "signature": "sig"}

    kept = built(details(text("a")), details(text("b"), text("c")), details(signature))

    assert kept == details(text("abc", signature="sig"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (text("a", signature="sig"), text("b")),
        (text("a"), text("b", index=1)),
        (text("a"), {"type": "reasoning.summary", "summary": "b", "index": 0}),
        (text("a", id="1"), text("b", id="2")),
        (ENCRYPTED, {**ENCRYPTED, "data": "y"}),
    ],
    ids=["signed", "index", "type", "id", "encrypted"],
)
def test_blocks_stay_apart(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Behind a signature, and where index, type or id differ; encrypted ones come whole."""
    assert built(details(first), details(second)) == details(first, second)


def test_objects_are_merged_and_values_replaced() -> None:
    """A server that repeats a field in each piece says the same thing again."""
    pieces: list[dict[str, Any]] = [
        {"extra_content": {"google": {"a": "1"}}, "reasoning_opaque": "old"},
        {"extra_content": {"google": {"b": [1]}}, "reasoning_opaque": "new"},
    ]

    assert built(*pieces) == {
        "extra_content": {"google": {"a": "1", "b": [1]}},
        "reasoning_opaque": "new",
    }


def test_a_flag_of_a_piece_leaves_nothing() -> None:
    """Of a field that had nothing else, not even the field."""
    assert built({"extra_content": {"google": {"thought": True}}}) == {}


def test_the_thoughts_of_blocks_are_read() -> None:
    """Whatever their field is called; anything else is passed over."""
    message = {
        "reasoning_details": [text("a"), {"type": "reasoning.summary", "summary": "b"}, "odd"],
        "thinking_blocks": [{"type": "thinking", "thinking": "c", "signature": "sig"}],
    }

    assert thoughts_in(message) == "abc"
