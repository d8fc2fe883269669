"""What a component is made with: each parameter filled with what it asks for."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from arc_autoconfig.container.build_path import BuildPath
from arc_autoconfig.container.construction import owner_of
from arc_autoconfig.container.injection_errors import (
    component_after_close,
    deps_in_application,
    missing_component,
    run_component_in_application,
    run_context_in_application,
)
from arc_autoconfig.container.needs import (
    AbsentComponent,
    Components,
    ComponentsByName,
    DepsOf,
    Group,
    LaterComponent,
    LoggerOf,
    Need,
    OneComponent,
    RegisteredComponents,
    RunContextOf,
    RunScopesOf,
    SectionOf,
    WrappedComponent,
)
from arc_autoconfig.container.run_scopes import ApplicationRunScopes
from arc_autoconfig.container.sections import Sections
from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.component_fit import is_of_kind
from arc_autoconfig.errors import UnknownNameError
from arc_core.components.injection import Lazy, Registered
from arc_core.errors import ConfigurationError
from arc_core.log import get_logger

__all__ = ["Arguments", "BuiltComponents"]

logger = get_logger("wiring")


class BuiltComponents(Protocol):
    """The components of the application; see `builder`."""

    async def value(self, name: str, owner: Candidate | None = None) -> Any:
        """The component of a slot, or the components of a contribution."""
        ...

    async def loser(self, candidate: Candidate, owner: Candidate) -> object:
        """A component that does not fill its slot."""
        ...

    def find_registered(self, name: str) -> tuple[object, ...]:
        """The components of a contribution that the program registers itself."""
        ...

    async def start_pending(self) -> None:
        """Start what has been made and is not started yet."""
        ...


class Arguments:
    """Fills the parameters of classes and functions that make components.

    Args:
        wiring: What was decided.
        components: Builds what is asked for.
        sections: The settings by their classes.
        scopes: Knows which components belong to a run.
        path: What is being built.
        is_closed: Whether the application has closed its components, so that a `Lazy` gives none.
    """

    def __init__(
        self,
        *,
        wiring: Wiring,
        components: BuiltComponents,
        sections: Sections,
        scopes: ApplicationRunScopes,
        path: BuildPath,
        is_closed: Callable[[], bool],
    ) -> None:
        self._wiring, self._components = wiring, components
        self._sections, self._scopes, self._path = sections, scopes, path
        self._is_closed = is_closed

    async def of(
        self, needs: Sequence[Need], candidate: Candidate, wrapped: object = None
    ) -> dict[str, object]:
        """The arguments by the names of the parameters; one that keeps its default is left out.

        Args:
            needs: The parameters.
            candidate: Whose they are.
            wrapped: What it wraps, if it is a wrapper.

        Raises:
            ConfigurationError: Something that is needed cannot be had.
        """
        arguments: dict[str, object] = {}
        for need in needs:
            value = await self.one(need, candidate, wrapped)
            if value is not None or not need.has_default:
                arguments[need.parameter] = value
        return arguments

    async def one(self, need: Need, candidate: Candidate, wrapped: object = None) -> object:
        """What fills one parameter; see `of`."""
        match need.what:
            case WrappedComponent():
                return wrapped
            case LoggerOf():
                return get_logger(f"{candidate.place.name}.{candidate.name}")
            case Group(cls, needs):
                return cls(**await self.of(needs, candidate, wrapped))
            case DepsOf() as asked:
                return await self._instead_of_deps(asked, need, candidate)
            case what:
                return await self._component_for(what, candidate, has_default=need.has_default)

    async def _instead_of_deps(self, asked: DepsOf, need: Need, candidate: Candidate) -> object:
        if asked.otherwise is not None:
            return await self.one(replace(need, what=asked.otherwise), candidate)
        if not need.has_default:
            raise deps_in_application(candidate, asked.cls)
        return None

    async def _component_for(
        self, what: Any, candidate: Candidate, *, has_default: bool = False
    ) -> object:
        value: object = None
        match what:
            case SectionOf(section, is_optional):
                value = self._sections.section(
                    section, candidate=candidate, has_default=has_default, is_optional=is_optional
                )
            case OneComponent() as one:
                one = replace(one, is_optional=one.is_optional or has_default)
                value = await self._one(one, candidate)
                if value is None and not one.is_optional:
                    raise missing_component(one.place, candidate, self._wiring)
            case AbsentComponent(is_later=True):
                value = Lazy(_give_none)
            case RunScopesOf():
                value = self._scopes
            case RunContextOf():
                raise run_context_in_application(candidate)
            case LaterComponent(one):
                self._check_scope(one, candidate)
                value = Lazy(lambda: self._later(one, candidate))
            case ComponentsByName() as named:
                value = await self._by_name(named, candidate)
            case several:
                value = await self._many(several, candidate)
        return value

    async def _many(self, what: Any, candidate: Candidate) -> object:
        value: object = None
        match what:
            case Components(place, as_list, interfaces):
                found = await self._components.value(place.name, candidate)
                of_kind = [each for each in found if is_of_kind(each, interfaces)]
                value = of_kind if as_list else tuple(of_kind)
            case RegisteredComponents(place):
                await self._components.value(place.name, candidate)
                members = self._components.find_registered(place.name)
                of_kind = [each for each in members if is_of_kind(each, (place.interface,))]
                value = Registered(tuple(of_kind))
        return value

    def _check_scope(self, one: OneComponent, owner: Candidate) -> None:
        if self._scopes.is_of_run(one):
            raise run_component_in_application(one.place, owner, self._path.names)

    async def _one(self, one: OneComponent, owner: Candidate) -> object | None:
        self._check_scope(one, owner)
        if one.name is not None:
            return await self._find_by_name(one, owner)
        if one.place.name not in self._wiring.decisions:
            return None
        value: object = await self._components.value(one.place.name, owner)
        return value

    async def _find_by_name(self, one: OneComponent, owner: Candidate) -> object | None:
        place, name = one.place, one.name or ""
        offers = self._wiring.offers(place)
        named = [each for each in offers if each.name == name]
        if not named and one.is_optional:
            return None
        if not named:
            setting, known = f"a parameter of {owner_of(owner)}", [each.name for each in offers]
            raise UnknownNameError(setting=setting, name=name, known=known)
        if named[0] is self._wiring.decisions[place.name].winner:
            value: object = await self._components.value(place.name, owner)
            return value
        return await self._components.loser(named[0], owner)

    async def _by_name(self, what: ComponentsByName, owner: Candidate) -> dict[str, object]:
        found: dict[str, object] = {}
        for each in self._wiring.usable(what.place):
            if each.entry is None and what.is_listed:
                continue
            one = OneComponent(what.place, is_optional=False, name=each.name)
            try:
                found[each.name] = await self._one(one, owner)
            except ConfigurationError as error:
                if not (what.is_listed and self._sections.can_do_without(each)):
                    raise
                facts = {"cause": "; ".join(error.evidence), "remedy": error.remedy}
                message = f"{error.description}, and others do without it"
                logger.warning(message, **facts)
        return found

    async def _later(self, one: OneComponent, owner: Candidate) -> Any:
        if self._is_closed():
            raise component_after_close(one.place, owner)
        async with self._path.turn():
            value = await self._one(one, owner)
            await self._components.start_pending()
        if value is None and not one.is_optional:
            raise missing_component(one.place, owner, self._wiring)
        return value


async def _give_none() -> None:
    return None
