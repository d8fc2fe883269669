"""A started application belongs to one event loop."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from arc_autoconfig import Application
from arc_autoconfig.errors import (
    ApplicationStateError,
)
from arc_core.testing import ScriptedChatModel


def _in_another_loop(use: Callable[[], Awaitable[object]]) -> BaseException | None:
    """What using something raises on an event loop of another thread."""

    def run() -> None:
        async def wait() -> None:
            await use()

        with asyncio.Runner() as runner:
            runner.run(wait())

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).exception()


@pytest.mark.slow
async def test_another_event_loop_is_refused() -> None:
    """Its locks, permits and connections belong to the loop on which it was started."""
    async with Application(register=[ScriptedChatModel(["answer"])]) as app:
        uses: dict[str, Callable[[], Awaitable[object]]] = {
            "execute": lambda: app.execute("hi"),
            "execute_stream": lambda: anext(app.execute_stream("hi")),
            "stream_events": lambda: anext(app.stream_events("hi")),
            "aclose": lambda: app.__aexit__(None, None, None),
        }
        errors = {name: _in_another_loop(use) for name, use in uses.items()}

        assert {type(each) for each in errors.values()} == {ApplicationStateError}
        assert all("another event loop" in str(each) for each in errors.values())
        assert (await app.execute("hi")).content == "answer"


async def test_a_stream_that_is_made_without_a_loop_is_checked_when_it_is_read() -> None:
    """Making one outside an event loop is fine, reading it on another is not."""
    async with Application(register=[ScriptedChatModel(["one", "two"])]) as app:
        with ThreadPoolExecutor(1) as pool:
            near = pool.submit(app.execute_stream, "hi").result()
            far = pool.submit(app.stream_events, "hi").result()

        assert "".join([text async for text in near]) == "one"
        assert isinstance(_in_another_loop(lambda: anext(far)), ApplicationStateError)


def test_a_stream_left_open_is_closed_with_the_application(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The event loop has nothing to complain of when it ends."""
    model = ScriptedChatModel([" ".join(["word"] * 1_000)])
    kept = []

    async def main() -> None:
        async with Application(register=[model], plugins=False) as app:
            kept.append(stream := app.stream_events("Go."))
            await anext(stream)

    with asyncio.Runner() as runner:
        runner.run(main())

    assert [each.name for each in caplog.records if each.name == "asyncio"] == []
