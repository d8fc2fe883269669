"""What is measured, and how: CPU time of this process for work whose answer is checked."""

import asyncio
import resource
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from benchmarks.contestants import Contestant
from benchmarks.fake_vendor import get_text

__all__ = ["FULL", "SMALL", "WORKLOADS", "Size", "Workload"]


@dataclass(frozen=True)
class Size:
    """How much of each.

    Attributes:
        seconds: Of CPU time per measurement.
        pieces: Words of a streamed answer.
        streams: Concurrent streams.
        turns: Of the growing conversation.
    """

    seconds: float
    pieces: int
    streams: int
    turns: int


FULL = Size(seconds=1.0, pieces=500, streams=200, turns=200)
SMALL = Size(seconds=0.02, pieces=30, streams=5, turns=8)


@dataclass(frozen=True)
class Workload:
    """A kind of work.

    Attributes:
        title: For the table.
        unit: Of the figure.
        script: For the fake vendor, given the size.
        measure: Does the work and gives the figure.
    """

    title: str
    unit: str
    script: Callable[[Size], str]
    measure: Callable[[Contestant, Size], Awaitable[float]]


async def _cpu_s_of_one(work: Callable[[], Awaitable[None]], *, seconds: float) -> float:
    """CPU seconds of one unit of work: warmed up twice, then for so long."""
    for _ in range(2):
        await work()
    count, began = 0, time.process_time()
    while count < 2 or time.process_time() - began < seconds:
        await work()
        count += 1
    return (time.process_time() - began) / count


async def _read(contestant: Contestant, *, tools: bool, words: int) -> None:
    text = "".join([piece async for piece in contestant.stream("How is it?", tools=tools)])
    assert text == get_text(words), text[:200]


async def tool_run(contestant: Contestant, size: Size) -> float:
    """Milliseconds of a run with two parallel tools and two model calls."""

    async def work() -> None:
        answer = await contestant.run("How is it?")
        assert answer == get_text(12), answer

    return 1e3 * await _cpu_s_of_one(work, seconds=size.seconds)


async def stream(contestant: Contestant, size: Size) -> float:
    """Microseconds per piece of a stream."""

    async def work() -> None:
        await _read(contestant, tools=False, words=size.pieces)

    return 1e6 * await _cpu_s_of_one(work, seconds=size.seconds) / size.pieces


async def tool_stream(contestant: Contestant, size: Size) -> float:
    """Milliseconds of a stream with two tools before its text."""

    async def work() -> None:
        await _read(contestant, tools=True, words=size.pieces)

    return 1e3 * await _cpu_s_of_one(work, seconds=size.seconds)


async def many_streams(contestant: Contestant, size: Size) -> float:
    """Microseconds per piece of concurrent streams."""
    await _read(contestant, tools=False, words=size.pieces)
    began = time.process_time()
    async with asyncio.TaskGroup() as group:
        for _ in range(size.streams):
            group.create_task(_read(contestant, tools=False, words=size.pieces))
    return 1e6 * (time.process_time() - began) / (size.pieces * size.streams)


async def memory_of_many_streams(contestant: Contestant, size: Size) -> float:
    """Megabytes by which concurrent streams make the process grow."""
    await _read(contestant, tools=False, words=size.pieces)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    await many_streams(contestant, size)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


async def conversation(contestant: Contestant, size: Size) -> float:
    """Milliseconds of the last turns of a growing conversation, the median of seven."""
    costs = []
    for number in range(size.turns):
        prompt = f"Turn {number}. " + "The quick answer is not the best one. " * 5
        began = time.process_time()
        answer = await contestant.turn(prompt)
        costs.append(time.process_time() - began)
        assert answer == get_text(40), answer
    return 1e3 * sorted(costs[-7:])[len(costs[-7:]) // 2]


async def first_answer(contestant: Contestant, size: Size) -> float:
    """Nothing but one answer: the whole process is timed from outside."""
    await contestant.run("How is it?")
    return 0.0


WORKLOADS = {
    "tool_run": Workload("run with two tools", "ms", lambda _: "words=12,tools=2", tool_run),
    "stream": Workload("stream, burst", "µs/piece", lambda s: f"words={s.pieces}", stream),
    "paced_stream": Workload(
        "stream, one piece each 2 ms", "µs/piece", lambda s: f"words={s.pieces},delay=2", stream
    ),
    "tool_stream": Workload(
        "two tools, then a stream", "ms", lambda s: f"words={s.pieces},tools=2", tool_stream
    ),
    "many_streams": Workload(
        "many streams at once", "µs/piece", lambda s: f"words={s.pieces},turns=1", many_streams
    ),
    "memory": Workload(
        "growth by many streams",
        "MB",
        lambda s: f"words={s.pieces},turns=1",
        memory_of_many_streams,
    ),
    "conversation": Workload("last turn of many", "ms", lambda _: "words=40", conversation),
    "first_answer": Workload(
        "process to first answer", "ms wall", lambda _: "words=12", first_answer
    ),
}
