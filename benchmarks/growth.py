"""How the cost of a run grows: `python -m benchmarks.growth`.

Each curve makes one thing larger, and measures the CPU time of this process with a scripted model,
so that nothing but Arc is measured. `power` is that of the size by which a curve grows at its end,
from the last size but one to the last: 0 is flat, 1 is linear. `--svg FOLDER` draws the curves.
"""

import argparse
import asyncio
import gc
import math
import tempfile
import time
import tracemalloc
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    Agent,
    Allowed,
    AssistantMessage,
    ChatDelta,
    ChatRequest,
    ChatResponse,
    ConversationOwner,
    ConversationStore,
    FinishReason,
    Guard,
    GuardRequest,
    Hook,
    Message,
    TokenUsage,
    ToolCall,
    UserMessage,
    tool,
)
from arc_core.testing import ScriptedChatModel
from arc_plugins.conversations.in_memory_store import InMemoryConversationStore
from arc_plugins.conversations.settings import HistorySettings
from arc_plugins.conversations.sql.store import SqlConversationStore
from benchmarks.plots import draw_curve

_USAGE = TokenUsage(prompt_tokens=10, completion_tokens=5)
_PIECE_CHARS = 1024

Measure = Callable[[int, int], Awaitable[float]]
"""Takes a size and a number of repetitions; gives milliseconds of CPU time, or kilobytes."""


@dataclass(frozen=True)
class Curve:
    """One thing that grows.

    Attributes:
        title: For the table and the plot.
        unit: Of the sizes.
        sizes: From the smallest to the largest.
        measure: Gives the figure of a size.
        figure: What it is: milliseconds of CPU time, or kilobytes.
    """

    title: str
    unit: str
    sizes: Sequence[int]
    measure: Measure
    figure: str = "ms"


class EchoModel(ScriptedChatModel):
    """Calls a tool once if there is one, and says the same at each turn.

    Args:
        text: What it says.
        hold: What a stream waits for after its first piece; None is nothing.
    """

    def __init__(self, text: str = "Sunny.", hold: asyncio.Event | None = None) -> None:
        super().__init__([])
        self._text, self._hold = text, hold

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The next turn."""
        is_first = request.tools and isinstance(request.messages[-1], UserMessage)
        calls = (ToolCall("1", "tool_0", '{"city": "Seoul"}'),) if is_first else ()
        return ChatResponse(AssistantMessage("" if calls else self._text, calls), usage=_USAGE)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        """The text, in pieces of a kilobyte."""
        del request
        for start in range(0, len(self._text), _PIECE_CHARS):
            yield ChatDelta(text=self._text[start : start + _PIECE_CHARS])
            if self._hold is not None:
                await self._hold.wait()
        yield ChatDelta(usage=_USAGE, finish_reason=FinishReason.STOP)


@asynccontextmanager
async def application(*parts: object, **settings: Any) -> AsyncIterator[Application]:
    """An application with all its defaults and some parts."""
    sections = {"concurrency": {"max_concurrent_requests": 100_000}, **settings}
    async with Application(ArcSettings(_isolated=True, **sections), register=parts) as app:
        yield app


async def measure_cpu(work: Callable[[], Awaitable[object]], times: int) -> float:
    """The least CPU time in milliseconds of some times, after one that is not measured."""
    figures = []
    for _ in range(times + 1):
        gc.collect()  # what is measured next is not to pay for what was before
        began = time.process_time()
        await work()
        figures.append(time.process_time() - began)
    return 1e3 * min(figures[1:])


async def measure_run(app: Application, times: int, **command: Any) -> float:
    """Milliseconds of a run."""

    async def run() -> None:
        result = await app.execute("How is the weather?", user_id="ann", **command)
        assert result.success, result

    return await measure_cpu(run, times)


def make_pairs(count: int) -> list[Message]:
    """Questions and answers, no two alike."""
    return [
        message
        for number in range(count)
        for message in (UserMessage(f"question {number}"), AssistantMessage(f"answer {number}"))
    ]


async def measure_turn(store: ConversationStore, turns: int, times: int, **history: Any) -> float:
    """Milliseconds of a turn of a session that has some already."""
    await store.append("s", make_pairs(turns), owner=ConversationOwner("ann"))
    async with application(store, EchoModel(), conversation=history) as app:
        return await measure_run(app, times, session_id="s")


async def measure_turn_of_all(turns: int, times: int) -> float:
    """Milliseconds of a turn whose model is sent the whole session."""
    store = InMemoryConversationStore(max_messages=10**9)
    return await measure_turn(store, turns, times, max_turns=10**6, trim="exact")


async def measure_turn_in_database(turns: int, times: int) -> float:
    """Milliseconds of a turn in a session of SQLite, of which the last turns are sent."""
    with tempfile.TemporaryDirectory() as folder:
        url = SecretStr(f"sqlite:///{Path(folder, 'talk.db')}")
        store = SqlConversationStore(settings=HistorySettings(url=url))
        await store.upgrade_schema()
        await store.start()
        try:
            return await measure_turn(store, turns, times)
        finally:
            await store.aclose()


async def measure_tools(count: int, times: int) -> float:
    """Milliseconds of a run that is offered some tools and calls one."""

    async def weather(city: str) -> str:
        """The weather of a city."""
        return f"sunny in {city}"

    tools = [tool(name=f"tool_{number}")(weather) for number in range(count)]
    async with application(EchoModel(), *tools, max_tools_per_request=1_000) as app:
        return await measure_run(app, times)


class PlainHook(Hook):
    """Does nothing."""


class PlainGuard(Guard):
    """Lets everything in."""

    async def check(self, request: GuardRequest) -> Allowed:
        """Let it in."""
        del request
        return Allowed()


async def measure_hooks(count: int, times: int) -> float:
    """Milliseconds of a run with some hooks, and as many guards."""
    parts = [
        type(f"{cls.__name__}{number}", (cls,), {})()
        for number in range(count)
        for cls in (PlainHook, PlainGuard)
    ]
    async with application(EchoModel(), *parts) as app:
        return await measure_run(app, times)


async def measure_agents(count: int, times: int) -> float:
    """Milliseconds of a run of the last of some agents."""
    agents = [Agent(f"agent-{number}", instructions="Be brief.") for number in range(count)]
    async with application(EchoModel(), *agents) as app:
        return await measure_run(app, times, agent=f"agent-{count - 1}")


async def read_all(app: Application, count: int, started: Callable[[], object]) -> None:
    """Read some streams at once."""

    async def read() -> None:
        texts = app.execute_stream("How is the weather?")
        async for _ in texts:
            started()

    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(read())


async def measure_streams(count: int, times: int) -> float:
    """Milliseconds of as many streams at once."""
    async with application(EchoModel("word " * 1_000)) as app:
        return await measure_cpu(lambda: read_all(app, count, started=int), times)


async def measure_waiting(count: int, times: int) -> float:
    """Kilobytes of all streams that wait for their second piece."""
    del times
    hold, waiting = asyncio.Event(), asyncio.Semaphore(0)
    async with application(EchoModel("word " * 400, hold)) as app:
        hold.set()
        await read_all(app, 1, started=int)
        hold.clear()
        tracemalloc.start()
        reading = asyncio.create_task(read_all(app, count, waiting.release))
        for _ in range(count):
            await waiting.acquire()
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        hold.set()
        await reading
    return kept / 1024


async def measure_text(kilobytes: int, times: int) -> float:
    """Milliseconds of a stream of some kilobytes."""
    async with application(EchoModel("a word " * (kilobytes * 1024 // 7))) as app:
        return await measure_cpu(lambda: read_all(app, 1, started=int), times)


TURNS, STREAMS = (10, 100, 1_000, 10_000), (100, 500, 1_000, 5_000)
CURVES = {
    "turns": Curve("a turn, of a session sent whole", "turns", TURNS, measure_turn_of_all),
    "database": Curve("a turn, of a session in SQLite", "turns", TURNS, measure_turn_in_database),
    "tools": Curve("a run with tools", "tools", (1, 10, 100, 500), measure_tools),
    "hooks": Curve("a run with hooks and guards", "of each", (1, 10, 50, 200), measure_hooks),
    "agents": Curve("a run of one of the agents", "agents", (1, 10, 50, 100), measure_agents),
    "streams": Curve("streams at once", "streams", STREAMS, measure_streams),
    "waiting": Curve("memory of streams that wait", "streams", STREAMS, measure_waiting, "KB"),
    "text": Curve("a streamed text", "KB", (1, 10, 100, 1_000, 10_000), measure_text),
}


def find_power(sizes: Sequence[int], values: Sequence[float]) -> float:
    """The power of the size by which a curve grows between its last two sizes."""
    (size, value), (largest, last) = list(zip(sizes, values, strict=True))[-2:]
    return math.log(last / value) / math.log(largest / size)


def options() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--times", type=int, default=7, help="measurements of each size (7)")
    parser.add_argument("--small", action="store_true", help="two sizes of each, to see it run")
    parser.add_argument("--only", nargs="*", default=[], metavar="CURVE", help="|".join(CURVES))
    parser.add_argument("--svg", type=Path, metavar="FOLDER", help="draws growth-CURVE.svg there")
    return parser.parse_args()


async def main() -> None:
    """Measure, report and draw."""
    asked = options()
    for name in asked.only or CURVES:
        curve = CURVES[name]
        sizes = curve.sizes[:2] if asked.small else curve.sizes
        values = [await curve.measure(size, asked.times) for size in sizes]
        cells = "  ".join(
            f"{size:,}: {value:.2f}" for size, value in zip(sizes, values, strict=True)
        )
        power = find_power(sizes, values)
        print(f"{curve.title}, {curve.figure} by {curve.unit}\n  {cells}  power {power:.2f}")
        if asked.svg is not None:
            drawn = draw_curve(
                sizes, values, title=curve.title, x_axis=curve.unit, y_axis=curve.figure
            )
            (asked.svg / f"growth-{name}.svg").write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    with asyncio.Runner() as runner:
        runner.run(main())
