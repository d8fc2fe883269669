"""The scope of the application: makes what was decided, each component after what it needs.

There is one way through, and it is asynchronous: while an application starts, each component is
started as soon as it is made. Before the start the same way is taken at once, without an event
loop; what has to be opened first, as a generator has, is not there then.
"""

from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from typing import Any, TypeGuard

from arc_autoconfig.container.build_path import BuildPath
from arc_autoconfig.container.injection_errors import (
    component_after_close,
    deps_in_application,
    not_open,
    run_component_in_application,
    run_component_outside_runs,
    run_context_in_application,
)
from arc_autoconfig.container.lifecycle import Built, LiveComponents, OpenComponents, Opening
from arc_autoconfig.container.needs import (
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
from arc_autoconfig.container.overrides import ContainerOverrides
from arc_autoconfig.container.plans import DepsTypes, Plans
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
from arc_autoconfig.container.sections import Sections
from arc_autoconfig.decide.ordering import in_order
from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.declare.candidates import Candidate, Entry, Origin, Source, get_name
from arc_autoconfig.declare.component_fit import get_members, is_of_kind
from arc_autoconfig.declare.plugins import PluginState
from arc_autoconfig.errors import MissingDependencyError, NotOpenError, UnknownNameError
from arc_autoconfig.settings import ArcSettings
from arc_core.components.extension_points import Contribution, ExtensionPoint, Slot
from arc_core.components.injection import Lazy, Registered
from arc_core.components.registration import Scope
from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import TakesInjection
from arc_core.log import get_logger
from arc_core.text.names import with_article

logger = get_logger("wiring")


class ApplicationScope(ComponentScope):
    """Executes the decisions."""

    def __init__(
        self,
        *,
        wiring: Wiring,
        overrides: ContainerOverrides,
        settings: ArcSettings,
    ) -> None:
        self._wiring, self._overrides, self._settings = wiring, overrides, settings
        self._places = {place.name: place for place in wiring.places}
        self._services = frozenset(
            place.asked_as for place in wiring.places if isinstance(place, Slot)
        )
        self.sections = Sections(settings)
        self._deps = DepsTypes(wiring, services=self._services, sections=self.sections)
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
        self.needs: dict[Candidate, list[str]] = {}
        self.faults: dict[Candidate, ConfigurationError] = {}
        self._values: dict[str, tuple[object, Any]] = {}
        self._registered: dict[str, tuple[object, ...]] = {}
        self._taken_by: dict[str, str] = {}
        self._is_frozen = False
        self._path = path = BuildPath(self._wiring, self._overrides)
        self._plans = Plans(self._wiring, self._overrides, services=self._services, deps=self._deps)
        self._scopes = ApplicationRunScopes(
            self,
            plans=self._plans,
            wiring=self._wiring,
            deps=self._deps,
            path=path,
            settings=self._settings.concurrency,
        )

    async def start_all(self, stack: AsyncExitStack) -> None:
        """Build every component and start it; the stack closes them, last started first."""
        self._load()
        self._live.opened = OpenComponents()
        stack.push_async_callback(self._live.opened.close_all)
        async with self._path.turn():
            await self._start_all()
        self._report_unread_sections()

    async def _start_all(self) -> None:
        later = self._find_lazy()
        # Services come first, and so close last: runs that still go on at the end work with them.
        for place in sorted(self._places.values(), key=lambda each: each.group is not None):
            is_later = place.name in later or self._wiring.is_postponed(place)
            if not is_later and not self._is_on_request(place):
                await self.value(place.name)
                await self.start_pending()
        of_run = [place for place in self._places.values() if self._is_of_run(place)]
        await self._scopes.prepare(of_run)
        await self.start_pending()

    def build_all(self) -> None:
        """Build what can be built without a start; after one, leave out what is there on demand."""
        self._load()
        for place in self._places.values():
            is_left_out = self._live.opened is not None and self._wiring.is_postponed(place)
            if not is_left_out and not self._is_on_request(place):
                try:
                    finish_at_once(self.value(place.name))
                except NotOpenError:
                    continue
        self._report_unread_sections()

    def make_as_offered(self, name: str) -> tuple[Any, ...]:
        """The components of a contribution, neither filled nor wrapped, that need no start."""
        self._load()
        found: list[object] = []
        for winner in self._wiring.decisions[name].winners:
            with suppress(NotOpenError):
                found += get_members(finish_at_once(self._make(winner)), winner.place)
        return tuple(found)

    def find_faults(self) -> None:
        """Try to build every component, and note in `faults` those that cannot be built."""
        for name, decision in self._wiring.decisions.items():
            is_overridden = self._overrides.of(name) is not None
            for winner in (
                () if is_overridden or self._is_of_run(decision.place) else decision.winners
            ):
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
        if self._is_of_run(place := self._places[name]):
            raise run_component_outside_runs(place)
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

    def _is_of_run(self, place: ExtensionPoint) -> TypeGuard[Slot]:
        return isinstance(place, Slot) and self._plans.is_of_run(OneComponent(place, False))

    def _is_on_request(self, place: ExtensionPoint) -> bool:
        return self._is_of_run(place) or self._is_made_each_time(place)

    def _is_made_each_time(self, place: ExtensionPoint) -> bool:
        decision = self._wiring.decisions.get(place.name)
        winner = None if decision is None else decision.winner
        is_overridden = self._overrides.of(place.name) is not None
        return isinstance(place, Slot) and not is_overridden and _is_each(winner)

    async def value(self, name: str, owner: Candidate | None = None) -> Any:
        """Return what a place gives; built once, and anew for another override."""
        if owner is not None:
            self._taken_by.setdefault(name, owner.owner)
            self.needs.setdefault(owner, []).append(name)
        if self._is_made_each_time(self._places[name]):
            async with self._path.enter(name):
                return await self._build(name)
        override = self._overrides.of(name)
        kept = self._values.get(name)
        if kept is None or kept[0] is not override:
            async with self._path.enter(name):
                kept = self._values.get(name)  # another task may have built it meanwhile
                if kept is None or kept[0] is not override:
                    kept = self._values[name] = (override, await self._build(name))
        return kept[1]

    async def _build(self, name: str) -> Any:
        place = self._places[name]
        if self._overrides.of(name) is not None:
            return await self._build_override(place)
        if isinstance(place, Contribution):
            return await self._build_contribution(place)
        winner = self._wiring.decisions[name].winner
        return None if winner is None else await self._wrap(place, await self._make(winner))

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
        members: dict[Candidate, list[object]] = {}
        for candidate in winners:
            found = get_members(made[candidate], place)
            filled = [await self._inject(each, candidate) for each in found]
            members[candidate] = [await self._wrap(place, each) for each in filled]
        in_code = [each for each in winners if each.origin.source is Source.CODE]
        self._registered[place.name] = tuple(one for each in in_code for one in members[each])
        return tuple(one for each in winners for one in members[each])

    async def _inject(self, member: object, candidate: Candidate) -> object:
        """Fill what takes part in injection; anything else stays as it is."""
        if not isinstance(member, TakesInjection) or not member.injected:
            return member
        return await self._scopes.fill(member, candidate)

    async def _build_override(self, place: ExtensionPoint) -> Any:
        made = self._overrides.make(place.name)
        many = isinstance(place, Contribution)
        if many:
            made = tuple([await self._inject(each, _as_candidate(place, each)) for each in made])
        for each in made if many else [made]:
            self._live.record(each, f"the override of {place.name}")
        await self.start_pending()
        if self._overrides.is_plain(place.name):
            return made
        if not many:
            return await self._wrap(place, made)
        value = tuple([await self._wrap(place, each) for each in made])
        self._registered[place.name] = value
        return value

    async def _wrap(
        self, place: ExtensionPoint, inner: object, entry: Entry | None = None
    ) -> object:
        """A component in its wrappers, the outermost of which is used."""
        for wrapper in reversed(self._wiring.decisions[place.name].wrappers):
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
            is_shared = not candidate.is_wrapper and not _is_each(candidate)
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
            raise not_open(owner, plan.factory)
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

    async def _loser(self, candidate: Candidate, owner: Candidate) -> object:
        """A component that does not fill its slot, for what asks for it by name."""
        self.needs.setdefault(owner, []).append(candidate.place.name)
        label = f"{candidate.place.name} {candidate.name!r}"
        if _is_each(candidate):
            async with self._path.enter(label):
                return await self._build_loser(candidate)
        if label not in self._values:
            async with self._path.enter(label):
                if label not in self._values:
                    self._values[label] = (None, await self._build_loser(candidate))
        found: object = self._values[label][1]
        return found

    async def _build_loser(self, candidate: Candidate) -> object:
        with blame_entry(candidate):
            made = await self._make(candidate)
            return await self._wrap(candidate.place, made, candidate.entry)

    async def _fill_deps(self, deps: DepsOf, need: Need, owner: Candidate) -> object:
        if deps.otherwise is not None:
            return await self.fill(replace(need, what=deps.otherwise), owner)
        if not need.has_default:
            raise deps_in_application(owner, deps.cls)
        return None

    async def _fill(self, need: Need, owner: Candidate) -> object:
        value: object = None
        match need.what:
            case Given.LOGGER:
                value = get_logger(f"{owner.place.name}.{owner.name}")
            case SectionOf(section, is_optional):
                value = self.sections.section(
                    section, candidate=owner, has_default=need.has_default, is_optional=is_optional
                )
            case OneComponent() as one:
                one = replace(one, is_optional=one.is_optional or need.has_default)
                value = await self._one(one, owner)
                if value is None and not one.is_optional:
                    raise _missing_component(one.place, owner, self._wiring)
            case Given.RUN_SCOPES:
                value = self._scopes
            case Given.RUN_CONTEXT:
                raise run_context_in_application(owner)
            case LaterComponent(one):
                value = self._lazy(one, owner)
            case ComponentsByName() as named:
                value = await self._by_name(named, owner)
            case Components() as several:
                value = await self._several(several, owner)
        return value

    async def _several(self, what: Components, owner: Candidate) -> object:
        found = await self.value(what.place.name, owner)
        if what.collect is Registered:
            found = self._registered.get(what.place.name, ())
        return what.collect(tuple(each for each in found if is_of_kind(each, what.interfaces)))

    def _check_scope(self, one: OneComponent, owner: Candidate) -> None:
        if self._plans.is_of_run(one):
            raise run_component_in_application(one.place, owner, self._path.names)

    async def _one(self, one: OneComponent, owner: Candidate) -> object | None:
        self._check_scope(one, owner)
        candidate = self._plans.find(one)
        if one.name is None or (candidate is not None and self._plans.is_winner(candidate)):
            is_decided = one.place.name in self._wiring.decisions
            return await self.value(one.place.name, owner) if is_decided else None
        if candidate is not None:
            return await self._loser(candidate, owner)
        if one.is_optional:
            return None
        known = [each.name for each in self._wiring.offers(one.place)]
        setting = f"a parameter of {owner.owner}"
        raise UnknownNameError(setting=setting, name=one.name, known=known)

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
                raise component_after_close(one.place, owner)
            async with path.turn():
                value = await self._one(one, owner)
                await self.start_pending()
            if value is None and not one.is_optional:
                raise _missing_component(one.place, owner, self._wiring)
            return value

        return Lazy(get)

    async def start_pending(self) -> None:
        """Start what has been made and is not started yet, if the application is starting."""
        await self._live.start_pending(self._path.lend)

    def _report_unread_sections(self) -> None:
        for name in sorted(self.sections.unread):
            message = f"no component reads the settings below plugins.settings.{name}"
            logger.warning(message, plugin=name)


def _is_each(candidate: Candidate | None) -> bool:
    return candidate is not None and candidate.scope is Scope.EACH


def _as_candidate(place: ExtensionPoint, member: object) -> Candidate:
    """Return a member of an override as the one who asks for others in its name."""
    origin = Origin(source=Source.OVERRIDE)
    return Candidate(place=place, name=get_name(member), component=member, origin=origin)


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
