"""Calls counted in place of time, which no other process disturbs: `python -m benchmarks.counts`.

A call is one of a Python function, of a function in C, or a generator that goes on. Arc is counted
beside OpenAI's client as transport only (the floor), and its start, up to the first answer, beside
OpenAI's SDK; each in a process of its own with the vendor inside it. Work without a network has
nothing beside it. `ratios.json` has what was counted last, by the version of Python: the command
ends with 1 if a ratio has grown by a quarter, and `--write` records the new ones.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.call_counter import CallCounter, count_calls
from benchmarks.contestants import Contestant, contestant
from benchmarks.in_memory_loop import InMemoryLoop
from benchmarks.processes import ENVIRONMENT, ROOT

__all__ = ["RECORDED", "VERSION", "Counts", "count_all", "find_growth", "get_ratio"]

Counts = Mapping[str, Mapping[str, int]]
"""Of each kind of work, the calls of Arc and of what stands beside it."""

RECORDED = Path(__file__).with_name("ratios.json")
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
_GROWN = 1.25
_PIECES = 200


async def _run(asked: Contestant) -> None:
    await asked.run("How is it?")


async def _read(asked: Contestant, *, tools: bool) -> None:
    async for _ in asked.stream("How is it?", tools=tools):
        pass


async def _take_turn(asked: Contestant) -> None:
    await asked.turn("How is it?", session="one")


_WORK: Mapping[str, tuple[str, Callable[[Contestant], Awaitable[None]]]] = {
    "tool_run": ("words=12,tools=2", _run),
    "stream": (f"words={_PIECES}", partial(_read, tools=False)),
    "tool_stream": (f"words={_PIECES},tools=2", partial(_read, tools=True)),
    "conversation": ("words=40", _take_turn),
}
"""The vendor's script, and what is asked of it."""


@asynccontextmanager
async def _open_contestant(name: str, script: str) -> AsyncIterator[Contestant]:
    asked = contestant(name, f"http://127.0.0.1:1/{script}")
    await asked.start()
    try:
        yield asked
    finally:
        await asked.close()


async def _count_start(name: str) -> dict[str, int]:
    """Count the calls from importing a contestant to its first answer, and what is imported."""
    counter = CallCounter()
    with counter.counting():
        async with _open_contestant(name, "words=12") as asked:
            await _run(asked)
            sys.setprofile(None)
            return {"start": counter.calls, "modules of a start": len(sys.modules)}


async def _count_work(name: str) -> dict[str, int]:
    counts = dict[str, int]()
    for kind, (script, work) in _WORK.items():
        async with _open_contestant(name, script) as asked:
            counts[kind] = await count_calls(partial(work, asked))
    return counts


async def _count_scripted(_: str) -> dict[str, int]:
    """Count Arc's work without a network."""
    from benchmarks.alone import get_weather, open_scripted, read_stream, take_run  # noqa: PLC0415

    async with open_scripted(get_weather, pieces=_PIECES) as app:
        return {
            "scripted_run": await count_calls(partial(take_run, app)),
            "scripted_stream": await count_calls(partial(read_stream, app, _PIECES)),
        }


_PARTS: Mapping[str, Callable[[str], Any]] = {
    "start": _count_start,
    "work": _count_work,
    "scripted": _count_scripted,
}
_BESIDE = {"start": "openai_sdk", "work": "openai_transport", "scripted": None}
"""With what each part of Arc's counts is compared."""


def count_all() -> Counts:
    """Count everything, each part of each contestant in a process of its own."""
    counts = dict[str, dict[str, int]]()
    _count_part("start", "arc_openai")  # it may keep what it has made, for the next one
    for part, other in _BESIDE.items():
        arc = _count_part(part, "arc_openai")
        beside = _count_part(part, other) if other else {}
        for kind, count in arc.items():
            counts[kind] = {"arc": count} | ({"beside": beside[kind]} if beside else {})
    return counts


def _count_part(part: str, name: str) -> dict[str, int]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "benchmarks.counts", "--part", part, name],
        cwd=ROOT,
        env={**ENVIRONMENT, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{part} of {name} failed:\n{done.stderr[-2000:]}")
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


def get_ratio(counts: Mapping[str, int]) -> float:
    """The calls of Arc in those beside it, or alone if nothing is."""
    return counts["arc"] / counts.get("beside", 1)


def find_growth(recorded: Counts, counted: Counts) -> list[str]:
    """Return a line for each kind of work whose ratio has grown by a quarter or more."""
    ratios = {kind: (get_ratio(recorded[kind]), get_ratio(counted[kind])) for kind in recorded}
    return [
        f"{kind}: {old:.4g} has become {new:.4g}; if it has to be so, record it by "
        "`python -m benchmarks.counts --write`"
        for kind, (old, new) in ratios.items()
        if new >= _GROWN * old
    ]


def main() -> None:
    """Count, and compare with what is recorded or record it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.counts", description=__doc__)
    parser.add_argument("--write", action="store_true", help="record the counts")
    parser.add_argument("--part", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.part:
        part, name = asked.part
        with asyncio.Runner(loop_factory=InMemoryLoop) as runner:
            print(json.dumps(runner.run(_PARTS[part](name))))
        return
    counted = count_all()
    for kind, counts in counted.items():
        print(f"{kind:20} {counts['arc']:8} {counts.get('beside', ''):8}  {get_ratio(counts):8.2f}")
    recorded = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {}
    if asked.write:
        recorded = dict(sorted({**recorded, VERSION: counted}.items()))
        RECORDED.write_text(json.dumps(recorded, indent=2) + "\n", "utf-8")
    elif grown := find_growth(recorded[VERSION], counted):
        raise SystemExit("\n".join(grown))


if __name__ == "__main__":
    main()
