"""A thread with an event loop that other threads wait for."""

import asyncio
import gc
import signal
import threading
from collections.abc import AsyncGenerator, AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Self

import pytest

from arc_autoconfig.errors import ApplicationStateError
from arc_autoconfig.runs.loop_thread import LoopThread


class Life:
    """Notes what becomes of it."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    async def __aenter__(self) -> Self:
        self.notes.append("entered")
        return self

    async def __aexit__(self, *_details: object) -> None:
        self.notes.append("left")


def started(life: Any = None) -> LoopThread:
    """A thread whose loop runs."""
    thread = LoopThread(life or Life())
    thread.start()
    return thread


async def one() -> int:
    return 1


def test_work_is_done_inside_of_the_context() -> None:
    """It is entered first and left last."""
    life = Life()
    thread = started(life)

    async def note() -> None:
        life.notes.append("worked")

    thread.call(note)
    thread.close()

    assert life.notes == ["entered", "worked", "left"]


def test_a_thread_that_cannot_start_leaves_no_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the system has no threads left."""
    thread = LoopThread(Life())

    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)

    with pytest.raises(RuntimeError, match="new thread"):
        thread.start()
    assert thread._loop.is_closed()


def test_what_entering_raises_comes_to_the_caller() -> None:
    """And the thread has ended."""

    class Failing(Life):
        async def __aenter__(self) -> Self:
            raise LookupError("not today")

    before = threading.active_count()

    with pytest.raises(LookupError, match="not today"):
        started(Failing())

    assert threading.active_count() == before


def test_what_leaving_raises_comes_to_the_caller() -> None:
    """A failure at the end is not lost."""

    @asynccontextmanager
    async def failing() -> AsyncIterator[None]:
        yield
        raise LookupError("not today")

    with pytest.raises(LookupError, match="not today"):
        started(failing()).close()


def test_what_work_raises_comes_to_the_caller() -> None:
    """The loop goes on."""
    thread = started()

    async def fail() -> None:
        raise LookupError("not there")

    with pytest.raises(LookupError, match="not there"):
        thread.call(fail)
    assert thread.call(one) == 1
    thread.close()


def test_work_after_the_end_is_refused() -> None:
    """Nothing waits for a loop that has ended."""
    thread = started()
    thread.close()

    with pytest.raises(ApplicationStateError, match="closed"):
        thread.call(one)


def test_work_that_waits_for_its_own_loop_is_refused() -> None:
    """It would wait for ever."""
    thread = started()

    async def wait() -> None:
        thread.call(one)

    with pytest.raises(ApplicationStateError, match="waits for that loop"):
        thread.call(wait)
    thread.close()


def test_work_that_goes_on_at_the_end_is_cancelled() -> None:
    """The thread that waits for it is told."""
    thread, begun = started(), threading.Event()

    async def wait() -> None:
        begun.set()
        await asyncio.Event().wait()

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(thread.call, wait)
        begun.wait()
        thread.close()

        assert isinstance(waiting.exception(), ApplicationStateError)


def test_an_interrupted_caller_waits_for_the_end_of_its_work() -> None:
    """What the work holds is given back before the interrupt goes on."""
    thread, notes = started(), list[str]()

    async def work() -> None:
        try:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            notes.append("ended")

    with pytest.raises(KeyboardInterrupt):
        thread.call(work)

    assert notes == ["ended"]
    thread.close()


def test_an_iteration_that_is_left_is_closed() -> None:
    """On the loop."""
    thread, notes = started(), list[str]()
    numbers = thread.iterate(_count(notes))

    assert next(numbers) == 0
    numbers.close()

    assert notes == ["closed on arc-blocking"]
    thread.close()


def test_an_iteration_may_be_forgotten_on_the_loop_itself() -> None:
    """The garbage collector runs anywhere, and must not make the loop wait for itself."""
    thread, notes = started(), list[str]()
    kept = [thread.iterate(_count(notes))]
    next(kept[0])

    async def forget() -> None:
        kept.clear()
        gc.collect()

    thread.call(forget)
    thread.close()

    assert notes == ["closed on arc-blocking"]


def test_an_iteration_may_be_closed_after_the_end() -> None:
    """The loop has closed it already."""
    thread, notes = started(), list[str]()
    numbers = thread.iterate(_count(notes))
    next(numbers)
    thread.close()

    numbers.close()

    assert notes == ["closed on arc-blocking"]


async def _count(notes: list[str]) -> AsyncGenerator[int]:
    try:
        for number in range(1000):
            yield number
    finally:
        notes.append(f"closed on {threading.current_thread().name}")


def test_a_forked_process_leaves_the_thread_to_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing waits for nothing there, and work is refused."""
    life = Life()
    thread = started(life)
    with monkeypatch.context() as child:
        child.setattr("os.getpid", lambda: -1)
        is_open = thread.is_open
        thread.close()
        with pytest.raises(ApplicationStateError, match="forked"):
            thread.call(one)

    assert not is_open
    assert thread.call(one) == 1
    thread.close()
    assert life.notes == ["entered", "left"]
