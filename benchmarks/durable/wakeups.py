"""How soon a worker goes on with a run that was submitted, or decided about, in PostgreSQL."""

import argparse
import asyncio
import random
import time

from arc_autoconfig import Application
from arc_core import Approve
from benchmarks.durable.crew import working
from benchmarks.durable.databases import empty_database
from benchmarks.durable.deeds import Deeds
from benchmarks.durable.world import World, application

__all__ = ["run"]

_LOOK_S = 0.01
_LIMIT_S = 30.0


async def run(options: argparse.Namespace) -> None:
    """Print a row for each event that a worker is to notice."""
    submitted, decided = list[float](), list[float]()
    with empty_database("postgres") as (url, folder):
        log = folder / "log"
        async with application(url, World(log), work=False, waits=True) as app:
            with working(1, url, log, waits=True):
                await _measure(app, Deeds(log), "first")  # which waits for the worker to start
                for number in range(options.runs or 100):
                    took = await _measure(app, Deeds(log), f"r{number}")
                    submitted.append(took[0])
                    decided.append(took[1])
                    await asyncio.sleep(random.uniform(0.05, 0.3))  # not in step with its looks
    print("until | runs | p50 ms | p95 ms | max ms")
    _print_row("a submitted run asks its model", submitted)
    _print_row("a decided run makes its call", decided)


async def _measure(app: Application, deeds: Deeds, run_id: str) -> tuple[float, float]:
    """Seconds to the first model call of a run, and from the decision about its call to that."""
    began = time.time()
    await app.submit(f"run={run_id} turns=1", run_id=run_id)
    asked = await _find(deeds, run_id, "model1")
    async with app.attach(run_id) as run:
        result = await run.result()
    decided = time.time()
    await app.decide(run_id, result.waiting[0].key, Approve(), by="bench")
    return asked - began, await _find(deeds, run_id, "pay") - decided


async def _find(deeds: Deeds, run_id: str, point: str) -> float:
    """When the worker came to a point of a run; it has written that down."""
    async with asyncio.timeout(_LIMIT_S):
        while True:
            for deed in deeds.read_all():
                if (deed.run_id, deed.point) == (run_id, point):
                    return deed.at
            await asyncio.sleep(_LOOK_S)


def _print_row(until: str, took: list[float]) -> None:
    took.sort()
    places = (len(took) // 2, len(took) * 95 // 100, -1)
    shown = " | ".join(f"{1e3 * took[place]:.0f}" for place in places)
    print(f"{until} | {len(took)} | {shown}", flush=True)
