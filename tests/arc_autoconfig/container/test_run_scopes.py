"""What components of runs may need, and who may need them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from arc_autoconfig import Application, provides
from arc_autoconfig.errors import ApplicationStateError, DependencyCycleError, InjectionError
from arc_core import (
    ConfigurationError,
    Lazy,
    Logger,
    Named,
    Retriever,
    RunContext,
    RunScopes,
    decorates,
    service,
)
from arc_core.interfaces.run_scope import RunScope
from arc_core.settings import LlmSettings
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.run_scopes import Session, application


@service
class Scopes:
    """Gets what an engine gets."""

    def __init__(self, scopes: RunScopes) -> None:
        self.scopes = scopes


@service
class Database:
    """Something of the application."""


class Work:
    """Keeps what it was made with."""

    def __init__(self, **parts: object) -> None:
        self.parts = parts


def opened(app: Application, **options: Any) -> RunScope:
    """The scope of a run of a started application."""
    scopes: Scopes = app.container.of(Scopes)()
    return scopes.scopes.open(RunContext(run_id="1", **options))


@service(scope="run")
def open_session(database: Database) -> Session:
    """A session."""
    session = Session()
    vars(session)["database"] = database
    return session


async def test_a_component_of_a_run_may_need_all_there_is() -> None:
    """Of the application, of the run, the run itself, settings, a logger."""

    @dataclass(frozen=True)
    class Parts:
        session: Session
        database: Database

    @service(scope="run")
    def work(
        session: Session, run: RunContext, llm: LlmSettings, logger: Logger, parts: Parts
    ) -> Work:
        return Work(session=session, run=run, llm=llm, logger=logger, parts=parts)

    async with application(Scopes, Database, open_session, work) as app:
        scope = opened(app, user_id="ann")
        made = await scope.get(Work)

        assert made.parts["session"] is await scope.get(Session)
        assert made.parts["llm"] is app.settings.llm
        assert isinstance(run := made.parts["run"], RunContext)
        assert isinstance(parts := made.parts["parts"], Parts)
        assert (run.user_id, parts.session) == ("ann", made.parts["session"])
        assert parts.database is app.container.of(Database)()
        await scope.close(None)


async def test_a_run_finds_components_of_the_application_too() -> None:
    """By type, by name, as a mapping, later; the `RunContext` itself."""
    async with application(Scopes, Database) as app:
        scope = opened(app)

        assert await scope.get(Database) is app.container.of(Database)()
        assert await scope.get(Retriever) is app.container.retriever()
        assert await (await scope.get(Lazy[Database])).get() is app.container.of(Database)()
        assert (await scope.get(RunContext)).run_id == "1"


async def test_a_run_finds_what_was_handed_to_it() -> None:
    """By its type, unless a component is wired under that type: deps replace none."""
    handed = Database()

    async with application(Scopes) as app:
        assert await opened(app, deps=handed).get(Database) is handed
    async with application(Scopes, Database) as app:
        wired = app.container.of(Database)()
        assert await opened(app, deps=handed).get(Database) is wired


async def test_what_there_is_not_is_told_with_the_remedy() -> None:
    """For a type, and for a slot that is empty."""
    async with application(Scopes) as app:
        with pytest.raises(InjectionError) as raised:
            await opened(app).get(Database)

    assert "a run was asked for Database" in str(raised.value)
    assert "register=[service(Database)]" in raised.value.remedy


async def test_nothing_is_made_after_the_end() -> None:
    """It could not be closed any more."""
    async with application(Scopes, Database, open_session) as app:
        scope = opened(app)
        await scope.get(Session)
        await scope.close(None)

        with pytest.raises(ApplicationStateError, match="after the end of the run 1"):
            await scope.get(Session)


class First:
    def __init__(self, second: "Second") -> None: ...


class Second:
    def __init__(self, third: "Third") -> None: ...


class Third:
    def __init__(self, first: First) -> None: ...


async def test_a_circle_is_told_at_the_start() -> None:
    """With its path."""
    of_run = service(scope="run")
    app = application(*map(of_run, (First, Second, Third)), ScriptedChatModel([]))

    with pytest.raises(DependencyCycleError) as raised:
        await app.__aenter__()

    path = raised.value.evidence[0]
    assert path.count(" needs ") == 3
    assert path.split(" needs ")[0] == path.split(" needs ")[-1]


async def test_a_circle_by_way_of_the_context_is_told_in_the_run() -> None:
    """A factory that asks for itself would wait for ever."""

    @service(scope="run")
    async def ask_again(run: RunContext) -> Work:
        return Work(inner=await run.get(Work))

    async with application(Scopes, ask_again) as app:
        scope = scope_of_context(app)
        with pytest.raises(DependencyCycleError, match="components of a run need each other"):
            await scope.get(Work)


def scope_of_context(app: Application) -> RunScope:
    """A scope whose context finds components by it."""
    late = _Late()
    late.scope = opened(app, scope=late)
    return late.scope


class _Late(RunScope):
    scope: RunScope

    async def get(self, wanted: Any) -> Any:
        return await self.scope.get(wanted)

    async def close(self, error: BaseException | None) -> tuple[str, ...]:
        return ()


async def test_a_lazy_component_of_the_run_is_the_way_out_of_a_circle() -> None:
    """It is made when it is asked for."""

    class Parent:
        def __init__(self, child: "Lazy[Child]") -> None:
            self.child = child

    class Child:
        def __init__(self, parent: Parent) -> None:
            self.parent = parent

    Parent.__init__.__annotations__["child"] = Lazy[Child]
    of_run = service(scope="run")
    async with application(Scopes, of_run(Parent), of_run(Child)) as app:
        scope = opened(app)
        parent = await scope.get(Parent)
        child = await parent.child.get()

        assert child.parent is parent
        assert await scope.get(Child) is child
        await scope.close(None)


def _plainly(session: Session) -> Work:
    return Work(session=session)


def _later(session: Lazy[Session]) -> Work:
    return Work(session=session)


def _by_name(session: Annotated[Session, Named("open_session")]) -> Work:
    return Work(session=session)


def _all(session: Mapping[str, Session]) -> Work:
    return Work(session=session)


@pytest.mark.parametrize("asking", [_plainly, _later, _by_name, _all])
async def test_the_application_cannot_have_a_component_of_a_run(
    asking: Callable[..., Work],
) -> None:
    """In whatever way it asks; the error draws the path and says the way out."""
    app = application(service(asking), Database, open_session)

    with pytest.raises(InjectionError) as raised:
        await app.__aenter__()

    assert "Work needs tests.arc_autoconfig.run_scopes.Session (one per run)" in str(raised.value)
    assert "await context.get(Session)" in raised.value.remedy


async def test_the_container_has_no_component_of_a_run() -> None:
    """All that ask would share one that no run closes; an override is shared on purpose."""
    async with application(Database, open_session) as app:
        with pytest.raises(InjectionError, match="one for each run") as raised:
            app.container.of(Session)()
    assert "context.get(Session)" in raised.value.remedy

    overridden, session = application(Database, open_session), Session()
    overridden.container.of(Session).override(session)
    async with overridden as app:
        assert app.container.of(Session)() is session


async def test_the_application_cannot_have_the_context_of_a_run() -> None:
    """There is none before the first run."""

    @service
    def work(run: RunContext) -> Work:
        return Work(run=run)

    with pytest.raises(InjectionError, match="asks for the RunContext of one"):
        await application(work).__aenter__()


async def test_an_instance_cannot_be_made_anew() -> None:
    """Offered with `scope="run"` it would be shared by all runs."""
    offered = service(scope="run")(Work())

    with pytest.raises(InjectionError, match="is an instance"):
        await application(offered).__aenter__()


async def test_a_component_of_the_run_is_wrapped() -> None:
    """Anew in each run, with what it wraps and its own needs."""

    @decorates(Session)
    class Traced(Session):
        def __init__(self, inner: Session, run: RunContext) -> None:
            self.inner, self.run = inner, run

    async with application(Scopes, Database, open_session, Traced) as app:
        scope = opened(app)
        session = await scope.get(Session)

        assert isinstance(session, Traced)
        assert type(session.inner) is Session
        assert session.run.run_id == "1"
        await scope.close(None)


async def test_components_of_the_run_can_be_had_by_name() -> None:
    """The one that does not fill the slot too."""

    @provides(Session, name="main", primary=True, scope="run")
    class Main(Session): ...

    @provides(Session, name="replica", scope="run")
    class Replica(Session): ...

    async with application(Scopes, Main, Replica) as app:
        scope = opened(app)
        named: Any = Annotated[Session, Named("replica")]
        found = await scope.get(Mapping[str, Session])

        assert found["main"] is await scope.get(Session)
        assert found["replica"] is await scope.get(named)
        assert {type(each) for each in found.values()} == {Main, Replica}
        await scope.close(None)


async def test_what_asks_may_leave_without_disturbing_others() -> None:
    """The component is made for those that stay."""
    started, go_on = asyncio.Event(), asyncio.Event()

    @service(scope="run")
    async def slow() -> AsyncIterator[Session]:
        started.set()
        await go_on.wait()
        yield Session()

    async with application(Scopes, slow) as app:
        scope = opened(app)
        leaving, staying = (asyncio.create_task(scope.get(Session)) for _ in range(2))
        await started.wait()
        leaving.cancel()
        await asyncio.wait([leaving])
        go_on.set()

        assert isinstance(await staying, Session)
        assert leaving.cancelled()
        await scope.close(None)


async def test_a_factory_that_failed_is_tried_again() -> None:
    """The failure belongs to those that waited for it."""
    answers: list[Any] = [ValueError("away"), Session()]

    @service(scope="run")
    async def flaky() -> Session:
        answer: Session | Exception = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async with application(Scopes, flaky) as app:
        scope = opened(app)
        with pytest.raises(ConfigurationError, match="could not be made for a run"):
            await scope.get(Session)

        assert isinstance(await scope.get(Session), Session)
        await scope.close(None)
