"""Generic services, found by their full type, and protocols that are not checkable at run time."""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

import pytest

from arc_autoconfig import Application, ArcSettings, provides
from arc_autoconfig.errors import ComponentError, InjectionError
from arc_core import (
    Inject,
    Registered,
    RunContext,
    RunScopes,
    ToolCall,
    contribution,
    decorates,
    service,
    tool,
)
from arc_core.conditions import on_missing
from arc_core.testing import ScriptedChatModel

T = TypeVar("T")


class User:
    """Something to keep."""


class Order:
    """Something else to keep."""


class Repository(Generic[T]):
    """Keeps things of one type."""

    def __init__(self, name: str = "") -> None:
        self.name = name


@service
def users() -> Repository[User]:
    """Is a function."""
    return Repository("users")


@service
def orders() -> Iterator[Repository[Order]]:
    """Is a generator."""
    yield Repository("orders")


@service
class Shop:
    """Asks for two of one generic class."""

    def __init__(self, users: Repository[User], orders: Repository[Order]) -> None:
        self.users, self.orders = users, orders


@service
class Scopes:
    """Gets what an engine gets."""

    def __init__(self, scopes: RunScopes) -> None:
        self.scopes = scopes


def application(*register: object) -> Application:
    """An application whose model calls the tool `use`, and then answers."""
    model = ScriptedChatModel([[ToolCall("1", "use", "{}")], "Done."])
    return Application(ArcSettings(_isolated=True), register=[model, *register], plugins=False)


def asking(asked: Any) -> Any:
    """A service with one parameter."""

    def keep(self: Any, found) -> None:  # type: ignore[no-untyped-def]
        self.found = found

    keep.__annotations__ = {"found": asked}
    return service(type("Asker", (), {"__init__": keep}))


async def test_a_generic_service_is_found_by_its_full_type() -> None:
    """Two of one class are two services, in constructors and in the container."""
    async with application(users, orders, Shop) as app:
        shop = app.container.of(Shop)()

        assert (shop.users.name, shop.orders.name) == ("users", "orders")
        assert app.container.of(Repository[User])() is shop.users


async def test_a_run_finds_a_generic_service_by_its_full_type() -> None:
    """In tools, and by the context."""
    found: list[object] = []

    @tool
    async def use(users: Inject[Repository[User]]) -> str:
        """Note what there is."""
        found.append(users.name)
        return "ok"

    async with application(users, orders, Scopes, use) as app:
        await app.execute("Go.")
        scope = app.container.of(Scopes)().scopes.open(RunContext(run_id="1"))
        found.append((await scope.get(Repository[Order])).name)
        await scope.close(None)

    assert found == ["users", "orders"]


async def test_an_instance_of_a_generic_class_is_offered_as_its_full_type() -> None:
    """It remembers the arguments that it was made with."""
    made, asker = Repository[User]("users"), asking(Repository[User])

    async with application(service(made), asker) as app:
        assert app.container.of(asker)().found is made


async def test_the_only_generic_service_is_found_without_its_arguments() -> None:
    """With two of the class it would be a guess, which is refused with their names."""
    asker = asking(Repository)

    async with application(users, asker) as app:
        assert app.container.of(asker)().found.name == "users"
    with pytest.raises(InjectionError, match=r"Repository\[User\]") as raised:
        async with application(users, orders, asker):
            pass
    assert any("Repository[Order]" in each for each in raised.value.evidence)


async def test_a_generic_service_with_other_arguments_is_told() -> None:
    """A service of the bare class is none of `Repository[User]`."""
    with pytest.raises(InjectionError) as raised:
        async with application(service(Repository), asking(Repository[User])):
            pass

    assert "there is Repository, which is another type" in raised.value.evidence
    assert "service(Repository[User])" in raised.value.remedy


def make_open() -> Repository[T]:
    """Does not say what it keeps."""
    return Repository("any")


def make_union() -> Repository[User] | Repository[Order]:
    """Does not say which it makes."""
    return Repository("any")


@pytest.mark.parametrize("factory", [make_open, make_union])
def test_a_service_without_one_full_type_is_refused_where_it_is_registered(factory: Any) -> None:
    """With the remedy."""
    with pytest.raises(ComponentError, match="of which type") as raised:
        application(service(factory))

    assert "annotate what it returns" in raised.value.remedy


async def test_a_wrapper_and_a_condition_mean_one_full_type() -> None:
    """And leave the other service of the class as it is."""

    @decorates(Repository[User])
    class Traced(Repository[User]):
        def __init__(self, inner: Repository[User]) -> None:
            self.name = f"traced {inner.name}"

    @provides(Repository[User], condition=on_missing(Repository[User]))
    def spare_users() -> Repository[User]:
        return Repository("spare")

    @provides(Repository[Order], condition=on_missing(Repository[Order]))
    def spare_orders() -> Repository[Order]:
        return Repository("spare")

    async with application(users, spare_users, spare_orders, Traced, Shop) as app:
        shop = app.container.of(Shop)()

    assert (shop.users.name, shop.orders.name) == ("traced users", "spare")


@contribution("gadgets", group="acme.gadgets")
class Gadget(Protocol):
    """A protocol that `isinstance` refuses."""

    async def turn(self) -> int: ...


@provides(Gadget)
class Wheel:
    """A gadget by its methods."""

    async def turn(self) -> int:
        return 1


@pytest.mark.parametrize("asked", [list[Gadget], Sequence[Gadget], Registered[Gadget]])
async def test_components_of_a_protocol_that_is_not_checkable_can_be_asked_for(asked: Any) -> None:
    """They were judged by their methods when they were offered."""
    wheel, asker = Wheel(), asking(asked)

    async with application(wheel, asker) as app:
        found = app.container.of(asker)().found

    assert list(getattr(found, "components", found)) == [wheel]


@pytest.mark.parametrize("plain", [False, True])
async def test_an_override_counts_as_registered(*, plain: bool) -> None:
    """The program has put it there, with wrappers or without."""
    asker, wheel = asking(Registered[Gadget]), Wheel()
    app = application(Wheel(), asker)
    app.container.gadgets.override([wheel], plain=plain)

    async with app:
        found = app.container.of(asker)().found

    assert found.components == (wheel,)
