"""The application: discovers, decides, builds, starts, runs, closes."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from importlib import import_module
from threading import Lock
from typing import Any, Self, TypeVar, overload

import arc_autoconfig
from arc_autoconfig.container.application_scope import ApplicationScope
from arc_autoconfig.container.lifecycle import Built, begin_work, start
from arc_autoconfig.container.overrides import ContainerOverrides
from arc_autoconfig.decide.conditions import ConditionFacts
from arc_autoconfig.decide.decisions import with_overrides
from arc_autoconfig.decide.wiring import Wiring, decide_wiring
from arc_autoconfig.declare.discovery import discover
from arc_autoconfig.errors import ApplicationStateError, ComponentError, NotOpenError
from arc_autoconfig.explain.health import (
    CHECK_TIMEOUT_S,
    HealthFinding,
    check_components,
    quarantine_findings,
)
from arc_autoconfig.explain.report import ConditionReport, with_faults
from arc_autoconfig.explain.wired import WiredComponent, wired_components
from arc_autoconfig.log_output import logging_to_stderr
from arc_autoconfig.runs.agent_application import AgentApplication, AgentHandle, ProgramCredentials
from arc_autoconfig.runs.blocking import BlockingApplication
from arc_autoconfig.runs.known_tools import KnownTools
from arc_autoconfig.runs.started_parts import RunBodies, WiredAgents
from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.server_section import KnownKeys
from arc_core.agents.agent import Agent
from arc_core.command import AgentCommand
from arc_core.components.extension_points import Contribution, get_place
from arc_core.components.wiring_record import WiringRecord
from arc_core.errors import ConfigurationError
from arc_core.interfaces.credentials import Credentials
from arc_core.interfaces.guards.output_guard import OutputGuard
from arc_core.interfaces.guards.text_mask import TextMask
from arc_core.interfaces.serving.deps_factory import DepsFactory, DepsRequest
from arc_core.interfaces.serving.surface import Surface
from arc_core.recordings import MaskedRecords, RecordingExporter, RecordingMasks
from arc_core.replay import ReplayOutcome
from arc_core.runs.callers import Caller
from arc_core.runs.journal import Recording
from arc_core.runs.runs import Runs
from arc_core.runs.store import RunStore

__all__ = ["Application", "import_server"]

T = TypeVar("T")

_SERVER_LIBRARIES = frozenset({"starlette", "uvicorn"})


class Application(AgentApplication):
    """An agent with everything that is installed and registered.

        async with Application(register=[get_weather]) as app:
            result = await app.execute("How is the weather in Seoul?")

    Making one finds the plugins and decides what is wired; nothing is built before it starts, so
    that until then the container's providers can be overridden.

    Attributes:
        settings: What it was made with.
    """

    def __init__(
        self,
        settings: ArcSettings | None = None,
        *,
        register: Iterable[object] = (),
        plugins: bool = True,
        container: "arc_autoconfig.ArcContainer | None" = None,
        deps: type | Iterable[type] = (),
        record: bool = False,
    ) -> None:
        """Find, decide.

        Args:
            settings: None reads them from files and environment. Either way vendors' keys that
                stand in `./.env` go to the environment.
            register: Instances and classes of components, functions decorated with `@tool`.
            plugins: Whether installed plugins take part besides Arc's own.
            container: One of a subclass that redefines providers; None makes one.
            deps: The types of the values that `execute(…, deps=…)` is given. Without any, tools of
                the program may ask for classes of values that nothing else provides.
            record: Whether each run is recorded step by step, for `export` and `fork`; runs in a
                database always are. In memory the last ones are, within 64 MiB.

        Raises:
            ConfigurationError: Something contradicts itself, or does not exist.
        """
        self.settings = settings if settings is not None else ArcSettings()
        declared = (deps,) if isinstance(deps, type) else tuple(deps)
        self._wiring = self._decide(register, plugins=plugins, deps=declared)
        self._overrides = ContainerOverrides(container, self._wiring.places)
        self._builder = ApplicationScope(
            wiring=self._wiring, overrides=self._overrides, settings=self.settings
        )
        self._overrides.bind(self._builder)
        super().__init__()
        self._record = record
        self._masks: RecordingMasks | None = None
        self._entered = Lock()
        self._open = AsyncExitStack()

    def _decide(self, register: Iterable[object], *, plugins: bool, deps: Iterable[type]) -> Wiring:
        self.settings.export_keys()
        settings = self.settings
        found = discover(settings.plugins, third_party=plugins, sections=settings.brought)
        return decide_wiring(
            found, tuple(register), facts=ConditionFacts(settings=settings), deps=deps
        )

    @property
    def container(self) -> "arc_autoconfig.ArcContainer":
        """A provider per slot and contribution; made when it is first asked for."""
        return self._overrides.container

    @property
    def report(self) -> ConditionReport:
        """The decisions and their reasons, overrides included."""
        decisions = with_overrides(self._wiring.decisions, self._overrides.current())
        arranged = self._builder.arranged
        ordered = (
            replace(each, winners=arranged[name]) if name in arranged else each
            for name, each in decisions.items()
        )
        plugins = with_faults(self._wiring.plugins, self._builder.faults)
        return ConditionReport(tuple(ordered), plugins)

    def load(self) -> None:
        """Import what won, without building or starting it; may be left out.

        Shows in the report what breaks at import, and decides again without it.

        Raises:
            ConfigurationError: A slot is ambiguous, or what is broken must not be left out.
        """
        self._wiring.load(overridden=self._overrides.current().keys())

    def arrange(self) -> None:
        """Build the contributions, so that the report has them in the order in which they work.

        One that cannot be built stays in the order of names; a start says what is wrong with it.
        """
        for place in self._wiring.places:
            if isinstance(place, Contribution):
                try:
                    self._builder.component(place.name)
                except ConfigurationError:
                    continue

    def agents(self) -> tuple[Agent, ...]:
        """The agents; before the start, those that can be made without one.

        Raises:
            ConfigurationError: One of them cannot be built.
        """
        place = get_place(Agent)
        assert isinstance(place, Contribution), "Agent declares one"
        try:
            found: tuple[Agent, ...] = self._builder.component(place.name)
        except NotOpenError:  # of what an agent asks for in a run, or is made with
            is_overridden = self._overrides.of(place.name) is not None
            make = self._overrides.make if is_overridden else self._builder.make_as_offered
            found = tuple(make(place.name))
        return found

    def provides(self, kind: Callable[..., Any]) -> bool:
        """Say whether there is a component of an interface, or a service of a type."""
        name = get_place(kind).name
        return any(place.name == name for place in self._wiring.places)

    def component(self, kind: Callable[..., Any]) -> Any:
        """Return the component of an interface, or all of a contribution, or the service of a type.

        None if nothing provides it. `container.of(kind)()` gives the same and lets it be
        overridden, but takes long to import.

        Raises:
            NotOpenError: It can only be had once the application has started.
            ConfigurationError: It cannot be imported or built, or there is one for each run.
        """
        return self._builder.component(get_place(kind).name) if self.provides(kind) else None

    def find_faults(self) -> None:
        """Build each component by itself, so that the report says which plugins are broken."""
        self.load()
        self._builder.find_faults()

    def build(self) -> tuple[WiredComponent, ...]:
        """Build every component that is not built yet, without starting any.

        Returns:
            All of them, slots first.

        Raises:
            ConfigurationError: A component cannot be imported or built.
        """
        self._builder.build_all()
        return wired_components(
            self.report.decisions,
            made=self._builder.made,
            needs=self._builder.needs,
            overrides=self._overrides.components(),
            can_do_without=self._builder.sections.can_do_without,
        )

    @property
    def plugin_sections(self) -> Mapping[str, object]:
        """The sections below `plugins.settings` that built components have got, by their name."""
        return self._builder.sections.own

    async def __aenter__(self) -> Self:
        """`start()`."""
        await self.start()
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """`aclose()`."""
        await self.aclose()

    async def start(self) -> None:
        """Freeze the wiring, build the components and start them; `async with` does it, too.

        Raises:
            ConfigurationError: A component cannot be built or started; the started ones are closed.
            ApplicationStateError: It is started already.
        """
        if not self._entered.acquire(blocking=False):
            raise ApplicationStateError(
                "the application is already started",
                remedy="close it first, or make another Application",
            )
        async with AsyncExitStack() as stack:
            stack.callback(self._forget)
            self._parts.home.enter()
            stack.enter_context(logging_to_stderr(self.settings.logging))
            self._builder.freeze()
            await self._builder.start_all(stack)
            component = self._builder.component
            self._parts.executor = component("agent_executor")
            self._parts.agents = WiredAgents(component("agents"))
            tools = KnownTools(component("tools"), component("agents"))
            keys = KnownKeys(self.settings.server)
            journals = component("run_journals")
            if self._record:
                journals.record_runs()
            self._parts.runs = Runs(
                journals,
                check=tools.check_decision,
                find_caller=keys.find_by_name,
                agents=self._parts.agents.names,
                check_loop=self._parts.home.check,
                make_deps=self._make_deps if self.provides(DepsFactory) else None,
            )
            bodies = RunBodies(
                component("agent_executor"),
                journals,
                components=[each.component for each in self._builder.built],
            )
            closing_s = journals.close_timeout_s
            await start(Built(bodies, "what keeps runs", close_timeout_s=closing_s), stack)
            await tools.report_obstacles(journals)
            begin_work(self._builder.built, stack)
            self._open = stack.pop_all()

    async def aclose(self) -> None:
        """Close the components, last started first; one that fails is logged, the others go on.

        Runs that still go on are cancelled. Does nothing if the application is not started. A
        component that holds a task group must be closed by the task that started it.

        Raises:
            ApplicationStateError: It was started on another event loop; nothing is closed.
        """
        self._parts.home.check()
        closing, self._open = self._open, AsyncExitStack()
        async with closing:
            await self._parts.home.close_streams()

    def blocking(self) -> BlockingApplication:
        """The same application for code without `await`: `with app.blocking() as blocking:`.

        It lives on an event loop of its own in a thread, also inside a running event loop, as a
        notebook has one, and keeps its conversations until the `with` is left.
        """
        return BlockingApplication(self)

    def _forget(self) -> None:
        """Build anew at the next start: what is closed may not be fit for another event loop."""
        self._parts.forget()
        self._builder.forget()
        self._masks = None
        self._overrides.reset_singletons()
        self._entered.release()

    @overload
    def agent(self, agent: Agent[T]) -> AgentHandle[T]: ...

    @overload
    def agent(self, agent: str) -> AgentHandle[Any]: ...

    def agent(self, agent: Agent[Any] | str) -> AgentHandle[Any]:
        """One of the agents, to be asked as the application is.

        Args:
            agent: The name of one that is wired, or one itself. Before the start it is not checked;
                a run of an agent that is not there ends with `INVALID_INPUT`.

        Raises:
            UnknownNameError: There is none of this name.
            ComponentError: Another agent is wired under the name.
        """
        if self._parts.agents is not None:
            self._parts.agents.check(agent)
        name = agent if isinstance(agent, str) else agent.name
        return AgentHandle(name, application=self, parts=self._parts)

    async def health(self, *, timeout_s: float = CHECK_TIMEOUT_S) -> tuple[HealthFinding, ...]:
        """Check the components: `arc doctor` tells it, and a health endpoint may serve it.

        Args:
            timeout_s: How long one check may take; they go on at once.

        Returns:
            The plugins that are left out, then the components that can say how they are.

        Raises:
            ApplicationStateError: It is not started, or was started on another event loop.
        """
        self._parts.require_executor()
        self._parts.home.check()
        checked = await check_components(self.build(), timeout_s=timeout_s)
        return (*quarantine_findings(self.report.plugins), *checked)

    @property
    def credentials(self) -> ProgramCredentials:
        """The credentials with which tools act for people; what is put ends the logins for it.

        Raises:
            ApplicationStateError: The application is not started.
        """
        runs = self._parts.require_runs()
        return ProgramCredentials(self._builder.component(get_place(Credentials).name), runs)

    async def surfaces(self) -> tuple[Surface, ...]:
        """The protocols by which it can be served; they are built when first asked for.

        Raises:
            ApplicationStateError: It is not started.
            ConfigurationError: One of them cannot be imported, built or started.
        """
        surfaces: tuple[Surface, ...] = await self.components(Surface)
        return surfaces

    async def components(self, kind: Callable[..., Any]) -> tuple[Any, ...]:
        """All components of a contribution, such as `Scorer`, built and started if none asked yet.

        Raises:
            ApplicationStateError: It is not started.
            ConfigurationError: One of them cannot be imported, built or started.
        """
        self._parts.require_executor()
        found: tuple[Any, ...] = await self._builder.value(get_place(kind).name)
        await self._builder.start_pending()
        return found

    def asgi(self, *, authenticate: Callable[[Any], Any] | None = None) -> Any:
        """The same as an ASGI application, to serve, or to mount in one of Starlette or FastAPI.

        Served by itself it starts and closes this application; mounted, it serves what the program
        has started.

        Args:
            authenticate: Who calls, from the `HTTPConnection` of Starlette: a program's own
                authentication in the place of `server.api_keys`, which gives a `Caller` or an
                awaitable of one. None for a caller is refused.

        Raises:
            ComponentError: The extra `server` is not installed.
        """
        return import_server("asgi").ArcServer(self, authenticate)

    async def export(self, run_ids: Iterable[str], *, raw: bool = False) -> AsyncGenerator[str]:
        """Yield the recordings of runs, each as a line of JSON without its end.

        Secrets and personal data are masked, whatever the settings say of answers, and digests are
        made under a key of these lines alone.

        Args:
            run_ids: The ids of the runs.
            raw: Whether nothing is masked.

        Raises:
            UnknownRunError: There is no such run.
            FormError: Only another version of Arc can read it.
            ConfigurationError: Runs are not recorded, or a mask cannot tell what to mask.
            ApplicationStateError: The application is not started.
        """
        self._parts.require_runs()
        exporter = await self._make_exporter(raw=raw)
        store: RunStore = self._builder.component(get_place(RunStore).name)
        for run_id in run_ids:
            yield await exporter.export(await store.recording(run_id))

    @property
    def records(self) -> MaskedRecords:
        """The records of its runs, for people to look at; masked as those of `export` are.

        Raises:
            ApplicationStateError: The application is not started.
        """
        return MaskedRecords(self._parts.require_runs(), self._make_exporter)

    async def _make_exporter(self, *, raw: bool = False) -> RecordingExporter:
        if not raw and self._masks is None:
            found = await self._builder.value(get_place(TextMask).name)
            guards = self._builder.component(get_place(OutputGuard).name)
            self._masks = RecordingMasks(found, guards)
        wiring = WiringRecord(self._builder.record_components)
        return RecordingExporter(None if raw else self._masks, wiring=wiring)

    async def replay(
        self,
        recordings: Iterable[Recording],
        *,
        deps: Any = None,
        case_deps: str | None = None,
        live: bool = False,
    ) -> AsyncGenerator[ReplayOutcome]:
        """Run recorded runs again by today's wiring, and yield what came of each.

        No tool is called and nothing is sent; all answers come from the record. The application
        need not be started.

        Args:
            recordings: Those of `read_recordings`, one after the other.
            deps: Those of all runs, for instructions that need them; recordings have none.
            case_deps: The name of a `CaseDeps`, which makes those of each run in the place of
                `deps`.
            live: Whether the model is asked again at each turn, while tools answer from the record
                as long as their arguments are equal. The application has to be started then.

        Raises:
            FormError: A recording was edited.
            ConfigurationError: A component cannot be built, or there are no deps of that name.
        """
        if live:
            self._parts.require_runs()
        replay = await import_module("arc_autoconfig.runs.replays").make_replay(
            self._builder, settings=self.settings, deps=deps, case_deps=case_deps, live=live
        )
        for recording in recordings:
            yield await replay.replay(recording)

    async def _make_deps(self, caller: Caller, command: AgentCommand) -> object:
        """Make what the program hands to a run of a caller over a network."""
        factory: DepsFactory = self._builder.component(get_place(DepsFactory).name)
        async with asyncio.timeout(self.settings.concurrency.component_timeout_s):
            return await factory.make_deps(DepsRequest(caller=caller, command=command))


def import_server(module: str) -> Any:
    """A module of `arc_autoconfig.server`.

    Raises:
        ComponentError: The extra `server` is not installed.
    """
    try:
        return import_module(f"arc_autoconfig.server.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _SERVER_LIBRARIES:
            raise
        raise ComponentError(
            "an application cannot be served yet",
            evidence=[f"the package {error.name} is not installed"],
            remedy="pip install 'arc-agents[server]'",
        ) from None
