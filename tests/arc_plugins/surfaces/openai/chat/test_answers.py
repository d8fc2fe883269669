"""What a chat completion is answered with."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from typing import Any

from openai.types.chat import ChatCompletion, ChatCompletionChunk

from arc_core import (
    AgentEvent,
    AgentResult,
    ApprovalRequest,
    ContextCompacted,
    FinishReason,
    Request,
    RunFinished,
    TextDelta,
    TurnRestarted,
)
from arc_plugins.surfaces.openai.chat.answers import ChatStream, make_completion

DONE = AgentResult(success=True, content="ab", run_id="r", finish_reason=FinishReason.LENGTH)


def tell_waiting(run_id: str, requests: Sequence[Request]) -> str:
    return f"{run_id} waits for {requests[0].tool}"


async def told(*events: AgentEvent, is_document: bool = False) -> list[Any]:
    """What a reader gets of a run, which fits the types of the SDK."""
    stream = ChatStream(
        "r", model="m", has_usage=True, is_document=is_document, tell_waiting=tell_waiting
    )

    async def read_first() -> AgentEvent:
        return events[0]

    async def rest() -> AsyncGenerator[AgentEvent]:
        for event in events[1:]:
            yield event

    first = asyncio.create_task(read_first())
    frames = b"".join([frame async for frame in stream.frames(first, rest())])
    datas = [line[6:] for line in frames.decode().splitlines() if line.startswith("data: ")]
    chunks = [each if each == "[DONE]" else json.loads(each) for each in datas]
    for each in chunks:
        if each != "[DONE]" and "error" not in each:
            ChatCompletionChunk.model_validate(each)
    return chunks


async def test_what_a_run_waits_for_stands_apart() -> None:
    """From what was said before."""
    request = ApprovalRequest(run_id="r", key="k", tool="pay", since=datetime.now(UTC))
    waiting = AgentResult(success=False, run_id="r", waiting=(request,))
    chunks = await told(TextDelta("a", "r"), RunFinished(waiting, "r"))

    text = chunks[2]["choices"][0]["delta"]["content"]
    assert text == "\n\nr waits for pay"


async def test_texts_of_other_runs_are_not_the_answer() -> None:
    """They are of agents below."""
    chunks = await told(TextDelta("a", "r"), TextDelta("x", "below"), RunFinished(DONE, "r"))

    assert [c["choices"][0]["delta"].get("content") for c in chunks[:-2]] == ["", "a", None]
    assert chunks[-1] == "[DONE]"


async def test_room_that_was_made_in_a_window_is_not_told() -> None:
    """The protocol has no place for it."""
    compacted = ContextCompacted(3, 1, 9000, 4000, "r", 2)
    chunks = await told(TextDelta("a", "r"), compacted, TextDelta("b", "r"), RunFinished(DONE, "r"))

    assert [c["choices"][0]["delta"].get("content") for c in chunks[:-2]] == ["", "a", "b", None]


async def test_a_document_comes_once_it_is_right() -> None:
    """Its first pieces may have been repaired."""
    chunks = await told(TextDelta("x", "r"), RunFinished(DONE, "r"), is_document=True)

    assert [c["choices"][0]["delta"].get("content") for c in chunks[:-2]] == ["", "ab", None]


async def test_an_answer_that_begins_again_fails() -> None:
    """What was sent of it cannot be taken back."""
    chunks = await told(TextDelta("a", "r"), TurnRestarted(1, "r"))

    assert chunks[-1]["error"]["code"] == "turn_restarted"


async def test_an_answer_that_was_cut_says_so() -> None:
    """Whole and in pieces; without figures the tokens of a whole one are unknown."""
    chunks = await told(TextDelta("ab", "r"), RunFinished(DONE, "r"))
    told_whole = make_completion(DONE, model="m", is_document=False, tell_waiting=tell_waiting)
    whole = ChatCompletion.model_validate(told_whole)

    assert chunks[-3]["choices"][0]["finish_reason"] == "length"
    assert chunks[-2]["usage"]["total_tokens"] == 0
    assert (whole.choices[0].finish_reason, whole.usage) == ("length", None)
