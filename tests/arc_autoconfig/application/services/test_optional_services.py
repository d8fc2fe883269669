"""Parameters that may be None, or keep a default, when there is nothing for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Optional

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.errors import InjectionError, MissingDependencyError, UnknownNameError
from arc_core import (
    ChatModel,
    Inject,
    Lazy,
    Named,
    RunContext,
    RunScopes,
    ToolCall,
    service,
    slot,
    tool,
)
from arc_core.testing import ScriptedChatModel

_ABSENT = object()
_UNKNOWN = Annotated[ChatModel, Named("nobody")]


class Database:
    """A service that nothing offers."""


@dataclass
class Clock:
    """A service that nothing offers, and that could be a section of settings."""

    is_late: bool = False


@service
class Scopes:
    """Gets what an engine gets."""

    def __init__(self, scopes: RunScopes) -> None:
        self.scopes = scopes


OPTIONAL = {
    "union": Database | None,
    "Optional": Optional[Database],  # noqa: UP045
    "a dataclass": Clock | None,
    "by name": Annotated[ChatModel | None, Named("nobody")],
    "by name, None outside": _UNKNOWN | None,
    "a service by name": Annotated[Database | None, Named("nobody")],
    "later": Lazy[Database] | None,
    "all by name": Mapping[str, Database] | None,
}
optional = pytest.mark.parametrize("asked", OPTIONAL.values(), ids=OPTIONAL.keys())


def asking(asked: Any, default: object = _ABSENT, **options: Any) -> Any:
    """A service with one parameter."""

    def keep(self: Any, found) -> None:  # type: ignore[no-untyped-def]
        self.found = found

    keep.__annotations__ = {"found": asked}
    keep.__defaults__ = () if default is _ABSENT else (default,)
    return service(**options)(type("Asker", (), {"__init__": keep}))


def application(*register: object) -> Application:
    """An application whose model calls the tool `use`, and then answers."""
    model = ScriptedChatModel([[ToolCall("1", "use", "{}")], "Done."])
    return Application(ArcSettings(_isolated=True), register=[model, *register], plugins=False)


async def find(asked: Any, *register: object) -> object:
    """What a run gives that is asked for something."""
    async with application(Scopes, *register) as app:
        scope = app.container.of(Scopes)().scopes.open(RunContext(run_id="1"))
        found: object = await scope.get(asked)
        await scope.close(None)
        return found


@optional
async def test_a_constructor_gets_none_if_there_is_nothing(asked: Any) -> None:
    """In whatever form it says that None will do."""
    asker = asking(asked)

    async with application(asker) as app:
        assert app.container.of(asker)().found is None


@optional
async def test_a_component_of_a_run_gets_none_if_there_is_nothing(asked: Any) -> None:
    """As one of the application does."""
    asker = asking(asked, scope="run")

    made: Any = await find(asker, asker)

    assert made.found is None


@optional
async def test_a_tool_gets_none_if_there_is_nothing(asked: Any) -> None:
    """`Inject[Database | None]`, and `Inject[Database] | None`."""
    found: list[object] = []

    def use(inside, outside) -> str:  # type: ignore[no-untyped-def]
        """Note what there is."""
        found.extend([inside, outside])
        return "ok"

    injected: Any = Inject
    use.__annotations__.update(inside=injected[asked], outside=injected[asked] | None)
    async with application(tool(use)) as app:
        await app.execute("Go.")

    assert found == [None, None]


@optional
async def test_a_context_gives_none_if_there_is_nothing(asked: Any) -> None:
    """`context.get` of hooks, guards and tools."""
    assert await find(asked) is None


@pytest.mark.parametrize("default", [None, 7])
async def test_a_default_stays_if_no_component_has_the_name(default: object) -> None:
    """In constructors, of runs too, and in tools."""
    asker, of_run = asking(_UNKNOWN, default), asking(_UNKNOWN, default, scope="run")
    found: list[object] = []

    def use(model=default) -> str:  # type: ignore[no-untyped-def]
        """Note what there is."""
        found.append(model)
        return "ok"

    use.__annotations__["model"] = Inject[_UNKNOWN]
    async with application(asker, tool(use)) as app:
        await app.execute("Go.")
        assert app.container.of(asker)().found == default
    made: Any = await find(of_run, of_run)

    assert [made.found, *found] == [default, default]


async def test_a_lazy_component_that_may_be_none_is_none_later() -> None:
    """The `Lazy` itself is there."""
    asker = asking(Lazy[Database | None])

    async with application(asker) as app:
        assert await app.container.of(asker)().found.get() is None


@pytest.mark.parametrize("key", ["union", "a dataclass", "later", "all by name"])
async def test_what_may_be_none_is_given_if_it_is_there(key: str) -> None:
    """None is for what there is not."""
    asker = asking(OPTIONAL[key])

    async with application(asker, service(Database), service(Clock)) as app:
        assert app.container.of(asker)().found is not None


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (str | None, InjectionError),
        (Database, InjectionError),
        (_UNKNOWN, UnknownNameError),
        (Mapping[str, Database], InjectionError),
    ],
    ids=["a text", "a type", "a name", "all by name"],
)
async def test_what_is_needed_or_can_never_be_there_is_an_error(
    asked: Any, error: type[Exception]
) -> None:
    """Nothing offers texts; the rest does not say that None will do."""
    with pytest.raises(error):
        async with application(asking(asked)):
            pass


@slot("speech", group="acme.speech")
class SpeechSynthesizer:
    """A slot of the program's own, for which nothing is offered."""


async def test_a_component_of_an_empty_slot_of_ones_own_may_be_none() -> None:
    """Of an interface, too, that no package declares."""
    asker = asking(SpeechSynthesizer | None)

    async with application(asker) as app:
        assert app.container.of(asker)().found is None
    with pytest.raises(MissingDependencyError, match="SpeechSynthesizer"):
        async with application(asking(SpeechSynthesizer)):
            pass


async def test_a_lazy_component_that_is_needed_is_an_error_later() -> None:
    """A slot may be empty; what asks for its component says so."""
    asker = asking(Lazy[SpeechSynthesizer])
    async with application(asker) as app:
        with pytest.raises(MissingDependencyError):
            await app.container.of(asker)().found.get()
