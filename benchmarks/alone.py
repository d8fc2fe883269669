"""What Arc costs where there is nothing to compare it with: runs without a network, and options.

A figure is CPU time of this process, the least of several measurements; two ways are measured in
turns. Each has the most that it may be.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    AssistantMessage,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    FinishReason,
    TokenUsage,
    ToolCall,
    ToolResultMessage,
    tool,
)
from benchmarks.call_counter import CallCounter
from benchmarks.injection_guard import ORDINARY, default_result_guard, is_let_through
from benchmarks.output_guards import cases
from benchmarks.output_window import compare
from benchmarks.serving import load
from benchmarks.workloads import Size

__all__ = ["ALONE", "Figure", "open_scripted", "read_stream", "take_run"]

_BLOCKS = 10
_USAGE = TokenUsage(prompt_tokens=40, completion_tokens=20)
_CALL = AssistantMessage("", (ToolCall("1", "get_weather", '{"city": "Busan"}'),))
_ANSWER = "Clear in Busan."
_GUARDED_PIECES = 5_000
_LONG_CHARS = 1_000_000
_RESULT_CHARS = 10_000


@dataclass(frozen=True)
class Figure:
    """A figure of Arc alone.

    Attributes:
        title: For the table.
        unit: Of the figure.
        measure: Gives it.
        target: The most that it may be.
    """

    title: str
    unit: str
    measure: Callable[[Size], Awaitable[float]]
    target: float


class _Model(ChatModel):
    """Calls a tool if one is offered, and then answers; streams so many words."""

    def __init__(self, pieces: int = 0) -> None:
        self._pieces = pieces

    async def complete(self, request: ChatRequest) -> ChatResponse:
        if request.tools and not isinstance(request.messages[-1], ToolResultMessage):
            return ChatResponse(_CALL, _USAGE, FinishReason.TOOL_CALLS)
        return ChatResponse(AssistantMessage(_ANSWER), _USAGE, FinishReason.STOP)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        for _ in range(self._pieces):
            yield ChatDelta(text="word ")
        yield ChatDelta(usage=_USAGE, finish_reason=FinishReason.STOP)


@tool
async def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"clear in {city}"


@tool
async def pay() -> str:
    """Pay."""
    return "paid"


@tool(name="pay", needs_approval=True)
async def pay_if_approved() -> str:
    """Pay."""
    return "paid"


@asynccontextmanager
async def open_scripted(
    *parts: Any, pieces: int = 0, **settings: Any
) -> AsyncIterator[Application]:
    """An application without a network: its model calls the tools among the parts, or streams."""
    model = _Model(pieces)
    async with Application(
        ArcSettings(_isolated=True, **settings), register=[model, *parts]
    ) as app:
        yield app


async def take_run(app: Application) -> None:
    """Ask once."""
    result = await app.execute("How is the weather?")
    assert result.content == _ANSWER, result


async def read_stream(app: Application, pieces: int) -> None:
    """Read the stream to its end."""
    read = [text async for text in app.execute_stream("How is the weather?")]
    assert len(read) == pieces, len(read)


async def _measure_us(*works: Callable[[], Awaitable[None]], size: Size) -> list[float]:
    """Return the microseconds of one unit of each work, measured in turns."""
    least = [float("inf")] * len(works)
    for _ in range(_BLOCKS):
        for place, work in enumerate(works):
            await work()
            count, began = 0, time.process_time()
            while not count or time.process_time() - began < size.seconds / _BLOCKS:
                await work()
                count += 1
            least[place] = min(least[place], (time.process_time() - began) / count * 1e6)
    return least


async def _compare_us(
    size: Size, before: Sequence[Any] = (), after: Sequence[Any] = (), **settings: Any
) -> tuple[float, float]:
    """Return the microseconds of a run, and of one with other parts or more settings."""
    async with AsyncExitStack() as stack:
        plain = await stack.enter_async_context(open_scripted(get_weather, *before))
        more = await stack.enter_async_context(open_scripted(get_weather, *after, **settings))
        least = await _measure_us(partial(take_run, plain), partial(take_run, more), size=size)
    return least[0], least[1]


async def scripted_run(size: Size) -> float:
    """Microseconds of a run with one tool."""
    async with open_scripted(get_weather) as app:
        [least] = await _measure_us(partial(take_run, app), size=size)
    return least


async def scripted_piece(size: Size) -> float:
    """Microseconds of a streamed piece."""
    async with open_scripted(pieces=size.pieces) as app:
        [least] = await _measure_us(partial(read_stream, app, size.pieces), size=size)
    return least / size.pieces


async def cache_hit(size: Size) -> float:
    """Microseconds of an answer from the cache in memory."""
    async with open_scripted(cache={"enabled": True}, llm={"temperature": 0}) as app:
        [least] = await _measure_us(partial(take_run, app), size=size)
    return least


async def approval(size: Size) -> float:
    """What marking a tool for approval adds to runs that do not call it, in per cent."""
    before, after = await _compare_us(size, [pay], [pay_if_approved])
    return 100 * (after / before - 1)


async def budget(size: Size) -> float:
    """Microseconds that a budget in memory adds to a run."""
    before, after = await _compare_us(size, budget={"tenant_tokens_per_day": 10**15})
    return after - before


async def guarded_piece(size: Size) -> float:
    """Microseconds that the dearest of the output guards adds to a piece."""
    pieces = min(_GUARDED_PIECES, 10 * size.pieces)
    ways: dict[str, tuple[Any, ...]] = {"none": ()}
    ways |= {name: (case.guard,) for name, case in cases().items()}
    found = await compare(ways, rounds=5, pieces=pieces, first_s=0, delay_s=0, burst=16)
    least = {name: min(each.cpu_us for each in figures) for name, figures in found.items()}
    return max(least.values()) - least["none"]


async def tool_result(size: Size, *, language: str) -> float:
    """Milliseconds that the injection guard needs for a tool result of 10 000 characters."""
    guard, unit = default_result_guard(), ORDINARY[language]
    text = (unit * _RESULT_CHARS)[:_RESULT_CHARS]

    async def check() -> None:
        assert await is_let_through(guard, text)

    [least] = await _measure_us(check, size=size)
    return least / 1e3


async def loop_hold(size: Size) -> float:
    """Milliseconds for which a tool result of a million characters holds the loop at most."""
    chars = min(_LONG_CHARS, 2_000 * size.pieces)
    guard, longest = default_result_guard(), 0.0
    await is_let_through(guard, ORDINARY["english"])  # its tables are read once
    for unit in ORDINARY.values():
        text = (unit * chars)[:chars]
        check = asyncio.create_task(is_let_through(guard, text))
        while not check.done():
            began = time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.thread_time() - began)
    return 1e3 * longest


async def journal(size: Size) -> float:
    """The calls of the default journal, in per cent of those of a run with one tool."""
    counter = CallCounter(folders=("/arc_core/engine/journal/", "/arc_plugins/journals/"))
    async with open_scripted(get_weather) as app:
        await counter.count(partial(take_run, app))
    return 100 * counter.calls_in_folders / counter.calls


async def served_piece(size: Size) -> float:
    """The CPU of a served piece, in multiples of one that the engine gives without HTTP."""
    cost = await load.compare("turns=1", size.streams, rounds=2)
    return cost.served_us / cost.bare_us


ALONE: Mapping[str, Figure] = {
    "scripted_run": Figure("run with one tool, no network", "µs", scripted_run, 250),
    "scripted_piece": Figure("streamed piece, no network", "µs", scripted_piece, 4),
    "cache_hit": Figure("answer from the cache", "µs", cache_hit, 150),
    "guarded_piece": Figure("output guard's window, a piece", "µs", guarded_piece, 2),
    **{
        f"tool_result_{language}": Figure(
            f"guard of a tool result of 10 KB, {language}",
            "ms",
            partial(tool_result, language=language),
            2,
        )
        for language in ("english", "korean", "japanese")
    },
    "loop_hold": Figure("loop held by a tool result of 1 MB", "ms", loop_hold, 20),
    "approval": Figure("a tool that waits for approval, uncalled", "% of a run", approval, 3),
    "budget": Figure("budget in memory, a run", "µs", budget, 60),
    "journal": Figure("the default journal", "% of a run's calls", journal, 3),
    "served_piece": Figure("served piece", "× engine", served_piece, 1.5),
}
