"""Streamed tool calls find their place, in every dialect of servers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import ToolCallDelta
from arc_plugins.models.openai.chat.chunks import ToolCallPlaces
from arc_plugins.models.openai.chat.decode import read_arguments


def piece(arguments: str | None = None, **fields: Any) -> dict[str, Any]:
    """A piece as a chunk has it: `id`, `index` and `name` where they are given."""
    function: dict[str, Any] = {"arguments": arguments}
    if "name" in fields:
        function["name"] = fields.pop("name")
    return {**fields, "function": function}


def assembled(*chunks: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """Id, name and arguments of each call, after pieces were appended by place."""
    places = ToolCallPlaces()
    calls: dict[int, list[str]] = {}
    for delta in (delta for chunk in chunks for delta in places.place(chunk)):
        call = calls.setdefault(delta.index, ["", "", ""])
        for field, text in enumerate((delta.id, delta.name, delta.arguments)):
            call[field] += text or ""
    return [(calls[i][0], calls[i][1], calls[i][2]) for i in range(len(calls))]


WHOLE = [("a", "f", '{"x":1}'), ("b", "g", "{}")]

DIALECTS = {
    "ids first, then by index": [
        [piece("", id="a", index=0, name="f")],
        [piece('{"x":', index=0)],
        [piece("", id="b", index=1, name="g")],
        [piece("{}", index=1), piece("1}", index=0)],
    ],
    "whole in one chunk": [
        [piece('{"x":1}', id="a", index=0, name="f"), piece("{}", id="b", index=1, name="g")]
    ],
    "no index at all": [[piece('{"x":1}', id="a", name="f")], [piece("{}", id="b", name="g")]],
    "no index, continued without id": [
        [piece('{"x":', id="a", name="f")],
        [piece("1}")],
        [piece("{}", id="b", name="g")],
    ],
    "a new id under an old index": [
        [piece('{"x":1}', id="a", index=0, name="f")],
        [piece("{}", id="b", index=0, name="g")],
    ],
    "continued under an index used again": [
        [piece("{}"[:0], id="a", index=0, name="f"), piece('{"x":1}', index=0)],
        [piece("{", id="b", index=0, name="g")],
        [piece("}", index=0)],
    ],
    "id and name in every piece": [
        [piece('{"x":', id="a", index=0, name="f")],
        [piece("1}", id="a", index=0, name="f")],
        [piece("{", id="b", index=1, name="g")],
        [piece("}", id="b", index=1, name="g")],
    ],
    "interleaved by id alone": [
        [piece('{"x":', id="a", name="f")],
        [piece("{", id="b", name="g")],
        [piece("1}", id="a"), piece("}", id="b")],
    ],
    "empty and null fields on continuation": [
        [piece(None, id="a", index=0, name="f")],
        [piece('{"x":1}', id="", index=0, name=None)],
        [piece("", id=None, index=1)],
        [piece("{}", id="b", index=1, name="g")],
    ],
}


@pytest.mark.parametrize("chunks", DIALECTS.values(), ids=DIALECTS)
def test_a_dialect_is_understood(chunks: list[list[dict[str, Any]]]) -> None:
    """However a server tells which call a piece belongs to, the calls are the same."""
    assert assembled(*chunks) == WHOLE


WITHOUT_IDS = {
    "names that differ under one index": [
        [piece('{"x":1}', index=0, name="f")],
        [piece("{}", index=0, name="g")],
    ],
    "names without index": [[piece('{"x":1}', name="f"), piece("{}", name="g")]],
    "name repeated while arguments go on": [
        [piece('{"x":', index=0, name="f")],
        [piece("1}", index=0, name="f")],
        [piece("{}", index=1, name="g")],
    ],
}


@pytest.mark.parametrize("chunks", WITHOUT_IDS.values(), ids=WITHOUT_IDS)
def test_calls_without_ids_are_told_apart(chunks: list[list[dict[str, Any]]]) -> None:
    """By name and by whether the arguments so far are whole."""
    assert assembled(*chunks) == [("", "f", '{"x":1}'), ("", "g", "{}")]


def test_the_same_tool_called_twice_without_ids() -> None:
    """A name that comes again after whole arguments is a second call."""
    calls = assembled([piece('{"x":1}', index=0, name="f")], [piece('{"x":2}', index=0, name="f")])

    assert calls == [("", "f", '{"x":1}'), ("", "f", '{"x":2}')]


def test_one_id_for_two_calls() -> None:
    """A repeated id under another index is another call."""
    calls = assembled(
        [piece("{}", id="call_0", index=0, name="f"), piece("{}", id="call_0", index=1, name="g")]
    )

    assert calls == [("call_0", "f", "{}"), ("call_0", "g", "{}")]


def test_an_id_may_come_late() -> None:
    """An id for a call that has none yet belongs to that call."""
    assert assembled([piece("{", index=0, name="f")], [piece("}", id="a", index=0)]) == [
        ("a", "f", "{}")
    ]


def test_what_says_nothing_is_left_out() -> None:
    """A piece without id, name and arguments makes no call."""
    assert ToolCallPlaces().place([piece(None, index=3), {"index": 0}]) == ()


def test_id_and_name_are_handed_on_once() -> None:
    """What is appended must not be sent twice."""
    places = ToolCallPlaces()
    places.place([piece("{", id="a", index=0, name="f")])

    assert places.place([piece("}", id="a", index=0, name="f")]) == (
        ToolCallDelta(0, None, None, "}"),
    )


@given(
    st.lists(st.lists(st.text("{}1", max_size=3), min_size=1, max_size=4), min_size=1, max_size=5)
)
def test_any_cut_of_indexed_calls_is_put_together(calls: list[list[str]]) -> None:
    """Calls in any number of pieces come out with their pieces joined."""
    chunks = [
        [piece(part, index=index, **({"id": f"id{index}", "name": "f"} if place == 0 else {}))]
        for index, parts in enumerate(calls)
        for place, part in enumerate(parts)
    ]

    assert [arguments for _, _, arguments in assembled(*chunks)] == ["".join(c) for c in calls]


@pytest.mark.parametrize(
    ("arguments", "text"), [('{"a":1}', '{"a":1}'), (None, ""), ({"a": 1}, '{"a":1}'), ({}, "{}")]
)
def test_arguments_become_json_text(arguments: object, text: str) -> None:
    """Some servers send an object, some null."""
    assert read_arguments({"arguments": arguments}) == text
