"""Streamed answers: whole again, however they were cut and mixed."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import (
    AssistantMessage,
    ChatDelta,
    ChatResponse,
    FinishReason,
    TokenUsage,
    ToolCall,
    ToolCallDelta,
)
from arc_core.engine.model_calls.stream_assembly import StreamAssembly

calls = st.lists(
    st.builds(ToolCall, st.text("id", min_size=1), st.text("name"), st.text('{"a": 1}')), max_size=4
)


def fragments(call: ToolCall, index: int, dice: random.Random) -> list[ToolCallDelta]:
    """A call in pieces, its arguments cut anywhere."""
    cuts = sorted(dice.choices(range(len(call.arguments) + 1), k=dice.randrange(4)))
    edges = [0, *cuts, len(call.arguments)]
    pieces = [call.arguments[a:b] for a, b in pairwise(edges)]
    return [
        ToolCallDelta(index, id=call.id, name=call.name),
        *(ToolCallDelta(index, arguments=piece) for piece in pieces),
    ]


@pytest.mark.slow
@given(calls, st.integers())
def test_interleaved_calls_come_out_whole(made: list[ToolCall], seed: int) -> None:
    """Pieces of several calls may come in any mixture, as long as each call's are in order."""
    dice = random.Random(seed)
    waiting = [fragments(call, index, dice) for index, call in enumerate(made)]
    assembly = StreamAssembly(max_calls=10)

    while waiting:
        chosen = dice.choice(waiting)
        assembly.add(ChatDelta(tool_calls=(chosen.pop(0),)))
        waiting = [pieces for pieces in waiting if pieces]

    assert assembly.build(()).message.tool_calls == tuple(made)


def test_calls_come_in_the_order_of_their_index() -> None:
    """The index counts, not who came first; gaps do not matter."""
    assembly = StreamAssembly(max_calls=10)

    assembly.add(
        ChatDelta(
            tool_calls=(ToolCallDelta(7, "b", "second", "{}"), ToolCallDelta(0, "a", "first", "{}"))
        )
    )

    assert assembly.build(()).message.tool_calls == (
        ToolCall("a", "first", "{}"),
        ToolCall("b", "second", "{}"),
    )


def test_an_id_may_be_repeated_or_missing() -> None:
    """Servers that send it with each piece, or never, are understood."""
    assembly = StreamAssembly(max_calls=10)

    assembly.add(
        ChatDelta(tool_calls=(ToolCallDelta(0, "a", "find", "{"), ToolCallDelta(0, "a", None, "}")))
    )
    assembly.add(ChatDelta(tool_calls=(ToolCallDelta(1, None, "find", "{}"),)))

    assert assembly.build(()).message.tool_calls == (
        ToolCall("a", "find", "{}"),
        ToolCall("", "find", "{}"),
    )


def test_without_fragments_there_are_no_calls() -> None:
    """A stream of text alone."""
    assert StreamAssembly(max_calls=10).build(()).message.tool_calls == ()


def test_text_grows_and_the_rest_is_replaced() -> None:
    """Usage, finish reason and vendor content are what was said of them last."""
    assembly = StreamAssembly(max_calls=10)

    assembly.add(ChatDelta("Hel", usage=TokenUsage(1, 1)))
    assembly.add(ChatDelta("lo", vendor_content={"kept": True}))
    assembly.add(ChatDelta(usage=TokenUsage(2, 2), finish_reason=FinishReason.STOP))

    assert assembly.build(["Hel", "lo"]) == ChatResponse(
        AssistantMessage("Hello", vendor_content={"kept": True}),
        TokenUsage(2, 2),
        FinishReason.STOP,
    )
