"""Build: makes what was decided, each component after what it is made with.

There is one way through, and it is asynchronous: while an application starts, each component is
started as soon as it is made. Before the start the same way is taken at once, without an event
loop; what has to be opened first, as a generator has, is not there then.
"""

from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeGuard, TypeVar

from arc_autoconfig.container.arguments import Arguments
from arc_autoconfig.container.build_path import BuildPath, Overrides
from arc_autoconfig.container.construction import (
    check_made,
    check_maker,
    check_name,
    finish_at_once,
    keep_marks,
    make,
    of_entry,
    order_of,
    override_candidate,
    owner_of,
)
from arc_autoconfig.container.deps_types import DepsTypes
from arc_autoconfig.container.injection import read_needs
from arc_autoconfig.container.injection_errors import not_open, run_component_outside_runs
from arc_autoconfig.container.lifecycle import Built, LiveComponents, open_resource
from arc_autoconfig.container.needs import LaterComponent, Need, OneComponent
from arc_autoconfig.container.override_checks import check_override, make_override
from arc_autoconfig.container.resources import opening_of
from arc_autoconfig.container.run_scopes import ApplicationRunScopes
from arc_autoconfig.container.sections import Sections
from arc_autoconfig.decide.ordering import in_order
from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.declare.candidates import Candidate, Entry, Source
from arc_autoconfig.declare.component_fit import is_built, is_maker
from arc_autoconfig.declare.members import members_of
from arc_autoconfig.errors import NotOpenError
from arc_autoconfig.settings import ArcSettings
from arc_core.components.extension_points import Contribution, Place, Slot
from arc_core.components.registration import Scope
from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import TakesInjection
from arc_core.log import get_logger

__all__ = ["ApplicationScope", "Overrides"]

T = TypeVar("T")

logger = get_logger("wiring")


class ApplicationScope:
    """Executes the decisions.

    Attributes:
        arranged: The candidates of each contribution in the order in which they work.
        made: The instance of each candidate in use; of a wrapper the one made last.
        needs: The places whose components a candidate was made with.
        faults: Why candidates cannot be built, as far as `find_faults` has tried.
        sections: The settings sections that components have got.
    """

    def __init__(
        self,
        *,
        wiring: Wiring,
        overrides: Overrides,
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
        self._asked: dict[Candidate, tuple[Need, ...]] = {}
        self._values: dict[str, tuple[object, Any]] = {}
        self._registered: dict[str, tuple[object, ...]] = {}
        self._taken_by: dict[str, str] = {}
        self._is_frozen = False
        self._path = path = BuildPath(self._wiring, self._overrides)
        self._scopes = ApplicationRunScopes(
            wiring=self._wiring,
            services=self._services,
            deps=self._deps,
            is_overridden=lambda name: self._overrides.of(name) is not None,
            argument=self._argument,
            path=self._path,
            settings=self._settings.concurrency,
        )
        self._arguments = Arguments(
            wiring=self._wiring,
            components=self,
            sections=self.sections,
            scopes=self._scopes,
            path=path,
            is_closed=lambda: self._path is not path,
        )

    async def start_all(self, stack: AsyncExitStack) -> None:
        """Build every component and start it; the stack closes them, last started first.

        Raises:
            ConfigurationError: A component cannot be imported, built or started.
        """
        self._load()
        # Of its own, since it takes what is only asked for later, when the start is over.
        self._live.stack = await stack.enter_async_context(AsyncExitStack())
        async with self._path.turn():
            await self._start_all()
        self._warn_of_unread_sections()

    async def _start_all(self) -> None:
        later = self._asked_for_later()
        # Services come first, and so close last: runs that still go on at the end work with them.
        for place in sorted(self._places.values(), key=lambda each: each.group is not None):
            is_later = place.name in later or self._wiring.is_postponed(place)
            if not is_later and not self._is_made_when_asked(place):
                await self.value(place.name)
                await self.start_pending()
        of_run = [place for place in self._places.values() if self._is_of_run(place)]
        await self._scopes.prepare(of_run)
        await self.start_pending()

    def build_all(self) -> None:
        """Build every component that can be built before the start, without starting any.

        After the start, what is there on demand is left out unless it was asked for.

        Raises:
            ConfigurationError: A component cannot be imported or built.
        """
        self._load()
        for place in self._places.values():
            is_left_out = self._live.stack is not None and self._wiring.is_postponed(place)
            if not is_left_out and not self._is_made_when_asked(place):
                try:
                    finish_at_once(self.value(place.name))
                except NotOpenError:
                    continue
        self._warn_of_unread_sections()

    def make_as_offered(self, name: str) -> tuple[Any, ...]:
        """The components of a contribution as they are offered: neither filled nor wrapped.

        One that only a start can make is left out.

        Raises:
            ConfigurationError: One cannot be imported or built.
        """
        self._load()
        found: list[object] = []
        for winner in self._wiring.decisions[name].winners:
            with suppress(NotOpenError):
                found += members_of(finish_at_once(self._make(winner)), winner.place)
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
        """The component of a slot, the components of a contribution, or the settings.

        Raises:
            NotOpenError: It can only be had once the application has started.
            ConfigurationError: It cannot be imported or built, or there is one for each run.
        """
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
        """Refuse a component that cannot stand in a place.

        Raises:
            ComponentError: It would fail in every run.
        """
        if name in self._places:
            check_override(self._places[name], override)

    def _is_of_run(self, place: Place) -> TypeGuard[Slot]:
        return isinstance(place, Slot) and self._scopes.is_of_run(OneComponent(place, False))

    def _is_made_when_asked(self, place: Place) -> bool:
        return self._is_of_run(place) or self._is_made_each_time(place)

    def _is_made_each_time(self, place: Place) -> bool:
        decision = self._wiring.decisions.get(place.name)
        winner = None if decision is None else decision.winner
        is_overridden = self._overrides.of(place.name) is not None
        return isinstance(place, Slot) and not is_overridden and _is_each(winner)

    async def value(self, name: str, owner: Candidate | None = None) -> Any:
        """What a place gives; built once, and anew for another override."""
        if owner is not None:
            self._taken_by.setdefault(name, owner_of(owner))
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
        is_overridden = self._overrides.of(name) is not None
        return await (self._build_override(place) if is_overridden else self._build_decided(place))

    async def _build_decided(self, place: Place) -> Any:
        if isinstance(place, Contribution):
            return await self._build_contribution(place)
        winner = self._wiring.decisions[place.name].winner
        return None if winner is None else await self._wrap(place, await self._make(winner))

    async def _build_contribution(self, place: Contribution) -> tuple[object, ...]:
        if self._wiring.is_postponed(place):
            self._wiring.demand(place)
            self._load()
        winners = self._wiring.decisions[place.name].winners
        made = {candidate: await self._make(candidate) for candidate in winners}
        if not place.is_named_by_members:
            winners = tuple(in_order(winners, lambda candidate: order_of(made[candidate])))
        self.arranged[place.name] = winners
        members: dict[Candidate, list[object]] = {}
        for candidate in winners:
            found = members_of(made[candidate], place)
            filled = [await self._fill(each, candidate) for each in found]
            members[candidate] = [await self._wrap(place, each) for each in filled]
        in_code = [each for each in winners if each.origin.source is Source.CODE]
        self._registered[place.name] = tuple(one for each in in_code for one in members[each])
        return tuple(one for each in winners for one in members[each])

    async def _fill(self, member: object, candidate: Candidate) -> object:
        """What takes part in injection with what it asks for; anything else as it is."""
        if not isinstance(member, TakesInjection) or not member.injected:
            return member
        return await self._scopes.fill(member, candidate)

    async def _build_override(self, place: Place) -> Any:
        made = make_override(place, self._overrides)
        many = isinstance(place, Contribution)
        if many:
            made = tuple([await self._fill(each, override_candidate(place, each)) for each in made])
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

    async def _wrap(self, place: Place, inner: object, entry: Entry | None = None) -> object:
        """A component in its wrappers, the outermost of which is used."""
        for wrapper in reversed(self._wiring.decisions[place.name].wrappers):
            # Made for an entry, it gets the settings of that one, too.
            made_for = wrapper if entry is None else replace(wrapper, entry=entry)
            with self._path.enter_wrapper(wrapper):
                made = await self._make(made_for, wrapped=inner)
            inner = keep_marks(wrapper, made, wrapped=inner)
        return inner

    async def _make(self, candidate: Candidate, *, wrapped: object = None) -> object:
        component, interface = self._wiring.component_of(candidate), candidate.place.interface
        made = component
        if is_built(component, interface):
            check_maker(candidate)
            self._live.record(made, owner_of(candidate), candidate.lifecycle)
        else:
            key = (id(component), candidate.entry)
            is_shared = not candidate.is_wrapper and not _is_each(candidate)
            made = self._live.instances.get(key) if is_shared else None
            if made is None:
                made = await self._call(candidate, component, wrapped)
                if is_shared:
                    self._live.instances[key] = made
            check_made(candidate, component, made)
        check_name(candidate, made)
        self.made[candidate] = made
        await self.start_pending()
        return made

    def _needs_of(self, candidate: Candidate, component: Any) -> tuple[Need, ...]:
        """What a class or function asks for; read once, since that takes long."""
        if candidate not in self._asked:
            self._asked[candidate] = read_needs(
                component,
                owner=owner_of(candidate),
                services=self._services,
                wrapped=candidate.place.asked_as if candidate.is_wrapper else None,
                deps=partial(self._deps.asked_by, owner=candidate),
            )
        return self._asked[candidate]

    def _asked_for_later(self) -> set[str]:
        """The places that components ask for by `Lazy`, which are not built for the start alone."""
        later: set[str] = set()
        for name, decision in self._wiring.decisions.items():
            if self._wiring.is_postponed(decision.place):
                continue
            winners = () if self._overrides.of(name) is not None else decision.winners
            for winner in (*winners, *decision.wrappers):
                component = self._wiring.component_of(winner)
                if not is_built(component, decision.place.interface):
                    needs = (each.what for each in self._needs_of(winner, component))
                    lazy = (each for each in needs if isinstance(each, LaterComponent))
                    later |= {each.component.place.name for each in lazy}
        return later

    async def _call(self, candidate: Candidate, component: Any, wrapped: object) -> object:
        interface, owner = candidate.place.interface, owner_of(candidate)
        needs = self._needs_of(candidate, component)
        made = make(candidate, component, await self._arguments.of(needs, candidate, wrapped))
        opening = opening_of(made, interface) if is_maker(component) else None
        if opening is None:
            self._live.record(made, owner, candidate.lifecycle)
            return made
        if self._live.stack is None:
            opening.discard()
            raise not_open(owner, component)
        async with self._path.lend():
            made = await open_resource(
                opening, owner, self._live.stack, lifecycle=candidate.lifecycle
            )
        if not opening.is_managed:
            self._live.record(made, owner, candidate.lifecycle)
        return made

    async def loser(self, candidate: Candidate, owner: Candidate) -> object:
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
        with of_entry(candidate):
            made = await self._make(candidate)
            return await self._wrap(candidate.place, made, candidate.entry)

    def find_registered(self, name: str) -> tuple[object, ...]:
        """The components of a contribution that the program registers itself."""
        return self._registered.get(name, ())

    async def _argument(self, need: Need, owner: Candidate) -> object:
        return await self._arguments.one(need, owner)

    async def start_pending(self) -> None:
        """Start what has been made and is not started yet, if the application is starting."""
        await self._live.start_pending(self._path.lend)

    def _warn_of_unread_sections(self) -> None:
        for name in sorted(self.sections.unread):
            message = f"no component reads the settings below plugins.settings.{name}"
            logger.warning(message, plugin=name)


def _is_each(candidate: Candidate | None) -> bool:
    return candidate is not None and candidate.scope is Scope.EACH
