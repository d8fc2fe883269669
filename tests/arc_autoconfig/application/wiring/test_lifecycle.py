"""How components of an application live, on the one event loop that it belongs to."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from arc_autoconfig import Application
from arc_autoconfig.errors import ApplicationStateError
from arc_core import (
    AgentErrorCode,
    ConfigurationError,
    Hook,
    Inject,
    Lifecycle,
    ToolCall,
    service,
    tool,
)
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.testing import ScriptedChatModel


class Draft:
    """A new one for each place that asks."""

    def __init__(self) -> None:
        self.is_closed = False

    async def aclose(self) -> None:
        self.is_closed = True


class Desk:
    def __init__(self, draft: Draft, other: Draft) -> None:
        self.drafts = [draft, other]


SEEN: list[Draft] = []


@tool
async def write(draft: Inject[Draft]) -> str:
    """Write."""
    SEEN.append(draft)
    return "written"


async def test_a_service_of_scope_each_is_new_each_time() -> None:
    """For each parameter and each call of a tool; each is closed with what it was made for."""
    SEEN.clear()
    calls = [ToolCall("1", "write", "{}"), ToolCall("2", "write", "{}")]
    model = ScriptedChatModel([calls, "Done."])
    register = [model, write, service(scope="each")(Draft), service(Desk)]
    async with Application(register=register, plugins=False) as app:
        await app.execute("Hi")
        desk = app.container.of(Desk)()
        closed_after_run = [each.is_closed for each in SEEN]

    assert len({id(each) for each in (*SEEN, *desk.drafts)}) == 4
    assert closed_after_run == [True, True]
    assert [each.is_closed for each in desk.drafts] == [True, True]


@dataclass(frozen=True)
class Request:
    path: str


@dataclass(frozen=True)
class User:
    name: str


@tool
async def greet(user: Inject[User], request: Inject[Request]) -> str:
    """Greet."""
    return f"{user.name} at {request.path}"


@pytest.mark.parametrize(
    ("deps", "code"),
    [
        ((Request("/a"), User("ann")), None),
        ((Request("/a"),), AgentErrorCode.INVALID_INPUT),
        ((User("ann"), User("bob"), Request("/a")), AgentErrorCode.INVALID_INPUT),
    ],
)
async def test_a_run_is_handed_several_values(
    deps: tuple[object, ...], code: AgentErrorCode | None
) -> None:
    """Each is injected by its type; one that is missing or there twice is named before."""
    model = ScriptedChatModel([[ToolCall("1", "greet", "{}")], "Done."])
    app = Application(register=[model, greet], plugins=False, deps=(User, Request))
    async with app:
        result = await app.execute("Hi", deps=deps)

    assert result.error_code is code
    if code is None:
        assert result.messages[2].results[0].text == "ann at /a"  # type: ignore[union-attr]
    else:
        assert "User" in str(result.error_message) or "Request" in str(result.error_message)


class Pool:
    """Of another library: it knows nothing of Arc."""

    is_up = True


def ping(pool: Pool) -> Health | None:
    """Say whether the pool works."""
    if pool.is_up:
        return None
    return Health(status=HealthStatus.ERROR, summary="the pool is down")


@pytest.mark.parametrize(("is_up", "status"), [(True, "ok"), (False, "error")])
async def test_who_offers_a_class_says_how_its_health_is_checked(is_up: bool, status: str) -> None:  # noqa: FBT001
    """Since the class cannot."""
    offered = service(lifecycle=Lifecycle(check_health=ping))(Pool)
    async with Application(register=[offered, ScriptedChatModel([])], plugins=False) as app:
        app.container.of(Pool)().is_up = is_up
        found = {each.subject: each.health.status for each in await app.health()}

    assert [value for key, value in found.items() if "ool" in key] == [status]


class Slow:
    """Starts and closes slowly."""

    close_timeout_s = 0.01

    async def start(self) -> None:
        await asyncio.Event().wait()


async def test_the_time_of_a_start_may_be_declared() -> None:
    """By who offers the component; the error says how long it took."""
    offered = service(lifecycle=Lifecycle(start_timeout_s=0.02))(Slow)

    with pytest.raises(ConfigurationError, match="did not start") as raised:
        async with Application(register=[offered], plugins=False):
            pass

    assert "it took longer than 0.02 s" in str(raised.value)


class Endless:
    """Declares itself how long its close may take."""

    close_timeout_s = 0.01

    async def aclose(self) -> None:
        await asyncio.Event().wait()


async def test_a_component_may_declare_the_time_of_its_close(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One that takes longer is logged, and the application closes."""
    async with Application(register=[service(Endless)], plugins=False):
        pass

    assert "did not close" in caplog.text


@pytest.mark.parametrize("seconds", [0, -1, "soon"])
def test_a_time_that_is_none_is_refused(seconds: float) -> None:
    """Where it is written."""
    with pytest.raises(ValueError, match="close_timeout_s"):
        Lifecycle(close_timeout_s=seconds)


class Watcher(Hook):
    """Works from the moment when everything has started."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.told: list[str] = []
        self.has_begun = asyncio.Event()

    async def start(self) -> None:
        self.told.append("start")

    async def work_while_open(self) -> None:
        self.told.append("work")
        self.has_begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.told.append("cancelled")

    async def aclose(self) -> None:
        self.told.append("close")


async def test_a_component_works_while_the_application_is_open() -> None:
    """It begins after every start, and is cancelled before any close."""
    watcher = Watcher(Pool())
    async with Application(register=[watcher], plugins=False):
        await watcher.has_begun.wait()

    assert watcher.told == ["start", "work", "cancelled", "close"]


class Failing(Hook):
    """Fails in its own work."""

    async def work_while_open(self) -> None:
        raise OSError("no")


async def test_work_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """The application goes on."""
    model = ScriptedChatModel(["Hi."])
    async with Application(register=[Failing(), model], plugins=False) as app:
        result = await app.execute("Hi")

    assert result.success
    assert "failed while the application was open" in caplog.text


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
