"""Build: makes what was decided, each component after what it is made with.

There is one way through, and it is asynchronous: while an application starts, each component is
started as soon as it is made. Before the start the same way is taken at once, without an event
loop; what has to be opened first, as a generator has, is not there then.
"""

from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import Any, TypeGuard, TypeVar

from arc_autoconfig.build.arguments import Arguments
from arc_autoconfig.build.build_path import BuildPath, Overrides
from arc_autoconfig.build.injection import LaterComponent, Need, OneComponent, needs_of
from arc_autoconfig.build.lifecycle import Built, open_resource, start
from arc_autoconfig.build.making import (
    check_made,
    check_maker,
    check_name,
    finish_at_once,
    make,
    of_entry,
    order_of,
    override_candidate,
    owner_of,
)
from arc_autoconfig.build.override_checks import check_override, failed_override
from arc_autoconfig.build.plugin_sections import Sections
from arc_autoconfig.build.resources import opening_of
from arc_autoconfig.build.run_deps import DepsTypes
from arc_autoconfig.build.scopes import ComponentScopes
from arc_autoconfig.containment import Contained
from arc_autoconfig.decide.ordering import in_order
from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.declare.candidates import Candidate, Entry, Source
from arc_autoconfig.declare.component_fit import is_built, is_maker
from arc_autoconfig.declare.members import members_of
from arc_autoconfig.errors import NotOpenError, source_of
from arc_autoconfig.settings import ArcSettings
from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import TakesInjection
from arc_core.log import get_logger
from arc_core.places import Contribution, Place, Slot

__all__ = ["ComponentBuilder", "Overrides"]

T = TypeVar("T")

logger = get_logger("wiring")


class ComponentBuilder:
    """Executes the decisions.

    Attributes:
        built: Everything in use, each component after those it was made with.
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
        deps: Iterable[type] = (),
    ) -> None:
        self._wiring, self._overrides, self._settings = wiring, overrides, settings
        self._places = {place.name: place for place in wiring.places}
        self._services = frozenset(
            place.interface for place in wiring.places if isinstance(place, Slot)
        )
        self._deps = DepsTypes(deps, services=self._services, has_section=settings.has_section)
        self.sections = Sections(settings)
        self._path = BuildPath(wiring, overrides)
        self.forget()

    def freeze(self) -> None:
        """From now on overrides are refused."""
        self._is_frozen = True

    def forget(self) -> None:
        """Build everything anew when it is asked for again, and allow overrides until then."""
        self.built: list[Built] = []
        self._recorded: set[int] = set()
        self.arranged: dict[str, tuple[Candidate, ...]] = {}
        self.made: dict[Candidate, object] = {}
        self.needs: dict[Candidate, list[str]] = {}
        self.faults: dict[Candidate, ConfigurationError] = {}
        self._asked: dict[Candidate, tuple[Need, ...]] = {}
        self._values: dict[str, tuple[object, Any]] = {}
        self._instances: dict[tuple[int, Entry | None], object] = {}
        self._registered: dict[str, tuple[object, ...]] = {}
        self._taken_by: dict[str, str] = {}
        self._stack: AsyncExitStack | None = None
        self._started = 0
        self._is_frozen = False
        self._scopes = ComponentScopes(
            wiring=self._wiring,
            services=self._services,
            deps=self._deps,
            is_overridden=lambda name: self._overrides.of(name) is not None,
            argument=self._argument,
            enter=self._path.enter,
            settings=self._settings.concurrency,
        )
        self._arguments = Arguments(
            wiring=self._wiring,
            components=self,
            sections=self.sections,
            scopes=self._scopes,
            path=self._path,
        )

    async def start_all(self, stack: AsyncExitStack) -> None:
        """Build every component and start it; the stack closes them, last started first.

        Raises:
            ConfigurationError: A component cannot be imported, built or started.
        """
        self._load()
        # Of its own, since it takes what is only asked for later, when the start is over.
        self._stack = await stack.enter_async_context(AsyncExitStack())
        later = self._asked_for_later()
        # Services come first, and so close last: runs that still go on at the end work with them.
        for place in sorted(self._places.values(), key=lambda each: each.group is not None):
            is_later = place.name in later or self._wiring.is_postponed(place)
            if not is_later and not self._is_of_run(place):
                await self.value(place.name)
                await self.start_pending()
        of_run = [place for place in self._places.values() if self._is_of_run(place)]
        await self._scopes.prepare(of_run)
        await self.start_pending()
        self._warn_of_unread_sections()

    def build_all(self) -> None:
        """Build every component that can be built before the start, without starting any.

        After the start, what is there on demand is left out unless it was asked for.

        Raises:
            ConfigurationError: A component cannot be imported or built.
        """
        self._load()
        for place in self._places.values():
            is_left_out = self._stack is not None and self._wiring.is_postponed(place)
            if not is_left_out and not self._is_of_run(place):
                try:
                    finish_at_once(self.value(place.name))
                except NotOpenError:
                    continue
        self._warn_of_unread_sections()

    def arrange(self) -> None:
        """Build the contributions, so that it is known in which order they work.

        One that cannot be built stays in the order of names; a start says what is wrong with it.
        """
        for place in self._places.values():
            if isinstance(place, Contribution):
                try:
                    self.component(place.name)
                except ConfigurationError:
                    continue

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
            ConfigurationError: It cannot be imported or built.
        """
        if name == "settings":
            return self._settings
        self._load()
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

    async def value(self, name: str, owner: Candidate | None = None) -> Any:
        """What a place gives; built once, and anew for another override."""
        if owner is not None:
            self._taken_by.setdefault(name, owner_of(owner))
            self.needs.setdefault(owner, []).append(name)
        override = self._overrides.of(name)
        kept = self._values.get(name)
        if kept is None or kept[0] is not override:
            place = self._places[name]
            with self._path.enter(name):
                is_overridden = override is not None
                value = await (
                    self._build_override(place) if is_overridden else self._build_decided(place)
                )
            self._values[name] = kept = (override, value)
        return kept[1]

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
        made: Any = None
        with Contained() as attempt:
            made = self._overrides.make(place.name)
        if attempt.error is not None:
            override = self._overrides.current()[place.name]
            raise failed_override(place, override, attempt.error)
        check_override(place, made)
        many = isinstance(place, Contribution)
        if many:
            made = tuple([await self._fill(each, override_candidate(place, each)) for each in made])
        for each in made if many else [made]:
            self._record(each, f"the override of {place.name}")
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
            inner = await self._make(made_for, wrapped=inner)
        return inner

    async def _make(self, candidate: Candidate, *, wrapped: object = None) -> object:
        component, interface = self._wiring.component_of(candidate), candidate.place.interface
        made = component
        if is_built(component, interface):
            check_maker(candidate)
            self._record(made, owner_of(candidate))
        else:
            key = (id(component), candidate.entry)
            made = None if candidate.is_wrapper else self._instances.get(key)
            if made is None:
                made = await self._call(candidate, component, wrapped)
                if not candidate.is_wrapper:
                    self._instances[key] = made
            check_made(candidate, component, made)
        check_name(candidate, made)
        self.made[candidate] = made
        await self.start_pending()
        return made

    def _needs_of(self, candidate: Candidate, component: Any) -> tuple[Need, ...]:
        """What a class or function asks for; read once, since that takes long."""
        if candidate not in self._asked:
            interface = candidate.place.interface
            self._asked[candidate] = needs_of(
                component,
                owner=owner_of(candidate),
                services=self._services,
                wrapped=interface if candidate.is_wrapper else None,
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
            self._record(made, owner)
            return made
        if self._stack is None:
            opening.discard()
            raise NotOpenError(
                f"{owner} is not there before the application has started",
                evidence=[f"{source_of(component)} opens it, and that takes an event loop"],
                remedy="ask for it inside `async with app:`",
            )
        made = await open_resource(opening, owner, self._stack)
        if not opening.is_managed:
            self._record(made, owner)
        return made

    async def loser(self, candidate: Candidate, owner: Candidate) -> object:
        """A component that does not fill its slot, for what asks for it by name."""
        self.needs.setdefault(owner, []).append(candidate.place.name)
        label = f"{candidate.place.name} {candidate.name!r}"
        if label not in self._values:
            with self._path.enter(label), of_entry(candidate):
                made = await self._make(candidate)
                wrapped = await self._wrap(candidate.place, made, candidate.entry)
                self._values[label] = (None, wrapped)
        found: object = self._values[label][1]
        return found

    def find_registered(self, name: str) -> tuple[object, ...]:
        """The components of a contribution that the program registers itself."""
        return self._registered.get(name, ())

    async def _argument(self, need: Need, owner: Candidate) -> object:
        return await self._arguments.one(need, owner)

    async def start_pending(self) -> None:
        """Start what has been made and is not started yet, if the application is starting."""
        while self._stack is not None and self._started < len(self.built):
            self._started += 1
            await start(self.built[self._started - 1], self._stack)

    def _record(self, made: object, owner: str) -> None:
        if made is not None and id(made) not in self._recorded:
            self._recorded.add(id(made))
            self.built.append(Built(made, owner))

    def _warn_of_unread_sections(self) -> None:
        for name in sorted(self.sections.unread):
            message = f"no component reads the settings below plugins.settings.{name}"
            logger.warning(message, plugin=name)
