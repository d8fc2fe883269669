"""What a component does stays within it: exits, time-outs, and swallowed cancellations."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from arc_core.engine.boundary.boundary import (
    Boundary,
    ComponentFailedError,
    ComponentTimeoutError,
    Failed,
    contain,
)
from arc_core.engine.boundary.policies import RETRIEVAL
from tests.arc_core.engine.suspending import Suspension

T = TypeVar("T")


async def call(work: Callable[[], Awaitable[T]], timeout_s: float) -> T | Failed:
    """Call a component for its result, or for its failure."""
    return await Boundary().call(RETRIEVAL, object(), work, timeout_s=timeout_s)


async def hang() -> None:
    """Never end."""
    await asyncio.Event().wait()


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit()], ids=repr)
async def test_an_exit_becomes_an_exception(error: BaseException) -> None:
    """One that ends neither the task nor the process."""
    with pytest.raises(ComponentFailedError), contain():
        raise error


@pytest.mark.parametrize("error", [ValueError(), asyncio.CancelledError(), KeyboardInterrupt()])
async def test_other_exceptions_leave_as_they_are(error: BaseException) -> None:
    """Exceptions, cancellation, and what the person at the keyboard wants."""
    with pytest.raises(type(error)), contain():
        raise error


async def test_a_timeout_counts_though_it_was_swallowed() -> None:
    """What a component returns after its time is over is not used."""
    suspension = Suspension("component", refuses=True)

    async def refuse() -> str:
        await suspension.at("component")
        return "late"

    failed = await call(refuse, 0.01)

    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ComponentTimeoutError)


async def test_a_timeout_of_the_component_itself_is_its_own() -> None:
    """A `TimeoutError` that it raises is not a time-out of the call."""

    async def fail() -> None:
        await asyncio.sleep(0)
        raise TimeoutError

    failed = await call(fail, 10)

    assert isinstance(failed, Failed)
    assert (type(failed.error), failed.timed_out) == (TimeoutError, False)


async def test_a_loop_that_is_late_costs_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer and the end of the time-out come in one round, and the answer is taken."""
    loop, answered = asyncio.get_running_loop(), asyncio.Event()

    async def answer() -> str:
        await answered.wait()
        return "in time"

    calling = asyncio.create_task(call(answer, 10))
    await asyncio.sleep(0)
    monkeypatch.setattr(loop, "time", lambda: time.monotonic() + 60)
    loop.call_later(0, answered.set)

    assert await calling == "in time"


async def test_values_come_back_before_and_after_waiting() -> None:
    """Whether or not a component waits for something."""

    async def wait_twice() -> int:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return 2

    async def answer() -> int:
        return 1

    assert (await call(answer, 10), await call(wait_twice, 10)) == (1, 2)


def test_a_coroutine_that_is_thrown_away_ends_at_once() -> None:
    """Its `GeneratorExit` is none of the component, so nothing stands in for it."""
    found: list[object] = []

    async def call() -> None:
        found.append(await Boundary().call(RETRIEVAL, object(), hang))

    async def throw_away() -> None:
        coroutine = call()
        coroutine.send(None)
        coroutine.close()

    with asyncio.Runner() as runner:
        runner.run(throw_away())
    assert found == []


async def test_a_failure_is_a_value() -> None:
    """With the exception, and whether the time was over."""
    failed = await Boundary().call(RETRIEVAL, object(), hang, timeout_s=0.01)

    assert isinstance(failed, Failed)
    assert failed.timed_out
