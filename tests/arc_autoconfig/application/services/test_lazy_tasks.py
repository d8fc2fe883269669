"""Lazy components that several tasks ask for, of a start and of runs: each is built once."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.errors import ComponentError, DependencyCycleError
from arc_core import Lazy, RunContext, RunScopes, service


class Database:
    """Something that takes a while to open.

    Attributes:
        has_started: Whether it can be used.
    """

    opened = 0

    def __init__(self) -> None:
        type(self).opened += 1
        self.has_started = False

    async def start(self) -> None:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        self.has_started = True


@pytest.fixture
def database() -> Any:
    """A class of its own for each test, whose instances are counted."""
    return type("Database", (Database,), {"opened": 0})


def connecting(database: Any) -> Any:
    """A service that takes a while to make a database, which takes a while to start."""

    async def connect() -> Any:
        await asyncio.sleep(0)
        return database()

    connect.__annotations__["return"] = database
    return service(connect)


def application(*register: object) -> Application:
    """An application with the offline model and no plugins but Arc's own."""
    settings = ArcSettings(_isolated=True, llm={"provider": "offline"})
    return Application(settings, register=register, plugins=False)


def asking(database: Any, *, in_background: bool = False) -> Any:
    """A service that asks for a lazy component in tasks that its start makes."""

    class Asker:
        """Keeps what it gets."""

        def __init__(self, database: Lazy[Any]) -> None:
            self.database, self.found = database, list[Any]()
            self.tasks: list[asyncio.Task[None]] = []

        async def start(self) -> None:
            self.tasks = [asyncio.create_task(self.ask()) for _ in range(3)]
            if not in_background:
                await asyncio.wait(self.tasks)

        async def ask(self) -> None:
            found = await self.database.get()
            assert found.has_started
            self.found.append(found)

    Asker.__init__.__annotations__["database"] = Lazy[database]
    return service(Asker)


async def test_tasks_of_a_start_get_one_lazy_component(database: Any) -> None:
    """The start waits for its tasks, and they for each other; each gets it started."""
    asker = asking(database)

    async with application(connecting(database), asker) as app:
        found = app.container.of(asker)().found

    assert len(found) == 3
    assert database.opened == 1


async def test_background_tasks_of_a_start_get_the_component_that_the_start_builds(
    database: Any,
) -> None:
    """The start goes on, and builds what they ask for at the same time."""

    class Zebra:
        """Is built after the one that asks, and has the component built at once."""

        def __init__(self, database: Any) -> None:
            self.database = database

    Zebra.__init__.__annotations__["database"] = database
    asker = asking(database, in_background=True)

    async with application(connecting(database), asker, service(Zebra)) as app:
        asked = app.container.of(asker)()
        await asyncio.wait(asked.tasks)

    assert database.opened == 1


async def test_a_run_and_a_lazy_component_of_the_application_share_one(database: Any) -> None:
    """`context.get` and `Lazy.get` at the same time build it once."""

    @service
    class Asker:
        def __init__(self, scopes: RunScopes, database: Lazy[Any]) -> None:
            self.scopes, self.database = scopes, database

    Asker.__init__.__annotations__["database"] = Lazy[database]
    async with application(connecting(database), Asker) as app:
        asker = app.container.of(Asker)()
        scope = asker.scopes.open(RunContext(run_id="1"))
        async with asyncio.TaskGroup() as group:
            asked = [
                group.create_task(asker.database.get()),
                group.create_task(scope.get(database)),
            ]

    found = [each.result() for each in asked]
    assert found[0].has_started
    assert found[1] is found[0]
    assert database.opened == 1


async def test_a_task_of_a_start_that_asks_for_what_waits_for_it_is_told_the_cycle() -> None:
    """As the start itself is."""

    class Hen:
        def __init__(self, hen: Lazy["Hen"]) -> None:
            self.hen = hen

        async def start(self) -> None:
            await asyncio.create_task(self.hen.get())

    Hen.__init__.__annotations__["hen"] = Lazy[Hen]

    class Farmer:
        def __init__(self, hen: Hen) -> None:
            self.hen = hen

    with pytest.raises((DependencyCycleError, ComponentError), match="need each other"):
        async with application(service(Hen), service(Farmer)):
            pass


async def test_a_background_task_waits_for_a_component_that_is_being_started() -> None:
    """It is not what that one waits for, so there is no cycle."""
    asked = asyncio.Event()

    @service
    class Slow:
        async def start(self) -> None:
            await asked.wait()

    @service
    class Early:
        def __init__(self, slow: Lazy[Slow]) -> None:
            self.slow = slow

        async def start(self) -> None:
            self.task = asyncio.create_task(self.ask())

        async def ask(self) -> Slow:
            asked.set()
            return await self.slow.get()

    async def finish(early: Early, slow: Slow) -> bool:
        return await early.task is slow

    async with application(Slow, Early, service(finish)) as app:
        assert app.container.of(bool)()


async def test_a_start_may_wait_for_a_background_task_of_an_earlier_one(database: Any) -> None:
    """The task may have its component built while the later start waits."""
    tasks: list[asyncio.Task[object]] = []

    @service
    class Early:
        def __init__(self, database: Lazy[Any]) -> None:
            self.database = database

        async def start(self) -> None:
            tasks.append(asyncio.create_task(self.ask()))

        async def ask(self) -> object:
            return await self.database.get()

    @service
    class Late:
        def __init__(self, early: Early) -> None:
            self.early = early

        async def start(self) -> None:
            self.found = await tasks[0]

    Early.__init__.__annotations__["database"] = Lazy[database]
    async with asyncio.timeout(30), application(connecting(database), Early, Late) as app:
        assert app.container.of(Late)().found.has_started


async def test_a_lazy_component_whose_start_failed_is_started_anew() -> None:
    """The next that asks does not get one that never started."""
    attempts: list[object] = []

    @service
    class Flaky:
        async def start(self) -> None:
            attempts.append(self)
            if len(attempts) == 1:
                raise OSError("the network is away")

    @service
    class Asker:
        def __init__(self, flaky: Lazy[Flaky]) -> None:
            self.flaky = flaky

    async with application(Flaky, Asker) as app:
        lazy = app.container.of(Asker)().flaky
        with pytest.raises(ComponentError, match="did not start"):
            await lazy.get()
        found = await lazy.get()

    assert attempts[1:] == [found]


async def test_tasks_of_a_factory_get_one_lazy_component(database: Any) -> None:
    """A generator that opens a component is left waiting as a start is."""

    class Pool:
        """Keeps what it gets."""

        def __init__(self, found: list[Any]) -> None:
            self.found = found

    async def open_pool(lazy: Lazy[Any]) -> AsyncIterator[Pool]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(lazy.get()) for _ in range(2)]
        yield Pool([each.result() for each in tasks])

    open_pool.__annotations__["lazy"] = Lazy[database]
    async with application(connecting(database), service(open_pool)) as app:
        found = app.container.of(Pool)().found

    assert found[0] is found[1]
    assert database.opened == 1
