"""Closing the components of a run, whatever they do."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from arc_autoconfig.container.lifecycle import Built, OpenComponents
from arc_core import AgentResult, RunFailedError


class Panic(BaseException):
    """As libraries written in Rust raise."""


FAILURES = [RuntimeError("x"), Panic(), SystemExit(3), GeneratorExit(), asyncio.CancelledError()]


def raising(error: BaseException) -> Callable[[BaseException | None], Awaitable[None]]:
    """A close that fails."""

    async def close(_: BaseException | None) -> None:
        raise error

    return close


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
async def test_a_close_that_fails_is_named_and_the_others_are_closed(error: BaseException) -> None:
    """Last added first; each is told how the run ended."""
    told: list[BaseException | None] = []

    async def note(ending: BaseException | None) -> None:
        told.append(ending)

    closing, failed = OpenComponents(), RunFailedError(AgentResult(success=False))
    for name, close in (("first", note), ("broken", raising(error)), ("last", note)):
        closing.add(Built(None, name), close)

    assert await closing.close_all(failed) == ("broken",)
    assert told == [failed, failed]
    assert await closing.close_all(failed) == ()


async def test_a_close_that_hangs_is_cut_off_at_its_timeout() -> None:
    """It has a time of its own."""
    closing = OpenComponents()

    async def hang(_: BaseException | None) -> None:
        await asyncio.Event().wait()

    closing.add(Built(None, "slow", close_timeout_s=0.01), hang)

    assert await closing.close_all(None) == ("slow",)


async def test_a_cancellation_that_is_passed_on_is_not_a_failure() -> None:
    """Also as another instance, as a task group may raise it."""
    closing = OpenComponents()
    closing.add(Built(None, "session"), raising(asyncio.CancelledError()))

    assert await closing.close_all(asyncio.CancelledError()) == ()


async def cancel_closing(closing: OpenComponents, *, after: asyncio.Event) -> asyncio.Task[Any]:
    """A task that has closed them, and was cancelled while it did."""
    task = asyncio.create_task(closing.close_all(None))
    await after.wait()
    task.cancel()
    await asyncio.wait([task])
    return task


async def test_a_cancellation_of_the_caller_leaves() -> None:
    """It is the caller's, and not the component's."""
    closing, closes = OpenComponents(), asyncio.Event()

    async def hang(_: BaseException | None) -> None:
        closes.set()
        await asyncio.Event().wait()

    closing.add(Built(None, "slow"), hang)
    task = await cancel_closing(closing, after=closes)

    assert task.cancelled()


async def test_a_cancellation_of_the_caller_closes_the_others() -> None:
    """As at the end of an event loop: it leaves once nothing is open any more."""
    closing, closes, closed = OpenComponents(), asyncio.Event(), asyncio.Event()

    async def close(_: BaseException | None) -> None:
        closed.set()

    async def hang(_: BaseException | None) -> None:
        closes.set()
        await asyncio.Event().wait()

    closing.add(Built(None, "session"), close)
    closing.add(Built(None, "slow"), hang)
    await cancel_closing(closing, after=closes)

    assert closed.is_set()
