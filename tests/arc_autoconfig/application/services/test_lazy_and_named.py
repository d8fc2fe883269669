"""Components that are asked for in a special way: later, by name, all of them."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any

import pytest

from arc_autoconfig import Application, ArcSettings, provides
from arc_autoconfig.errors import ApplicationStateError, DependencyCycleError, UnknownNameError
from arc_core import ChatModel, Lazy, Named, service
from arc_core.testing import ScriptedChatModel


class Database:
    """Something to ask for."""


class Asker:
    """A service that gets it when it asks."""

    def __init__(self, database: Lazy[Database]) -> None:
        self.database = database


def application(*register: object, **settings: Any) -> Application:
    """An application with the offline model and no plugins but Arc's own."""
    known = ArcSettings(_isolated=True, llm={"provider": "offline"}, **settings)
    return Application(known, register=register, plugins=False)


async def test_services_in_a_circle_are_told_with_the_path() -> None:
    """And with the way out."""

    class Egg:
        def __init__(self, hen: "Hen") -> None:
            self.hen = hen

    class Hen:
        def __init__(self, egg: Egg) -> None:
            self.egg = egg

    Egg.__init__.__annotations__["hen"] = Hen

    with pytest.raises(DependencyCycleError, match=r"Egg needs .*Hen needs .*Egg") as raised:
        async with application(service(Egg), service(Hen)):
            pass

    assert "Lazy" in raised.value.remedy


async def test_a_lazy_component_is_the_way_out_of_a_circle() -> None:
    """It is built when it is first asked for, and once."""

    class Egg:
        def __init__(self, hen: Lazy["Hen"]) -> None:
            self.hen = hen

    class Hen:
        def __init__(self, egg: Egg) -> None:
            self.egg = egg

    Egg.__init__.__annotations__["hen"] = Lazy[Hen]
    app = application(service(Egg), service(Hen))

    async with app:
        egg = app.container.of(Egg)()
        hen = await egg.hen.get()

        assert hen.egg is egg
        assert await egg.hen.get() is hen


@pytest.mark.parametrize("was_asked", [True, False])
async def test_a_lazy_component_is_not_made_after_the_application_has_closed(
    *, was_asked: bool
) -> None:
    """Nothing would ever close it, and one that was there is closed."""
    app = application(service(Database), service(Asker))
    async with app:
        asker = app.container.of(Asker)()
        if was_asked:
            await asker.database.get()

    with pytest.raises(ApplicationStateError, match=r"Database was asked for after .* closed"):
        await asker.database.get()


async def test_a_lazy_component_of_a_life_before_stays_closed_in_the_next() -> None:
    """An application that is started again has components of its own."""
    app = application(service(Database), service(Asker))
    async with app:
        before = app.container.of(Asker)()

    async with app:
        after = app.container.of(Asker)()
        with pytest.raises(ApplicationStateError, match="after the application had closed"):
            await before.database.get()

        assert isinstance(await after.database.get(), Database)


async def test_a_lazy_component_that_several_ask_for_at_once_is_built_once() -> None:
    """The others wait until it has started."""
    opened: list[Database] = []

    @service
    async def connect() -> AsyncIterator[Database]:
        opened.append(Database())
        await asyncio.sleep(0)
        yield opened[-1]

    app = application(connect, service(Asker))

    async with app:
        asker = app.container.of(Asker)()
        assert opened == []
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(asker.database.get()) for _ in range(3)]

    assert {each.result() for each in asked} == set(opened)
    assert len(opened) == 1


async def test_a_lazy_component_is_closed_with_the_rest() -> None:
    """Also if it was first asked for when the application had long been started."""
    log: list[str] = []

    @service
    async def connect() -> AsyncIterator[Database]:
        yield Database()
        log.append("closed")

    app = application(connect, service(Asker))

    async with app:
        await app.container.of(Asker)().database.get()
        assert log == []

    assert log == ["closed"]


class Quick(ScriptedChatModel):
    def __init__(self) -> None:
        super().__init__([])


@provides(ChatModel, name="best", primary=True)
def best() -> ChatModel:
    return ScriptedChatModel([])


async def test_a_component_that_lost_its_slot_can_be_had_by_name() -> None:
    """It is built for what asks for it, and the winner stays the winner."""
    quick = provides(ChatModel, name="quick")(Quick)

    class Router:
        def __init__(
            self,
            best: ChatModel,
            quick: Annotated[ChatModel, Named("quick")],
            every: Mapping[str, ChatModel],
        ) -> None:
            self.best, self.quick, self.every = best, quick, every

    app = application(best, quick, service(Router))

    async with app:
        router = app.container.of(Router)()
        assert router.best is app.container.chat_model()

    assert isinstance(router.quick, Quick)
    assert router.every["best"] is router.best
    assert router.every["quick"] is router.quick


async def test_a_name_that_no_component_has_is_told() -> None:
    """With the names there are."""

    class Router:
        def __init__(self, quick: Annotated[ChatModel, Named("quik")]) -> None:
            self.quick = quick

    with pytest.raises(UnknownNameError, match="names 'quik', which does not exist") as raised:
        async with application(service(Router)):
            pass

    assert "offline" in raised.value.evidence[0]
