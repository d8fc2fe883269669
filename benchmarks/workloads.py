"""What is measured, and how: CPU time of this process for work whose answer is checked."""

import asyncio
import gc
import os
import resource
import statistics
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contestants import Contestant
from benchmarks.fake_vendor import get_text

__all__ = ["FULL", "SMALL", "WORKLOADS", "Size", "Workload"]

_PROMPT = "How is it?"


@dataclass(frozen=True)
class Size:
    """How much of each.

    Attributes:
        seconds: Of CPU time per measurement.
        pieces: Words of a streamed answer.
        pieces_of_many: Words of each of many streams.
        streams: Concurrent streams.
        waiting: Concurrent streams that wait for their next piece.
        turns: Of the growing conversation.
    """

    seconds: float
    pieces: int
    pieces_of_many: int
    streams: int
    waiting: int
    turns: int


FULL = Size(seconds=1.0, pieces=500, pieces_of_many=200, streams=200, waiting=500, turns=200)
SMALL = Size(seconds=0.02, pieces=30, pieces_of_many=30, streams=5, waiting=5, turns=8)


@dataclass(frozen=True)
class Workload:
    """A kind of work.

    Attributes:
        title: For the table.
        unit: Of the figure.
        script: For the fake vendor, given the size.
        measure: Does the work and gives the figure.
        target: The most that Arc may cost; None if none is set.
        reference: What the target is a multiple of; empty if it is a figure itself.
    """

    title: str
    unit: str
    script: Callable[[Size], str]
    measure: Callable[[Contestant, Size], Awaitable[float]]
    target: float | None = None
    reference: str = "× floor"


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
    text = "".join([piece async for piece in contestant.stream(_PROMPT, tools=tools)])
    assert text == get_text(words), text[:200]


async def tool_run(contestant: Contestant, size: Size) -> float:
    """Milliseconds of a run with two parallel tools and two model calls."""

    async def work() -> None:
        answer = await contestant.run(_PROMPT)
        assert answer == get_text(12), answer

    return 1e3 * await _cpu_s_of_one(work, seconds=size.seconds)


async def stream(contestant: Contestant, size: Size) -> float:
    """Microseconds per piece of a stream."""

    async def work() -> None:
        await _read(contestant, tools=False, words=size.pieces)

    return 1e6 * await _cpu_s_of_one(work, seconds=size.seconds) / size.pieces


async def first_piece(contestant: Contestant, size: Size) -> float:
    """Milliseconds of the clock from a question to its first piece, the median of many."""
    waits, began = list[float](), time.process_time()
    while len(waits) < 3 or time.process_time() - began < size.seconds:
        asked = time.perf_counter()
        async with aclosing(contestant.stream(_PROMPT, tools=False)) as pieces:
            await anext(pieces)
            waits.append(time.perf_counter() - asked)
            rest = "".join([piece async for piece in pieces])
        assert get_text(size.pieces).endswith(rest), rest[:200]
    return 1e3 * statistics.median(waits[1:])


async def paced_stream(contestant: Contestant, size: Size) -> float:
    """Microseconds per piece of a stream whose pieces come one by one, the least of three."""
    return 1e6 * min([await _cpu_s_of_paced(contestant, size) for _ in range(4)]) / size.pieces


async def _cpu_s_of_paced(contestant: Contestant, size: Size) -> float:
    began = time.process_time()
    await _read(contestant, tools=False, words=size.pieces)
    return time.process_time() - began


async def tool_stream(contestant: Contestant, size: Size) -> float:
    """Milliseconds of a stream with two tools before its text."""

    async def work() -> None:
        await _read(contestant, tools=True, words=size.pieces)

    return 1e3 * await _cpu_s_of_one(work, seconds=size.seconds)


async def many_streams(contestant: Contestant, size: Size) -> float:
    """Microseconds per piece of concurrent streams."""
    await _read(contestant, tools=False, words=size.pieces_of_many)
    began = time.process_time()
    async with asyncio.TaskGroup() as group:
        for _ in range(size.streams):
            group.create_task(_read(contestant, tools=False, words=size.pieces_of_many))
    return 1e6 * (time.process_time() - began) / (size.pieces_of_many * size.streams)


async def memory_of_many_streams(contestant: Contestant, size: Size) -> float:
    """Megabytes by which concurrent streams make the process grow."""
    await _read(contestant, tools=False, words=size.pieces_of_many)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    await many_streams(contestant, size)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


async def memory_of_a_waiting_stream(contestant: Contestant, size: Size) -> float:
    """Kilobytes by which each stream that waits for its next piece makes the process grow."""
    started = asyncio.Semaphore(0)

    async def read() -> None:
        async with aclosing(contestant.stream(_PROMPT, tools=False)) as pieces:
            await anext(pieces)
            started.release()
            await asyncio.Event().wait()

    tasks = [asyncio.create_task(read())]
    await started.acquire()
    before = _count_resident_kb()
    tasks += [asyncio.create_task(read()) for _ in range(size.waiting)]
    for _ in range(size.waiting):
        await started.acquire()
    grown = _count_resident_kb() - before
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    return grown / size.waiting


def _count_resident_kb() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


async def conversation(contestant: Contestant, size: Size) -> float:
    """Milliseconds of the last turns of a growing conversation, the median of seven."""
    costs = [await _cpu_s_of_turn(contestant, "long", number) for number in range(size.turns)]
    return 1e3 * statistics.median(costs[-7:])


async def first_turns(contestant: Contestant, size: Size) -> float:
    """Milliseconds of the first turns of conversations, the median; the first eight warm up."""
    count = max(16, size.turns // 2)
    costs = [await _cpu_s_of_turn(contestant, f"short {each}", 0) for each in range(count)]
    return 1e3 * statistics.median(costs[8:])


async def _cpu_s_of_turn(contestant: Contestant, session: str, number: int) -> float:
    prompt = f"Turn {number}. " + "The quick answer is not the best one. " * 5
    began = time.process_time()
    answer = await contestant.turn(prompt, session=session)
    took_s = time.process_time() - began
    assert answer == get_text(40), answer
    return took_s


async def first_answer(contestant: Contestant, size: Size) -> float:
    """Nothing but one answer: the whole process is measured from outside."""
    await contestant.run(_PROMPT)
    return 0.0


def _pieces(script: str = "") -> Callable[[Size], str]:
    return lambda size: f"words={size.pieces}{script}"


def _pieces_of_many(script: str) -> Callable[[Size], str]:
    return lambda size: f"words={size.pieces_of_many},{script}"


WORKLOADS = {
    "first_answer": Workload(
        "A: process start to first answer", "ms", lambda _: "words=12", first_answer, 1.2, "× SDK"
    ),
    "tool_run": Workload(
        "B: run with two tools, two model calls", "ms", lambda _: "words=12,tools=2", tool_run, 1.3
    ),
    "stream": Workload("C: stream in a burst", "µs/piece", _pieces(), stream, 1.5),
    "first_piece": Workload(
        "C: time to the first piece", "ms of the clock", _pieces(), first_piece, 1.4
    ),
    "paced_stream": Workload(
        "P: stream, one piece each 2 ms", "µs/piece", _pieces(",delay=2"), paced_stream, 1.15
    ),
    "tool_stream": Workload(
        "D: two tools, then a stream", "ms", _pieces(",tools=2"), tool_stream, 1.5
    ),
    "many_streams": Workload(
        "E: many streams at once", "µs/piece", _pieces_of_many("turns=1"), many_streams, 1.4
    ),
    "memory": Workload(
        "E: growth of memory", "MB", _pieces_of_many("turns=1"), memory_of_many_streams, 1.0
    ),
    "many_paced_streams": Workload(
        "G: many streams, one piece each 20 ms",
        "µs/piece",
        _pieces_of_many("delay=20"),
        many_streams,
        1.2,
    ),
    "first_turn": Workload(
        "F: first turn of a conversation", "ms", lambda _: "words=40", first_turns
    ),
    "conversation": Workload(
        "F: last turn of a long one", "ms", lambda _: "words=40", conversation, 1.6
    ),
    "waiting_memory": Workload(
        "memory of a waiting stream",
        "KB",
        lambda _: "words=60,delay=500",
        memory_of_a_waiting_stream,
        40,
        "",
    ),
}
