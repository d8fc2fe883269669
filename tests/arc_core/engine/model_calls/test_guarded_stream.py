"""Streams past output guards: what leaves when, and that nothing leaves that should not."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Allowed,
    AssistantMessage,
    ChatDelta,
    ChatRequest,
    FinishReason,
    ReasoningDelta,
    RunFinished,
    TextDelta,
    TokenUsage,
    ToolCall,
    tool,
)
from arc_core.errors import ModelOverloadedError
from arc_core.settings import AgentSettings
from arc_core.testing import RecordingHook, RecordingMetrics, ScriptedChatModel, scripted_agent
from arc_core.testing.scripted_model import BrokenOff
from tests.arc_core.engine.entry_points import EntryPoint, events_of, executed, streamed
from tests.arc_core.engine.output_guarding import (
    SECRET,
    Answering,
    Masking,
    PieceModel,
    Rejecting,
    pieces_of,
)

COMMAND = AgentCommand(user_prompt="Hello", session_id="s")
AROUND = "We say this. {} And then that."


async def texts(agent: Any) -> list[str]:
    """The pieces that a reader of events gets."""
    return [each.text for each in await events_of(agent, COMMAND) if isinstance(each, TextDelta)]


@given(cuts=st.lists(st.integers(0, 40), max_size=12), window=st.none() | st.integers(14, 30))
@settings(max_examples=60, deadline=None)
async def test_no_split_lets_a_secret_out(cuts: list[int], window: int | None) -> None:
    """The reader gets the masked text, whatever the pieces."""
    pieces = pieces_of(AROUND.format(SECRET), *cuts)
    agent = scripted_agent(PieceModel(pieces), output_guards=[Masking(window_chars=window)])

    assert "".join(await texts(agent)) == AROUND.format("[key]")


@given(cuts=st.lists(st.integers(0, 40), max_size=12))
@settings(max_examples=40, deadline=None)
async def test_a_rejection_in_the_middle_keeps_what_was_handed_out(cuts: list[int]) -> None:
    """That is a beginning of the text, before the secret."""
    text = AROUND.format(SECRET)
    agent = scripted_agent(PieceModel(pieces_of(text, *cuts)), output_guards=[Rejecting()])

    result = await streamed(agent, COMMAND)

    assert result.error_code is AgentErrorCode.OUTPUT_REJECTED
    assert text[: text.index(SECRET)].startswith(result.partial_content or "")


class Gated(PieceModel):
    """Sends a piece each time it is let."""

    def __init__(self, *pieces: str) -> None:
        super().__init__(pieces)
        self.may_go_on = asyncio.Semaphore(0)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        for piece in self._turns[0]:
            await self.may_go_on.acquire()
            yield ChatDelta(text=piece)
        await self.may_go_on.acquire()
        yield ChatDelta(finish_reason=FinishReason.STOP)


async def test_all_but_the_window_leaves_as_it_comes() -> None:
    """A reader waits for no more than the largest window."""
    model = Gated("0123456789", "abcde")
    guards = [Answering(window_chars=4), Answering(window_chars=0)]
    agent = scripted_agent(model, output_guards=guards)
    pieces, left = agent.execute_stream(COMMAND), []

    model.may_go_on.release()
    left.append(await anext(pieces))
    model.may_go_on.release()
    left.append(await anext(pieces))
    model.may_go_on.release()
    left += [piece async for piece in pieces]

    assert left == ["012345", "6789a", "bcde"]


async def test_without_a_window_each_piece_is_looked_at_on_its_own() -> None:
    """And all of them once more at the end."""
    guard = Answering(window_chars=0)
    agent = scripted_agent(PieceModel(["Hel", "lo", "!"]), output_guards=[guard])

    assert await texts(agent) == ["Hel", "lo", "!"]
    assert [(each.text, each.is_final) for each in guard.requests] == [
        ("Hel", False), ("lo", False), ("!", False), ("Hello!", True),
    ]  # fmt: skip


async def test_pieces_that_come_at_once_are_looked_at_together() -> None:
    """A guard costs a fast stream a few looks and not one for each piece."""
    guard = Answering(window_chars=10)
    agent = scripted_agent(PieceModel(["word "] * 1000), output_guards=[guard])

    assert "".join(await texts(agent)) == "word " * 1000
    assert len(guard.requests) < 100


async def test_pieces_that_come_one_right_after_another_are_looked_at_together() -> None:
    """Also if the loop has a turn between them; the first one leaves by itself."""

    class OneATurn(PieceModel):
        async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
            for _ in range(1000):
                await asyncio.sleep(0)
                yield ChatDelta(text="word ")
            yield ChatDelta(finish_reason=FinishReason.STOP)

    guard = Answering(window_chars=10)
    pieces = await texts(scripted_agent(OneATurn(), output_guards=[guard]))

    assert "".join(pieces) == "word " * 1000
    assert pieces[0] == "word "
    assert len(guard.requests) < 500


async def test_at_the_end_a_replacement_of_what_has_left_is_a_rejection() -> None:
    """It cannot be taken back, and the run says so; nothing is kept."""

    class Late(Answering):
        async def check(self, request: Any) -> Any:
            return Allowed("[gone]") if request.is_final else Allowed()

    hook = RecordingHook()
    agent = scripted_agent(
        PieceModel(["All ", "is ", "out."]), output_guards=[Late(window_chars=0)], hooks=[hook]
    )

    result = await streamed(agent, COMMAND)

    assert result.error_code is AgentErrorCode.OUTPUT_REJECTED
    assert result.partial_content == hook.response.partial_content == "All is out."


@pytest.mark.parametrize("entry_point", [executed, streamed])
async def test_a_secret_parted_by_a_tool_call_does_not_leave_whole(entry_point: EntryPoint) -> None:
    """Guards see the end of what has left in the turn before."""

    @tool
    async def look() -> str:
        """Look."""
        return "seen"

    first = AssistantMessage(f"It is {SECRET[:8]}", (ToolCall("1", "look", "{}"),))
    model = ScriptedChatModel([first, f"{SECRET[8:]} indeed."])
    agent = scripted_agent(model, output_guards=[Rejecting()], tools=[look])

    result = await entry_point(agent, COMMAND)

    assert isinstance(result, AgentResult)
    assert result.error_code is AgentErrorCode.OUTPUT_REJECTED
    assert SECRET[8:] not in repr(result)


class ThinkingBetween(PieceModel):
    """Says a word after each piece of its thoughts."""

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        for thought in self._thoughts:
            yield ChatDelta(reasoning=thought)
            yield ChatDelta(text="Hm. ")
        yield ChatDelta(finish_reason=FinishReason.STOP)


async def test_reasoning_parted_by_text_does_not_leave_whole() -> None:
    """However many pieces it is parted into."""
    agent = scripted_agent(ThinkingBetween(thoughts=list(SECRET)), output_guards=[Masking()])

    events = await events_of(agent, COMMAND)

    thought = "".join(each.text for each in events if isinstance(each, ReasoningDelta))
    assert thought == SECRET[:-1]
    assert isinstance(events[-1], RunFinished)
    assert events[-1].result.error_code is AgentErrorCode.OUTPUT_REJECTED


async def test_reasoning_leaves_a_window_behind_and_before_the_text() -> None:
    """As text does, masked."""
    model = PieceModel(["Hello."], thoughts=["The ", SECRET[:6], SECRET[6:], " it is."])
    agent = scripted_agent(model, output_guards=[Masking()])

    events = await events_of(agent, COMMAND)

    kinds = [type(each) for each in events if isinstance(each, ReasoningDelta | TextDelta)]
    thought = "".join(each.text for each in events if isinstance(each, ReasoningDelta))
    assert thought == "The [key] it is."
    assert kinds.index(TextDelta) == kinds.count(ReasoningDelta)


async def test_a_model_that_fails_before_anything_has_left_gets_a_retry() -> None:
    """What was held back is gone, and is not handed out twice."""
    model = ScriptedChatModel([BrokenOff("Half an", ModelOverloadedError()), "A whole answer."])
    retry = AgentSettings.model_validate({"retry": {"initial_delay_s": 0}})
    agent = scripted_agent(model, retry, output_guards=[Answering()])

    assert "".join(await texts(agent)) == "A whole answer."


async def test_a_slow_reader_holds_up_the_model() -> None:
    """What waits is bounded: the model is not read to its end."""
    taken = 0

    class Counting(PieceModel):
        async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
            nonlocal taken
            for _ in range(100_000):
                taken += 1
                yield ChatDelta(text="x")

    agent = scripted_agent(Counting(), output_guards=[Answering(window_chars=0)])
    stream = agent.execute_stream(COMMAND)
    await anext(stream)
    for _ in range(1000):
        await asyncio.sleep(0)
    await stream.aclose()

    assert taken < 500


@pytest.mark.parametrize("steps", range(12))
async def test_leaving_a_stream_leaves_nothing_behind(steps: int) -> None:
    """No task and no stream, wherever the reader leaves."""
    is_open = False

    class Closing(PieceModel):
        async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
            nonlocal is_open
            is_open = True
            try:
                while True:
                    await asyncio.sleep(0)
                    yield ChatDelta(text="word ")
            finally:
                is_open = False

    agent = scripted_agent(Closing(), output_guards=[Masking()])
    stream = agent.stream_events(COMMAND)
    for _ in range(steps):
        await anext(stream)
    await stream.aclose()

    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert not is_open


async def test_the_deadline_ends_a_guarded_stream() -> None:
    """With its own code, and what had left."""

    class Endless(PieceModel):
        async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
            yield ChatDelta(text="A beginning, and then nothing.")
            await asyncio.Event().wait()

    soon = AgentSettings.model_validate({"concurrency": {"request_timeout_s": 0.05}})
    agent = scripted_agent(Endless(), soon, output_guards=[Answering(window_chars=8)])

    result = await streamed(agent, COMMAND)

    assert isinstance(result, AgentResult)
    assert (result.error_code, result.partial_content) == (
        AgentErrorCode.TIMEOUT, "A beginning, and then ",
    )  # fmt: skip


async def test_a_call_that_a_rejection_ends_is_in_the_metrics() -> None:
    """With the code of the run; what it used is not known."""

    class Endless(PieceModel):
        async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
            yield ChatDelta(text=f"{SECRET} is what you asked for.")
            await asyncio.Event().wait()

    metrics = RecordingMetrics()
    agent = scripted_agent(Endless(), output_guards=[Rejecting()], agent_metrics=metrics)

    await streamed(agent, COMMAND)

    [call] = metrics.model_calls
    assert (call.error_code, call.attempts) == (AgentErrorCode.OUTPUT_REJECTED, 1)
    assert call.token_usage is None


async def test_a_whole_answer_that_is_rejected_is_counted() -> None:
    """The metrics and the result have the tokens that the model has reported at its end."""
    metrics = RecordingMetrics()
    agent = scripted_agent(PieceModel([SECRET]), output_guards=[Rejecting()], agent_metrics=metrics)

    result = await streamed(agent, COMMAND)

    [call] = metrics.model_calls
    assert call.error_code is AgentErrorCode.OUTPUT_REJECTED
    assert call.token_usage == result.token_usage == TokenUsage(10, 5)


async def test_events_end_with_the_result_of_a_rejection() -> None:
    """Once, and last."""
    agent = scripted_agent(PieceModel([SECRET]), output_guards=[Rejecting()])

    events = await events_of(agent, COMMAND)

    assert [type(each) for each in events].count(RunFinished) == 1
    assert isinstance(events[-1], RunFinished)
    assert events[-1].result.error_code is AgentErrorCode.OUTPUT_REJECTED
