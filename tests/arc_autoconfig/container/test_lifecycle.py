"""Starting and closing components."""

import asyncio
import logging
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from arc_autoconfig.container.lifecycle import Built, start
from arc_autoconfig.errors import ComponentError
from arc_core import ConfigurationError, contribution, tool


class Journal(list[str]):
    """What happened, in order."""


class Service:
    """Has `start` and `aclose`; may fail in either."""

    def __init__(self, journal: Journal, name: str = "service", **failures: BaseException) -> None:
        self._journal, self._name, self._failures = journal, name, failures

    async def start(self) -> None:
        self._note("start")

    async def aclose(self) -> None:
        self._note("aclose")

    def _note(self, event: str) -> None:
        self._journal.append(f"{event} {self._name}")
        if event in self._failures:
            raise self._failures[event]


class Managed:
    """An asynchronous context manager."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def __aenter__(self) -> None:
        self._journal.append("enter")

    async def __aexit__(self, *_: object) -> None:
        self._journal.append("exit")


class ManagedService(Service, Managed):
    """Has both."""


class OnlyCloses:
    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def aclose(self) -> None:
        self._journal.append("aclose")


class Neither:
    """Has something else of the name."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    @tool
    async def start(self, engine: str) -> str:
        """Start an engine."""
        return engine

    @tool
    async def aclose(self) -> None:
        """Close an account."""
        self._journal.append("never")


@contribution("engines", group="acme.engines")
class Engine:
    """A component of another package that can be called."""

    def __call__(self) -> None:
        raise AssertionError("others call it")


class HasComponents:
    """Has components of those names."""

    def __init__(self, journal: Journal) -> None:
        self.start = self.aclose = Engine()


class Synchronous:
    """Has `start` and `aclose` that are plain functions."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def start(self) -> None:
        self._journal.append("start")

    def aclose(self) -> None:
        self._journal.append("aclose")


class StartedByOthers:
    """Its `start` is a method of its interface; it is closed like any other component."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def start(self, body: str, *, retries: int = 3) -> None:
        self._journal.append(f"start {body} {retries}")

    async def aclose(self) -> None:
        self._journal.append("aclose")


class StartedWithOptions:
    """Its `start` may be called without any argument."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    async def start(self, *names: str, retries: int = 3, **options: str) -> None:
        self._journal.append(f"start {names} {retries} {options}")


class Delegating:
    """Its methods are plain functions that return something to await."""

    def __init__(self, journal: Journal) -> None:
        self._service = Service(journal)

    def start(self) -> Awaitable[None]:
        return self._service.start()

    def aclose(self) -> Awaitable[None]:
        return self._service.aclose()


@pytest.fixture
def journal() -> Journal:
    return Journal()


async def _started_and_closed(*components: object) -> None:
    async with AsyncExitStack() as stack:
        for component in components:
            await start(Built(component, f"hooks: {type(component).__name__}"), stack)


@pytest.mark.parametrize(
    ("component", "events"),
    [
        (Service, ["start service", "aclose service"]),
        (Managed, ["enter", "exit"]),
        (ManagedService, ["start service", "aclose service"]),
        (OnlyCloses, ["aclose"]),
        (Neither, []),
        (HasComponents, []),
        (Synchronous, ["start", "aclose"]),
        (Delegating, ["start service", "aclose service"]),
        (StartedByOthers, ["aclose"]),
        (StartedWithOptions, ["start () 3 {}"]),
        (lambda _: object(), []),
    ],
)
async def test_each_form_of_component_is_started_and_closed(
    journal: Journal, component: Any, events: list[str]
) -> None:
    """By `start` and `aclose`, else as a context manager; a `start` with arguments is others'."""
    await _started_and_closed(component(journal))

    assert journal == events


async def test_closing_is_in_reverse_and_survives_a_failure(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    """One that fails to close is logged with its owner, the others are closed."""
    broken = Service(journal, "b", aclose=OSError("disk"))

    await _started_and_closed(Service(journal, "a"), broken, Service(journal, "c"))

    assert journal[3:] == ["aclose c", "aclose b", "aclose a"]
    (record,) = (each for each in caplog.records if each.levelno == logging.ERROR)
    assert record.__dict__["component"] == "hooks: Service"


async def test_a_component_that_fails_to_start_closes_the_started_ones(journal: Journal) -> None:
    """The error names it and the cause; what had started is closed."""
    broken = Service(journal, "b", start=OSError("port in use"))

    with pytest.raises(ComponentError, match="hooks: Service did not start") as raised:
        await _started_and_closed(Service(journal, "a"), broken)

    assert raised.value.evidence[0].startswith("OSError: port in use")
    assert journal == ["start a", "start b", "aclose a"]


async def test_an_error_that_says_what_to_do_passes_as_it_is(journal: Journal) -> None:
    """A chat model reports its missing key itself."""
    own = ConfigurationError("no key", remedy="set it")

    with pytest.raises(ConfigurationError) as raised:
        await _started_and_closed(Service(journal, start=own))

    assert raised.value is own


class Hanging:
    """Never gets anywhere, once it has begun."""

    def __init__(self) -> None:
        self.has_begun = asyncio.Event()

    async def start(self) -> None:
        await self._hang()

    async def _hang(self) -> None:
        self.has_begun.set()
        await asyncio.Event().wait()


class HangingAtClose(Hanging):
    async def start(self) -> None: ...

    async def aclose(self) -> None:
        await self._hang()


async def test_a_start_that_hangs_is_given_up_at_its_timeout() -> None:
    """The error says after how long."""
    async with AsyncExitStack() as stack:
        with pytest.raises(ComponentError) as raised:
            await start(Built(Hanging(), "x", start_timeout_s=0.01), stack)

    assert raised.value.evidence[0] == "it took longer than 0.01 s"
    assert "test_lifecycle.py:" in raised.value.evidence[1]


async def test_a_timeout_of_the_component_itself_is_told_as_such(journal: Journal) -> None:
    """It is not taken for the deadline of the start."""
    with pytest.raises(ComponentError) as raised:
        await _started_and_closed(Service(journal, start=TimeoutError("redis")))

    assert raised.value.evidence[0].startswith("TimeoutError: redis")


async def test_a_close_that_hangs_is_given_up_at_its_timeout(
    journal: Journal, caplog: pytest.LogCaptureFixture
) -> None:
    """The others are closed, and the log says which one hung."""
    async with AsyncExitStack() as stack:
        await start(Built(Service(journal), "first"), stack)
        await start(Built(HangingAtClose(), "hanging", close_timeout_s=0.01), stack)

    assert journal[-1] == "aclose service"
    assert "hanging" in {each.__dict__.get("component") for each in caplog.records}


@pytest.mark.parametrize("kind", [Hanging, HangingAtClose])
async def test_cancellation_leaves_after_the_others_are_closed(
    journal: Journal, kind: type[Hanging]
) -> None:
    """Starting or closing, it is neither swallowed nor turned into another error."""
    hanging = kind()
    task = asyncio.create_task(_started_and_closed(Service(journal), hanging))
    await hanging.has_begun.wait()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert journal == ["start service", "aclose service"]


_PANICS = [SystemExit(3), GeneratorExit(), BaseException("panic"), asyncio.CancelledError()]


@pytest.mark.parametrize("panic", _PANICS, ids=repr)
async def test_whatever_a_start_raises_is_the_components_failure(
    journal: Journal, panic: BaseException
) -> None:
    """No component ends the process, and none can pretend that its caller was cancelled."""
    with pytest.raises(ComponentError, match="did not start"):
        await _started_and_closed(Service(journal, start=panic))


@pytest.mark.slow
@pytest.mark.parametrize("panic", _PANICS, ids=repr)
async def test_whatever_a_close_raises_the_others_are_closed(
    journal: Journal, panic: BaseException
) -> None:
    """It is logged, and closing goes on."""
    await _started_and_closed(Service(journal, "a"), Service(journal, "b", aclose=panic))

    assert journal[-1] == "aclose a"
