"""Parameters that are marked with `Inject`, of tools and of components filled as tools are."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Self

import pytest

from arc_autoconfig import Application, ArcSettings, provides
from arc_autoconfig.errors import ComponentError, DependencyCycleError, InjectionError
from arc_core import (
    AgentExecutor,
    ChatModel,
    ConfigurationError,
    FunctionTool,
    Guard,
    Inject,
    Lazy,
    Named,
    RunContext,
    Tool,
    ToolCall,
    ToolContext,
    ToolSource,
    service,
    tool,
)
from arc_core.settings import LlmSettings
from arc_core.testing import FixedRunScope, ScriptedChatModel
from tests.arc_autoconfig.installed import PackageIndex
from tests.arc_autoconfig.run_scopes import SEEN, Session, Sessions, application, calling


@service
class Database:
    """Something of the application."""


class Unknown:
    """Nothing that is offered."""


@tool
async def find_order(order_id: str, db: Inject[Database]) -> str:
    """Find an order.

    Args:
        order_id: Its number.
        db: Where orders are.
    """
    SEEN.append(db)
    return order_id


def finding(arguments: str) -> ScriptedChatModel:
    """A model that calls `find_order`."""
    return ScriptedChatModel([[ToolCall("1", "find_order", arguments)], "Done."])


def test_an_injected_parameter_is_hidden_from_the_model() -> None:
    """The schema and its descriptions have the others alone."""
    assert list(find_order.parameters["properties"]) == ["order_id"]
    assert find_order.parameters["required"] == ["order_id"]


async def test_a_tool_called_directly_takes_it_as_an_argument() -> None:
    """As a test does."""
    database = Database()

    assert await find_order("7", db=database) == "7"
    assert [database] == SEEN


async def test_a_tool_of_a_plugin_or_of_code_gets_the_component_of_the_application() -> None:
    """Once, at the start; the tool that was registered stays as it is."""
    app = application(Database, find_order, finding('{"order_id": "7"}'))

    async with app:
        await app.execute("Go.")
        [bound] = [each for each in app.container.tools() if each.name == "find_order"]

        assert [app.container.of(Database)()] == SEEN
        assert isinstance(bound, FunctionTool)
        assert (bound.injected, bound.reads_run, bound.cacheable) == ({}, False, True)
    assert list(find_order.injected) == ["db"]


async def test_the_model_cannot_fill_an_injected_parameter() -> None:
    """An argument of its name is refused as one that does not exist."""
    model = finding('{"order_id": "7", "db": {}}')

    async with application(Database, find_order, model) as app:
        await app.execute("Go.")

    assert SEEN == []


async def test_methods_of_a_class_are_filled_too() -> None:
    """Beside what its constructor gets."""

    class Orders:
        def __init__(self, database: Database) -> None:
            self.database = database

        @tool
        async def count(self, db: Inject[Database]) -> str:
            """Count orders."""
            SEEN.append(db is self.database)
            return "1"

    async with application(Database, Orders, calling("count")) as app:
        await app.execute("Go.")

    assert SEEN == [True]


@provides(ChatModel, name="quick")
class QuickModel(ScriptedChatModel):
    """A model that does not fill the slot."""

    def __init__(self) -> None:
        super().__init__(["Quick."])


@provides(ChatModel, primary=True)
class Calling(ScriptedChatModel):
    """Calls the tool `everything`."""

    def __init__(self) -> None:
        super().__init__([[ToolCall("1", "everything", "{}")], "Done."])


@tool
def everything(
    named: Inject[Annotated[ChatModel, Named("quick")]],
    guards: Inject[list[Guard]],
    lazy: Inject[Lazy[Database]],
    by_name: Inject[Mapping[str, ChatModel]],
    section: Inject[LlmSettings],
    nothing: Inject[Unknown] = None,  # type: ignore[assignment]
    optional: Inject[Database | None] = None,
) -> str:
    """Take all there is."""
    SEEN.extend([named, guards, lazy, by_name, section, nothing, optional])
    return "ok"


async def test_all_ways_to_ask_work_in_tools() -> None:
    """Those of constructors, in a function that is not async, too."""
    async with application(Database, QuickModel, Calling, everything) as app:
        result = await app.execute("Go.")

        named, guards, lazy, by_name, section, nothing, optional = SEEN
        database = app.container.of(Database)()
        assert result.success
        assert isinstance(named, QuickModel)
        assert isinstance(guards, list)
        assert isinstance(lazy, Lazy)
        assert isinstance(by_name, dict)
        assert by_name["quick"] is named
        assert await lazy.get() is database
        assert (section, nothing, optional) == (app.settings.llm, None, database)


@tool
async def store(session: Inject[Session], context: ToolContext) -> str:
    """Store something."""
    SEEN.append(session is await context.get(Session))
    return "ok"


async def test_a_component_of_the_run_is_got_for_each_call() -> None:
    """The same as by the context; answers in which such a tool took part are not cached."""
    sessions, model = Sessions(), calling("store")

    async with application(sessions.factory(), store, model) as app:
        await app.execute("Go.")
        [bound] = [each for each in app.container.tools() if each.name == "store"]

    assert SEEN == [True]
    assert sessions.log == ["open", "committed"]
    assert (bound.reads_run, bound.cacheable) == (True, False)


def test_a_tool_may_say_that_it_is_cacheable() -> None:
    """Although it reads the run."""

    @tool(cacheable=True)
    async def look_up(session: Inject[Session]) -> str:
        """Look up."""
        return "x"

    assert (look_up.reads_run, look_up.cacheable) == (True, True)


@tool
async def guess(thing: Inject[Unknown]) -> str:
    """Take what there is not."""
    return "never"


@tool
async def absent(retriever: Inject[Annotated[ChatModel, Named("gone")]]) -> str:
    """Take what there is not."""
    return "never"


@pytest.mark.parametrize(
    ("asking", "words"),
    [
        (guess, ["guess, parameter 'thing'", "register=[service(Unknown)]"]),
        (absent, ["absent, parameter 'retriever'", "gone"]),
    ],
)
async def test_what_cannot_be_filled_stops_the_start(asking: Tool, words: list[str]) -> None:
    """The error names tool, parameter and remedy."""
    app = application(asking, ScriptedChatModel([]))

    with pytest.raises(ConfigurationError) as raised:
        await app.__aenter__()

    assert [each for each in words if each not in str(raised.value)] == []


async def test_a_tool_of_a_source_gets_what_it_asks_for_in_the_run() -> None:
    """A source brings tools while the application runs, so each call asks."""
    sessions = Sessions()

    class Source(ToolSource):
        def tools(self) -> list[Tool]:
            return [store]

    async with application(sessions.factory(), Source, calling("store")) as app:
        await app.execute("Go.")

    assert SEEN == [True]


async def test_a_tool_of_an_override_is_filled() -> None:
    """As one that is registered."""
    app = application(Database, finding('{"order_id": "7"}'))
    app.container.tools.override([find_order])

    async with app:
        await app.execute("Go.")

        assert [app.container.of(Database)()] == SEEN


async def test_an_override_takes_the_place_of_a_component_of_the_run() -> None:
    """It is shared by all runs, as tests want it."""
    sessions, session = Sessions(), Session()
    app = application(sessions.factory(), store, calling("store"))
    app.container.of(Session).override(session)

    async with app:
        await app.execute("Go.")
        [bound] = [each for each in app.container.tools() if each.name == "store"]

    assert (SEEN, sessions.log, bound.injected) == ([True], [], {})


class Agents:
    """A tool that asks the application's own agent."""

    @tool
    async def ask(self, agent: Inject[AgentExecutor]) -> str:
        """Ask."""
        return "never"


async def test_a_tool_that_needs_its_agent_is_told_in_a_circle() -> None:
    """`Lazy` is the way out."""
    app = application(Agents, ScriptedChatModel([]))

    with pytest.raises(DependencyCycleError) as raised:
        await app.__aenter__()

    assert "agent_executor needs tools needs agent_executor" in raised.value.evidence[0]
    assert "Lazy" in raised.value.remedy


async def test_a_fake_scope_serves_a_tool_that_is_called_by_hand() -> None:
    """Without an application."""
    session = Session()
    context = ToolContext(
        run_id="1", call_id="1", user_id="ann", scope=FixedRunScope({Session: session})
    )

    assert await context.get(Session) is session


DETECTORS = """
    from typing import Protocol, runtime_checkable
    from arc_core import contribution

    @contribution("detectors", group="acme.detectors")
    @runtime_checkable
    class Detector(Protocol):
        def detect(self, text: str) -> object: ...
"""


@service
class Words:
    """Something of the application."""


class Detector:
    """Takes part in injection with what it is said to ask for."""

    def __init__(self, **injected: Any) -> None:
        self.injected: Mapping[str, Any] = injected
        self.values: Mapping[str, object] = {}
        self.per_call: Collection[str] = ()

    def detect(self, text: str) -> object:
        return self.values

    def has_default(self, parameter: str) -> bool:
        return False

    def fill(self, values: Mapping[str, object], *, per_call: Collection[str]) -> Self:
        filled = type(self)(**self.injected)
        filled.values, filled.per_call = values, per_call
        return filled


class BrokenDetector(Detector):
    """Cannot be filled."""

    def fill(self, values: Mapping[str, object], *, per_call: Collection[str]) -> Self:
        raise ValueError("no place for words")


DETECTOR = Detector(words=Inject[Words], run=Inject[RunContext])


def application_with_detectors(
    packages: PackageIndex, detector: Detector | None = None
) -> Application:
    """One with an interface of a package, for which another package brings `DETECTOR`."""
    interfaces = {"detectors": "acme_detectors:Detector"}
    packages.install("acme", modules={"acme_detectors": DETECTORS}, arc__interfaces=interfaces)
    packages.install("zeta", acme__detectors={"zeta": f"{__name__}:DETECTOR"})
    app = Application(ArcSettings(_isolated=True), register=[Words])
    if detector is not None:
        app.container.detectors.override([detector])
    return app


async def test_a_component_of_another_package_is_filled(packages: PackageIndex) -> None:
    """It gets components of the application once, and is told what it gets from each run."""
    app = application_with_detectors(packages)

    async with app:
        [filled] = app.container.detectors()

        assert filled.values == {"words": app.container.of(Words)()}
        assert filled.per_call == {"run"}
    assert DETECTOR.values == {}


async def test_an_unknown_type_is_an_error_with_the_name_of_the_component(
    packages: PackageIndex,
) -> None:
    """As it is for the parameter of a tool."""
    app = application_with_detectors(packages, Detector(words=Inject[complex]))

    with pytest.raises(InjectionError, match="detectors: Detector, parameter 'words'"):
        await app.__aenter__()


async def test_a_component_that_cannot_be_filled_is_named(packages: PackageIndex) -> None:
    """What it raises does not stop the application without a word of whose it is."""
    app = application_with_detectors(packages, BrokenDetector(words=Inject[Words]))

    with pytest.raises(ComponentError, match=r"detectors: BrokenDetector .* cannot be built"):
        await app.__aenter__()
