"""The scope of the application: makes what was decided, each component after what it needs.

There is one way through, and it is asynchronous: while an application starts, each component is
started as soon as it is made. Before the start the same way is taken at once, without an event
loop; what has to be opened first, as a generator has, is not there then.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from arc_autoconfig.container.build_path import BuildPath
from arc_autoconfig.container.injection import (
    Components,
    ComponentsByName,
    DepsOf,
    Given,
    LaterComponent,
    Need,
    OneComponent,
    Plan,
    SectionOf,
)
from arc_autoconfig.container.lifecycle import Built, LiveComponents, OpenComponents, Opening
from arc_autoconfig.container.overrides import ContainerOverrides
from arc_autoconfig.container.plans import DepsTypes, Plans, Sections
from arc_autoconfig.container.run_scopes import ApplicationRunScopes
from arc_autoconfig.container.scope import (
    ComponentScope,
    blame_entry,
    check_made,
    check_maker,
    check_name,
    check_override,
    finish_at_once,
    keep_marks,
)
from arc_autoconfig.decide.contributions import in_order
from arc_autoconfig.decide.decisions import with_overrides
from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.declare.candidates import Candidate, Entry, Source
from arc_autoconfig.declare.component_fit import get_members, is_of_kind
from arc_autoconfig.declare.plugins import PluginState
from arc_autoconfig.errors import (
    ApplicationStateError,
    InjectionError,
    MissingDependencyError,
    NotOpenError,
    UnknownNameError,
    locate_source,
)
from arc_autoconfig.explain.wired import record_components
from arc_autoconfig.settings import ArcSettings
from arc_core.components.extension_points import Contribution, ExtensionPoint, Slot
from arc_core.components.injection import Lazy, Registered
from arc_core.components.registration import Scope
from arc_core.components.wiring_record import ComponentRecord, WiringRecord
from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import TakesInjection
from arc_core.log import get_logger
from arc_core.text.names import with_article

logger = get_logger("wiring")


class ApplicationScope(ComponentScope):
    """Executes the decisions."""

    def __init__(
        self, *, wiring: Wiring, overrides: ContainerOverrides, settings: ArcSettings
    ) -> None:
        self._wiring, self._overrides, self._settings = wiring, overrides, settings
        self._places = {place.name: place for place in wiring.places}
        services = frozenset(place.asked_as for place in wiring.places if isinstance(place, Slot))
        self.sections = Sections(settings)
        deps = DepsTypes(wiring, services=services, sections=self.sections)
        self._plans = Plans(wiring, overrides, services=services, deps=deps)
        self.forget()

    @property
    def built(self) -> Sequence[Built]:
        """Everything in use, each component after those it was made with."""
        return self._live.built

    def freeze(self) -> None:
        """From now on overrides are refused."""
        self._is_frozen = True

    def forget(self) -> None:
        """Build everything anew when it is asked for again, and allow overrides until then."""
        self._live = LiveComponents()
        self.arranged: dict[str, tuple[Candidate, ...]] = {}
        self.made: dict[Candidate, object] = {}
        self.needs: defaultdict[Candidate, list[str]] = defaultdict(list)
        self.faults: dict[Candidate, ConfigurationError] = {}
        self._values: dict[str, tuple[object, Any]] = {}
        self._members: dict[Candidate, list[object]] = {}
        self._sections_of: dict[Candidate, list[object]] = {}
        self._taken_by: dict[str, str] = {}
        self._is_frozen = False
        self._path = path = BuildPath(self._wiring, self._overrides)
        settings = self._settings.concurrency
        self._scopes = ApplicationRunScopes(self, plans=self._plans, path=path, settings=settings)

    async def start_all(self, stack: AsyncExitStack) -> None:
        """Build every component and start it; the stack closes them, last started first."""
        self._load()
        self._live.opened = OpenComponents()
        stack.push_async_callback(self._live.opened.close_all)
        later = self._find_lazy()
        # Services come first, and so close last: runs that still go on at the end work with them.
        places = sorted(self._places.values(), key=lambda each: each.group is not None)
        async with self._path.turn():
            for place in places:
                is_later = place.name in later or self._wiring.is_postponed(place)
                if not is_later and self._get_lifetime(place) is Scope.APPLICATION:
                    await self.value(place.name)
                    await self.start_pending()
            for place in self._places.values():
                if isinstance(place, Slot) and self._get_lifetime(place) is Scope.RUN:
                    await self._scopes.prepare(place)
            await self.start_pending()
        self._report_unread_sections()

    def build_all(self) -> None:
        """Build what can be built without a start; after one, leave out what is there on demand."""
        self._load()
        for place in self._places.values():
            is_left_out = self._live.opened is not None and self._wiring.is_postponed(place)
            if not is_left_out and self._get_lifetime(place) is Scope.APPLICATION:
                with suppress(NotOpenError):
                    finish_at_once(self.value(place.name))
        self._report_unread_sections()

    def make_as_offered(self, name: str) -> tuple[Any, ...]:
        """The components of a contribution, neither filled nor wrapped, that need no start."""
        self._load()
        found: list[object] = []
        for winner in self._wiring.decisions[name].winners:
            with suppress(NotOpenError):
                found += get_members(finish_at_once(self._make(winner)), winner.place)
        return tuple(found)

    def record_components(self) -> Sequence[ComponentRecord]:
        """Return what takes part in runs, once it is built."""
        return record_components(
            with_overrides(self._wiring.decisions, self._overrides.current()).values(),
            made=self.made,
            members=self._members,
            sections=self._sections_of,
            overrides=self._overrides.components(),
        )

    def find_faults(self) -> None:
        """Try to build every component, and note in `faults` those that cannot be built."""
        for name, decision in self._wiring.decisions.items():
            is_of_run = self._get_lifetime(decision.place) is Scope.RUN
            is_left_out = is_of_run or self._overrides.of(name) is not None
            for winner in () if is_left_out else decision.winners:
                try:
                    finish_at_once(self._make(winner))
                except NotOpenError:
                    continue
                except ConfigurationError as error:
                    self.faults[winner] = error

    def component(self, name: str) -> Any:
        """The component of a slot, the components of a contribution, or the settings."""
        if name == "settings":
            return self._settings
        self._load()
        if self._get_lifetime(place := self._places[name]) is Scope.RUN:
            kind = place.interface.__name__
            raise InjectionError(
                f"the container was asked for {with_article(kind)}, of which there is one for each "
                "run",
                evidence=["the container belongs to the application, and all runs would share it"],
                remedy=f"{_ask_in_run(kind)}; to share one, override it or leave out scope='run'",
            )
        return finish_at_once(self.value(name))

    def _load(self) -> None:
        self._wiring.load(overridden=self._overrides.current().keys())

    def reason_against_override(self, name: str) -> str | None:
        """Why an override would have no effect; None if it would have one."""
        if self._is_frozen:
            return "the application has started"
        if name == "settings":
            return "decisions have been taken from the settings: pass Application(settings=…)"
        return f"{owner} has been built with it" if (owner := self._taken_by.get(name)) else None

    def check_override(self, name: str, override: object) -> None:
        """Refuse a component that cannot stand in a place."""
        if name in self._places:
            check_override(self._places[name], override)

    def _get_lifetime(self, place: ExtensionPoint) -> Scope:
        if isinstance(place, Contribution):
            return Scope.APPLICATION
        return self._plans.get_lifetime(OneComponent(place, is_optional=False))

    async def value(self, name: str, owner: Candidate | None = None) -> Any:
        """Return what a place gives; built once, and anew for another override."""
        if owner is not None:
            self._taken_by.setdefault(name, owner.owner)
            self.needs[owner].append(name)
        place, override = self._places[name], self._overrides.of(name)
        is_each = self._get_lifetime(place) is Scope.EACH
        build = partial(self._build, place)
        return await self._keep(name, build, override=override, is_each=is_each)

    async def _keep(
        self,
        label: str,
        build: Callable[[], Awaitable[Any]],
        *,
        override: object = None,
        is_each: bool,
    ) -> Any:
        """Build what stands under a label, unless it is there already."""
        kept = None if is_each else self._values.get(label)
        if kept is None or kept[0] is not override:
            async with self._path.enter(label):
                if is_each:
                    return await build()
                kept = self._values.get(label)  # another task may have built it meanwhile
                if kept is None or kept[0] is not override:
                    kept = self._values[label] = (override, await build())
        return kept[1]

    async def _build(self, place: ExtensionPoint) -> Any:
        if self._overrides.of(place.name) is not None:
            return await self._build_override(place)
        if isinstance(place, Contribution):
            return await self._build_contribution(place)
        winner = self._wiring.decisions[place.name].winner
        return None if winner is None else await self._build_one(winner)

    async def _build_one(self, candidate: Candidate) -> object:
        """Make the component that is offered for a slot, in the wrappers of the slot."""
        with blame_entry(candidate):
            made = await self._make(candidate)
            return await self._wrap(candidate.place, made, candidate.entry)

    async def _build_contribution(self, place: Contribution) -> tuple[object, ...]:
        if self._wiring.is_postponed(place):
            self._wiring.demand(place)
            self._load()
        winners = self._wiring.decisions[place.name].winners
        made = {candidate: await self._make(candidate) for candidate in winners}
        if not place.is_named_by_members:
            winners = tuple(
                in_order(winners, lambda candidate: getattr(made[candidate], "order", 100))
            )
        self.arranged[place.name] = winners
        members = self._members
        for candidate in winners:
            found = get_members(made[candidate], place)
            filled = [await self._inject(each, candidate) for each in found]
            members[candidate] = [await self._wrap(place, each) for each in filled]
        return tuple(one for each in winners for one in members[each])

    async def _inject(self, member: object, candidate: Candidate) -> object:
        """Fill what takes part in injection; anything else stays as it is."""
        if not isinstance(member, TakesInjection) or not member.injected:
            return member
        return await self._scopes.fill(member, candidate)

    async def _build_override(self, place: ExtensionPoint) -> Any:
        made = self._overrides.make(place.name)
        several = [made]
        if isinstance(place, Contribution):
            owners = [Candidate.of_override(place, each) for each in made]
            several = [await self._inject(each.component, each) for each in owners]
        for each in several:
            self._live.record(each, f"the override of {place.name}")
        await self.start_pending()
        if not self._overrides.is_plain(place.name):
            several = [await self._wrap(place, each) for each in several]
        return tuple(several) if isinstance(place, Contribution) else several[0]

    async def _wrap(
        self, place: ExtensionPoint, inner: object, entry: Entry | None = None
    ) -> object:
        """A component in its wrappers, the outermost of which is used."""
        for wrapper in self._plans.list_wrappers(place):
            # Made for an entry, it gets the settings of that one, too.
            made_for = wrapper if entry is None else replace(wrapper, entry=entry)
            with self._path.enter_wrapper(wrapper):
                made = await self._make(made_for, wrapped=inner)
            inner = keep_marks(wrapper, made, wrapped=inner)
        return inner

    async def _make(self, candidate: Candidate, *, wrapped: object = None) -> object:
        plan = self._plans.get(candidate)
        made = plan.factory
        if plan.is_instance:
            check_maker(candidate)
            await self._start(made, plan)
        else:
            key = (id(plan.factory), candidate.entry)
            is_shared = not candidate.is_wrapper and candidate.scope is not Scope.EACH
            made = self._live.instances.get(key) if is_shared else None
            if made is not None:
                check_made(candidate, plan.factory, made)
            else:
                made = await self.make(plan, wrapped)
                if is_shared:
                    self._live.instances[key] = made
        check_name(candidate, made)
        self.made[candidate] = made
        await self.start_pending()
        return made

    async def _open(self, opening: Opening, plan: Plan) -> object:
        owner, lifecycle = plan.candidate.owner, plan.candidate.lifecycle
        if self._live.opened is None:
            opening.discard()
            raise NotOpenError(
                f"{owner} is not there before the application has started",
                evidence=[f"{locate_source(plan.factory)} opens it, and that takes an event loop"],
                remedy="ask for it inside `async with app:`",
            )
        async with self._path.lend():
            return await self._live.opened.open(
                opening,
                lambda opened: Built.with_times(opened, owner, lifecycle),
                source=plan.factory,
            )

    async def _start(self, made: object, plan: Plan) -> None:
        """Note a component, which `start_pending` starts."""
        self._live.record(made, plan.candidate.owner, plan.candidate.lifecycle)

    def _find_lazy(self) -> set[str]:
        """The places that components ask for by `Lazy`, which are not built for the start alone."""
        later: set[str] = set()
        for name, decision in self._wiring.decisions.items():
            if self._wiring.is_postponed(decision.place):
                continue
            winners = () if self._overrides.of(name) is not None else decision.winners
            for winner in (*winners, *decision.wrappers):
                lazy = (each.what for each in self._plans.get(winner).needs)
                later |= {
                    each.component.place.name for each in lazy if isinstance(each, LaterComponent)
                }
        return later

    async def _fill_deps(self, deps: DepsOf, need: Need, owner: Candidate) -> object:
        if deps.otherwise is not None:
            return await self.fill(replace(need, what=deps.otherwise), owner)
        if not need.has_default:
            asked = with_article(deps.cls.__name__)
            raise _value_of_run(owner, asked, "callers hand one to each run, as its deps")
        return None

    async def _fill(self, need: Need, owner: Candidate) -> object:
        value: object = None
        match need.what:
            case Given() as given:
                value = self._give(given, owner)
            case SectionOf(section, is_optional):
                value = self.sections.section(
                    section, candidate=owner, has_default=need.has_default, is_optional=is_optional
                )
                self._sections_of.setdefault(owner, []).append(value)
            case OneComponent() as one:
                one = replace(one, is_optional=one.is_optional or need.has_default)
                value = await self._one(one, owner)
            case LaterComponent(one):
                value = self._lazy(one, owner)
            case ComponentsByName() as named:
                value = await self._by_name(named, owner)
            case Components() as several:
                value = await self._several(several, owner)
        return value

    def _give(self, given: Given, owner: Candidate) -> object:
        match given:
            case Given.LOGGER:
                return get_logger(f"{owner.place.name}.{owner.name}")
            case Given.RUN_SCOPES:
                return self._scopes
            case Given.WIRING_RECORD:
                return WiringRecord(self.record_components)
            case Given.RUN_CONTEXT:
                reason = "there is one for each run, and none before the first"
                raise _value_of_run(owner, "the RunContext of one", reason)
            case Given.WRAPPED:
                return None

    async def _several(self, what: Components, owner: Candidate) -> object:
        name = what.place.name
        found = await self.value(name, owner)
        if what.collect is Registered and self._overrides.of(name) is None:
            in_code = (each for each in self.arranged[name] if each.origin.source is Source.CODE)
            found = [one for each in in_code for one in self._members[each]]
        return what.collect(tuple(each for each in found if is_of_kind(each, what.interfaces)))

    def _check_scope(self, one: OneComponent, owner: Candidate) -> None:
        if self._plans.get_lifetime(one) is Scope.RUN:
            name = one.place.interface.__name__
            raise InjectionError(
                f"{owner.owner} lives as long as the application, and asks for "
                f"{with_article(name)} of one run",
                evidence=[" needs ".join([*self._path.names, f"{one.place.name} (one per run)"])],
                remedy=f"{_ask_in_run(name)}, or make the component one of the run, too",
            )

    async def _one(self, one: OneComponent, owner: Candidate) -> object | None:
        self._check_scope(one, owner)
        name, candidate, value = one.place.name, self._plans.find(one), None
        if one.name is None or (candidate is not None and self._plans.is_winner(candidate)):
            value = await self.value(name, owner) if name in self._wiring.decisions else None
        elif candidate is not None:
            self.needs[owner].append(name)
            label, build = self._plans.get_label(candidate), partial(self._build_one, candidate)
            value = await self._keep(label, build, is_each=candidate.scope is Scope.EACH)
        elif not one.is_optional:
            known = [each.name for each in self._wiring.offers(one.place)]
            setting = f"a parameter of {owner.owner}"
            raise UnknownNameError(setting=setting, name=one.name, known=known)
        if value is None and not one.is_optional:
            raise _missing_component(one.place, owner, self._wiring)
        found: object = value
        return found

    async def _by_name(self, what: ComponentsByName, owner: Candidate) -> dict[str, object]:
        found: dict[str, object] = {}
        for each in self._plans.find_named(what):
            one = OneComponent(what.place, is_optional=False, name=each.name)
            try:
                found[each.name] = await self._one(one, owner)
            except ConfigurationError as error:
                if not (what.is_listed and self.sections.can_do_without(each)):
                    raise
                facts = {"cause": "; ".join(error.evidence), "remedy": error.remedy}
                message = f"{error.description}, and others do without it"
                logger.warning(message, **facts)
        return found

    def _lazy(self, one: OneComponent, owner: Candidate) -> Lazy[Any]:
        self._check_scope(one, owner)
        path = self._path

        async def get() -> Any:
            if self._path is not path:
                name = one.place.interface.__qualname__
                raise ApplicationStateError(
                    f"{name} was asked for after the application had closed",
                    evidence=[f"{owner.owner} kept a Lazy[{name}] and calls its `get`"],
                    remedy="ask for it before the end of `async with app:`",
                )
            async with path.turn():
                value = await self._one(one, owner)
                await self.start_pending()
            return value

        return Lazy(get)

    async def start_pending(self) -> None:
        """Start what has been made and is not started yet, if the application is starting."""
        await self._live.start_pending(self._path.lend)

    def _report_unread_sections(self) -> None:
        for name in sorted(self.sections.unread):
            message = f"no component reads the settings below plugins.settings.{name}"
            logger.warning(message, plugin=name)


def _ask_in_run(name: str) -> str:
    return (
        f"ask for it in the run: await context.get({name}) in a hook, guard or tool, or a "
        f"parameter `Inject[{name}]` of a tool"
    )


def _value_of_run(owner: Candidate, asked: str, reason: str) -> InjectionError:
    """Why a component of the application cannot have what each run has of its own."""
    return InjectionError(
        f"{owner.owner} lives as long as the application, and asks for {asked}",
        evidence=[reason],
        remedy="make the component one of the run: scope='run'",
    )


def _missing_component(slot: Slot, owner: Candidate, wiring: Wiring) -> MissingDependencyError:
    """Why a component cannot be built: the slot that it needs is empty."""
    decision = wiring.decisions.get(slot.name)
    broken = [each for each in wiring.plugins if each.state is PluginState.QUARANTINED]
    return MissingDependencyError(
        f"{owner.owner} needs {with_article(slot.interface.__name__)}, and there is none",
        evidence=[
            *(
                f"{loser.candidate}: {loser.reason}"
                for loser in (decision.losers if decision else ())
            ),
            *(f"the plugin {plugin} is left out: {plugin.cause}" for plugin in broken),
        ],
        remedy=f"install or register one, or meet a condition; its slot is {slot.name}",
    )
