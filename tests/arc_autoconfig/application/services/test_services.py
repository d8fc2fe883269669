"""Components of any type: offered as services, and injected wherever their type is asked for."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings, on_env, provides
from arc_autoconfig.errors import (
    AmbiguousComponentError,
    ComponentError,
    InjectionError,
    MissingDependencyError,
    NotOpenError,
)
from arc_core import ChatModel, Hook, decorates, service, tool


class Database:
    """Notes whether it is open."""

    def __init__(self, name: str = "main") -> None:
        self.name, self.log = name, ["made"]

    async def start(self) -> None:
        self.log.append("started")

    async def aclose(self) -> None:
        self.log.append("closed")


class Repository:
    def __init__(self, database: Database) -> None:
        self.database = database


class Orders:
    """A tool class that needs a repository, which needs a database."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository

    @tool
    async def find_order(self, number: int) -> str:
        """Find an order."""
        return f"{self.repository.database.name} has {number}"


def application(*register: object, **settings: Any) -> Application:
    """An application with the offline model and no plugins but Arc's own."""
    known = ArcSettings(_isolated=True, llm={"provider": "offline"}, **settings)
    return Application(known, register=register, plugins=False)


async def test_services_are_injected_by_their_type_through_each_other() -> None:
    """A tool class gets a repository that gets the database."""
    app = application(service(Database), service(Repository), Orders)

    async with app:
        result = await app.execute("find_order 7")

    assert "main has 7" in (result.content or "")


async def test_a_service_is_made_once_started_before_its_users_and_closed_after_them() -> None:
    """It lives as components do."""
    log: list[str] = []

    class Watcher(Hook):
        def __init__(self, database: Database) -> None:
            self.database = database

        async def start(self) -> None:
            log.extend(["watcher started", *self.database.log])

        async def aclose(self) -> None:
            log.extend(["watcher closed", *self.database.log])

    app = application(service(Database), Watcher)
    async with app:
        pass

    assert log == ["watcher started", "made", "started", "watcher closed", "made", "started"]
    assert not app.container.of(Database)().log[2:]


async def test_an_instance_can_be_a_service() -> None:
    """It is injected as it is."""
    database = Database("mine")
    app = application(service(database), service(Repository))

    async with app:
        assert app.container.of(Repository)().database is database


def plain() -> Database:
    return Database("plain")


async def coroutine() -> Database:
    return Database("coroutine")


def generator() -> Iterator[Database]:
    database = Database("generator")
    yield database
    database.log.append("left")


async def async_generator() -> AsyncIterator[Database]:
    database = Database("async_generator")
    yield database
    database.log.append("left")


@contextmanager
def manager() -> Iterator[Database]:
    database = Database("manager")
    yield database
    database.log.append("left")


@asynccontextmanager
async def async_manager() -> AsyncIterator[Database]:
    database = Database("async_manager")
    yield database
    database.log.append("left")


@pytest.mark.parametrize("make", [plain, coroutine])
async def test_what_a_function_returns_is_started_and_closed(make: Callable[..., Any]) -> None:
    """Its return annotation says of which type it is."""
    app = application(service(make))

    async with app:
        database = app.container.of(Database)()

    assert database.name == make.__name__
    assert database.log == ["made", "started", "closed"]


@pytest.mark.parametrize("make", [generator, async_generator, manager, async_manager])
async def test_what_a_function_yields_is_closed_by_what_follows(make: Callable[..., Any]) -> None:
    """The function that opens it closes it: neither `start` nor `aclose` is called."""
    app = application(service(make))

    async with app:
        database = app.container.of(Database)()
        assert database.log == ["made"]

    assert database.name == make.__name__
    assert database.log == ["made", "left"]


async def test_a_service_may_ask_for_settings_and_for_arcs_components() -> None:
    """Its parameters are injected as those of any component."""

    class Report:
        def __init__(self, settings: ArcSettings, model: ChatModel) -> None:
            self.given = settings.llm.provider, model

    app = application(service(Report))

    async with app:
        assert app.container.of(Report)().given == ("offline", app.container.chat_model())


async def test_the_type_of_a_service_may_be_an_interface_of_it() -> None:
    """`provides` names the type by which it is asked for."""

    @provides(Database)
    class PostgresDatabase(Database): ...

    app = application(PostgresDatabase, service(Repository))

    async with app:
        assert isinstance(app.container.of(Repository)().database, PostgresDatabase)


async def test_a_service_is_overridden_by_its_type() -> None:
    """As tests do it."""
    fake = Database("fake")
    app = application(service(Database), service(Repository))
    app.container.of(Database).override(fake)

    async with app:
        assert app.container.of(Repository)().database is fake
        assert app.report.winner(Database).origin.source == "override"  # type: ignore[union-attr]


def test_a_service_that_is_opened_is_not_there_before_the_start() -> None:
    """The error says when it is."""
    app = application(service(generator))

    with pytest.raises(NotOpenError, match="is not there before the application has started"):
        app.container.of(Database)()


def test_components_are_built_as_far_as_they_can_be_without_a_start() -> None:
    """`arc components` shows the others."""
    app = application(service(coroutine), service(Repository))

    built = {each.place: each for each in app.build()}

    assert built["chat_model"].component is not None
    assert built[f"{__name__}.Repository"].component is None
    assert built[f"{__name__}.Database"].type == f"{__name__}:coroutine"


async def test_a_missing_service_is_told_with_the_remedy() -> None:
    """What it asks for, and how to offer it."""
    app = application(service(Repository))

    with pytest.raises(InjectionError, match="cannot be filled: database") as raised:
        async with app:
            pass

    assert "register=[service(Database)]" in raised.value.remedy


async def test_two_services_of_one_type_are_ambiguous() -> None:
    """One must be chosen, as for a slot."""

    class One(Database): ...

    class Two(Database): ...

    one, two = provides(Database, name="one")(One), provides(Database, name="two")(Two)

    with pytest.raises(AmbiguousComponentError, match="2 components want to be"):
        async with application(one, two):
            pass


async def test_a_function_that_says_no_type_cannot_make_a_service() -> None:
    """The error asks for the annotation."""

    def make():  # type: ignore[no-untyped-def]
        return Database()

    with pytest.raises(ComponentError, match=r"of which type .*make makes a service"):
        application(service(make))


@pytest.mark.parametrize(
    "offer", [service, provides(Any), decorates(Any)], ids=["service", "provides", "decorates"]
)
def test_any_is_not_the_type_of_a_service(offer: Callable[[Any], Any]) -> None:
    """It is a class to Python 3.11, of which nothing can be an instance."""

    def make() -> Any:
        return Database()

    with pytest.raises(ComponentError, match=r"(?s)typing\.Any.*not a class"):
        application(offer(make))


async def test_a_parameter_of_any_type_is_not_told_to_be_offered_as_a_service() -> None:
    """The remedy is another annotation."""

    class Report:
        def __init__(self, database: Any) -> None:
            self.database = database

    with pytest.raises(InjectionError, match="cannot be filled: database: Any") as raised:
        async with application(service(Report)):
            pass

    assert "service(Any)" not in raised.value.remedy
    assert "annotate" in raised.value.remedy


def _never() -> Iterator[Database]:
    if not __debug__:
        yield Database()


def _twice() -> Iterator[Database]:
    yield Database()
    yield Database()


async def test_a_factory_that_yields_nothing_stops_the_start() -> None:
    """It did not open anything."""
    with pytest.raises(ComponentError, match="could not be opened") as raised:
        async with application(service(_never)):
            pass

    assert "yield" in raised.value.evidence[0]


async def test_a_factory_that_yields_twice_is_told_when_it_is_closed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The second value would never be used."""
    async with application(service(_twice)):
        pass

    assert "did not close" in caplog.text


@service(condition=on_env("NO_SUCH_VARIABLE"))
class Ledger: ...


class Auditor:
    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger


async def test_what_is_needed_and_has_no_candidate_left_is_missing() -> None:
    """The conditions that removed them are named."""
    app = application(Ledger, service(Auditor))

    with pytest.raises(MissingDependencyError, match="needs a Ledger, and there is") as raised:
        await app.__aenter__()

    assert "NO_SUCH_VARIABLE is set" in raised.value.evidence[0]
