"""What makes a component of a run: the forms it may have, and what becomes of those that fail."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from arc_core import Hook, HookContext, service
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.run_scopes import SEEN, Session, application, calling, one


@contextmanager
def managed() -> Iterator[Session]:
    """A context manager."""
    SEEN.append("enter")
    yield Session()
    SEEN.append("exit")


@asynccontextmanager
async def managed_asynchronously() -> AsyncIterator[Session]:
    """An asynchronous context manager."""
    SEEN.append("enter")
    yield Session()
    SEEN.append("exit")


def generated() -> Iterator[Session]:
    """A generator function."""
    SEEN.append("enter")
    yield Session()
    SEEN.append("exit")


class Manager(Session):
    """A class that is a context manager."""

    def __enter__(self) -> None:
        SEEN.append("enter")

    def __exit__(self, *details: object) -> None:
        SEEN.append("exit")


class Started(Session):
    """A class with a life cycle."""

    async def start(self) -> None:
        SEEN.append("enter")

    async def aclose(self) -> None:
        SEEN.append("exit")


async def awaited() -> Session:
    """An async function, whose instance is a manager."""
    return Manager()


def called() -> Session:
    """A plain function."""
    return Started()


FACTORIES = [managed, managed_asynchronously, generated, Manager, Started, awaited, called]


@pytest.mark.parametrize("factory", FACTORIES, ids=lambda each: each.__name__)
async def test_a_factory_may_be_of_many_forms(factory: Any) -> None:
    """What it opens is closed after the run."""
    kind = factory if isinstance(factory, type) else Session

    class Asking(Hook):
        async def before_agent_start(self, context: HookContext) -> None:
            SEEN.append(await context.get(kind))

    registered = service(scope="run")(factory)
    async with application(registered, Asking, ScriptedChatModel(["Hi."])) as app:
        await app.execute("Go.")

    assert [SEEN[0], SEEN[-1]] == ["enter", "exit"]
    assert isinstance(SEEN[1], Session)


@pytest.mark.parametrize(
    ("kind", "words"),
    [("raises", "no database"), ("never", "ended without a yield"), ("asynchronous", "ended")],
)
async def test_a_factory_that_makes_nothing_fails_the_tool(
    kind: str, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The run goes on, and the log says whose factory it was."""

    def raises() -> Session:
        raise ValueError("no database")

    def never() -> Iterator[Session]:
        yield from ()

    async def asynchronous() -> AsyncIterator[Session]:
        nothing: tuple[Session, ...] = ()
        for session in nothing:
            yield session

    factory = {"raises": raises, "never": never, "asynchronous": asynchronous}[kind]
    async with application(service(scope="run")(factory), one, calling("one")) as app:
        result = await app.execute("Go.")

    assert result.success
    [record] = [each for each in caplog.records if each.name == "arc.tool_calls"]
    assert record.exc_info is not None
    assert words in str(record.exc_info[1])
    assert kind in str(record.exc_info[1])


async def test_a_factory_that_yields_twice_is_told_at_the_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is closed all the same."""

    @service(scope="run")
    def open_session() -> Iterator[Session]:
        try:
            yield Session()
            yield Session()
        finally:
            SEEN.append("closed")

    async with application(open_session, one, calling("one")) as app:
        result = await app.execute("Go.")

    assert SEEN[-1] == "closed"
    assert len(result.not_closed) == 1
    [record] = [each for each in caplog.records if each.name == "arc.lifecycle"]
    assert record.exc_info is not None
    assert "second yield" in str(record.exc_info[1])


async def test_a_factory_that_hangs_is_cut_off_at_the_end_of_the_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What it had opened so far is closed; whatever waited for it has left."""
    caplog.set_level(logging.CRITICAL)

    @service(scope="run")
    async def open_session() -> Session:
        try:
            await asyncio.Event().wait()
        finally:
            SEEN.append("left")
        return Session()

    limits = {"tool_call_timeout_s": 0.02}
    async with application(open_session, one, calling("one"), concurrency=limits) as app:
        result = await app.execute("Go.")

        assert result.success
        assert SEEN == ["left"]
