"""What lives as long as a run: who needs what is worked out at the start, made in each run.

Whatever a component of a run needs from the application is taken once, so that nothing in a run
builds a component of the application, except what is `Lazy` or asked for by name.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from arc_autoconfig.container.build_path import BuildPath
from arc_autoconfig.container.construction import check_made, make, owner_of
from arc_autoconfig.container.deps_types import DepsTypes
from arc_autoconfig.container.injection import parse_annotation, read_needs
from arc_autoconfig.container.injection_errors import (
    instance_in_run,
    unfillable_parameter,
    unknown_in_run,
)
from arc_autoconfig.container.needs import (
    ComponentsByName,
    DepsOf,
    Group,
    LaterComponent,
    Need,
    OneComponent,
    RunContextOf,
    What,
    WrappedComponent,
)
from arc_autoconfig.container.run_recipes import (
    Arguments,
    Fixed,
    FromRun,
    GroupOfRun,
    LaterOfRun,
    NamedOfRun,
    OneOfRun,
    Part,
    Recipe,
    TheContext,
    TheDeps,
    Wrapped,
    deps_needed_by,
)
from arc_autoconfig.container.run_scope import ComponentRunScope
from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.declare.candidates import Candidate, Origin, Source, name_of
from arc_autoconfig.declare.component_fit import is_built
from arc_core.components.extension_points import Slot
from arc_core.components.handed_values import handed_values
from arc_core.components.registration import Scope
from arc_core.interfaces.optional import TakesInjection
from arc_core.interfaces.run_scope import MissingDeps, RunContext, RunScope, RunScopes
from arc_core.interfaces.tools.tool import Tool
from arc_core.log import get_logger
from arc_core.settings import ConcurrencySettings

__all__ = ["ApplicationRunScopes"]

logger = get_logger("wiring")

_RUN = Candidate(
    place=Slot("runs", RunScopes),
    name="context.get",
    component=None,
    origin=Origin(source=Source.CODE),
)
"""Who asks when a hook, guard or tool calls `context.get`."""

Argument = Callable[[Need, Candidate], Awaitable[object]]
"""Gives what a component asks of the application."""


class ApplicationRunScopes(RunScopes):
    """Opens the scopes of one application, and fills what takes part in injection.

    Args:
        wiring: What was decided.
        services: The types that are offered as services.
        deps: The types of what callers hand to runs.
        is_overridden: Whether a place, by its name, has something of the user's in it.
        argument: Gives what a component asks of the application.
        path: What is being built.
        settings: How long making and closing may take.
    """

    def __init__(
        self,
        *,
        wiring: Wiring,
        services: Collection[Any],
        deps: DepsTypes,
        is_overridden: Callable[[str], bool],
        argument: Argument,
        path: BuildPath,
        settings: ConcurrencySettings,
    ) -> None:
        self._wiring, self._services, self._is_overridden = wiring, services, is_overridden
        self._argument, self._path, self._settings = argument, path, settings
        self._deps = deps
        self._needed: dict[tuple[str | None, str], list[tuple[str, type]]] = {}
        self._recipes: dict[Candidate, Recipe] = {}
        self._parts: dict[Any, Part] = {}

    def open(self, context: RunContext) -> RunScope:
        """A scope in which nothing is made yet."""
        return ComponentRunScope(
            context,
            find=self._find,
            is_wired=self._deps.is_wired,
            make_timeout_s=self._settings.component_timeout_s,
            close_timeout_s=self._settings.finalize_timeout_s,
        )

    def find_missing(
        self, tools: Iterable[str], deps: object, *, agent: str | None = None
    ) -> MissingDeps | None:
        """What keeps a run from offering its tools: deps that they need, or that cannot be used."""
        if deps is None and not self._needed:
            return None
        if deps is not None and (wired := self._deps.find_wired(deps)) is not None:
            name = wired.__qualname__
            return MissingDeps(
                f"deps is a {name}, which is a component or a section of the settings here: "
                f"declare Application(deps={name}), or write @run_deps above the class"
            )
        if (twice := _type_handed_twice(deps)) is not None:
            return MissingDeps(f"deps has two values of the type {twice}; hand over one of each")
        needs = {
            tool: self._needed.get((agent, tool)) or self._needed.get((None, tool), [])
            for tool in tools
        }
        given = {cls for each in handed_values(deps) for cls in type(each).__mro__}
        for tool, needed in needs.items():
            for parameter, cls in needed:
                if cls not in given:
                    return MissingDeps.of(tool, parameter, wanted=cls, deps=deps)
        if deps is not None and not any(needs.values()):
            logger.debug("no tool on offer asks for deps", deps=type(deps).__qualname__)
        return None

    async def prepare(self, places: Sequence[Slot]) -> None:
        """Work out how the components of runs are made.

        Raises:
            ConfigurationError: One of them could not be made in any run.
        """
        for place in places:
            await self._one(OneComponent(place, is_optional=True))

    async def fill(self, component: TakesInjection, owner: Candidate) -> object:
        """A component whose parameters have what they ask for.

        Raises:
            ConfigurationError: A parameter asks for what there is not, or the component fails.
        """
        values: dict[str, object] = {}
        per_call: dict[str, Part] = {}
        for name, hint in component.injected.items():
            has_default = component.has_default(name)
            asking = replace(owner, name=f"{name_of(component)}, parameter {name!r}")
            what = self._parse(hint, asking)
            if what is None and not has_default:
                raise unfillable_parameter(asking, hint)
            if what is None:
                continue
            part = await self._part(Need(name, what, has_default), asking)
            if not isinstance(part, Fixed):
                per_call[name] = part
            elif part.value is not None or not has_default:
                values[name] = part.value
        filled = make(owner, component.fill, {"values": values, "per_call": set(per_call)})
        check_made(owner, component, filled)
        self._note_needs(filled, component, per_call)
        return filled

    def _note_needs(
        self, filled: object, component: TakesInjection, parts: Mapping[str, Part]
    ) -> None:
        """Remember what a tool needs of a run; by its name, which its wrappers keep.

        An agent fills its instructions and its own tools, and names their parameters with them.
        """
        owner = name_of(filled)
        agent = None if isinstance(filled, Tool) else owner
        for name, part in parts.items():
            what, _, parameter = name.rpartition(".")
            types = () if component.has_default(name) else deps_needed_by(part)
            if needed := [(parameter, cls) for cls in types]:
                self._needed.setdefault((agent, what or owner), []).extend(needed)

    def _parse(self, annotation: Any, owner: Candidate) -> What | None:
        asked = self._deps.asked_by(annotation, owner, in_run=True)
        return asked or parse_annotation(annotation, self._services)

    def is_of_run(self, one: OneComponent) -> bool:
        """Whether a component is made in each run, and not once in the application."""
        candidate = self._candidate_of_run(one)
        return candidate is not None and candidate.scope is Scope.RUN

    async def _find(self, wanted: Any) -> Part:
        """What a run is asked for, by an annotation or by `OneComponent`."""
        try:
            part = self._parts.get(wanted)
        except TypeError:  # it cannot be a key: metadata of `Annotated` may be anything
            return await self._work_out(wanted)
        if part is None:
            part = self._parts[wanted] = await self._work_out(wanted)
        return part

    async def _work_out(self, wanted: Any) -> Part:
        is_known = isinstance(wanted, OneComponent)
        what = wanted if is_known else self._parse(wanted, _RUN)
        if what is None:
            raise unknown_in_run(wanted)
        async with self._path.turn():
            is_named = isinstance(what, OneComponent) and what.name is not None
            part = await self._part(Need("", what, has_default=not is_named), _RUN)
        is_optional = not isinstance(what, OneComponent) or what.is_optional
        if part == Fixed(None) and not is_optional:
            raise unknown_in_run(wanted)
        return part

    async def _part(self, need: Need, owner: Candidate) -> Part:
        """How a need is filled."""
        if isinstance(need.what, Group):
            arguments = await self._arguments(need.what.needs, owner)
            if arguments.of_run:
                return GroupOfRun(need.what.cls, arguments)
            return Fixed(need.what.cls(**arguments.fixed))
        if isinstance(need.what, DepsOf):
            return await self._deps_part(need.what, need, owner)
        of_run = await self._of_run(need.what)
        return of_run or Fixed(await self._argument(need, owner))

    async def _deps_part(self, what: DepsOf, need: Need, owner: Candidate) -> TheDeps:
        otherwise = None
        if what.otherwise is not None:
            otherwise = await self._part(replace(need, what=what.otherwise), owner)
        has_default = need.has_default and bool(need.parameter)
        return TheDeps(what.cls, what.is_optional, has_default, otherwise)

    async def _of_run(self, what: What) -> FromRun | None:
        part: FromRun | None = None
        match what:
            case WrappedComponent():
                part = Wrapped()
            case RunContextOf():
                part = TheContext()
            case OneComponent() as one:
                part = await self._one(one)
            case LaterComponent(one) if self._candidate_of_run(one) is not None:
                part = LaterOfRun(one)
            case ComponentsByName() as named:
                part = await self._by_name(named)
        return part

    async def _one(self, one: OneComponent) -> OneOfRun | None:
        candidate = self._candidate_of_run(one)
        return None if candidate is None else OneOfRun(await self._recipe(candidate))

    async def _by_name(self, what: ComponentsByName) -> NamedOfRun | None:
        place = what.place
        able = self._wiring.usable(place)
        asked = [each for each in able if each.entry is not None or not what.is_listed]
        names = {each.name: each.scope for each in asked}
        if set(names.values()) <= {Scope.APPLICATION}:
            return None
        needs = {name: OneComponent(place, is_optional=False, name=name) for name in names}
        parts = {
            name: await self._part(Need(name, one, has_default=False), _RUN)
            for name, one in needs.items()
        }
        return NamedOfRun(parts)

    def _candidate_of_run(self, one: OneComponent) -> Candidate | None:
        place = one.place
        decision = self._wiring.decisions.get(place.name)
        winner = decision.winner if decision is not None else None
        candidate = winner
        if one.name is not None:
            offers = self._wiring.offers(place)
            candidate = next((each for each in offers if each.name == one.name), None)
        if candidate is None or candidate.scope is Scope.APPLICATION:
            return None
        is_replaced = candidate is winner and self._is_overridden(place.name)
        return None if is_replaced else candidate

    async def _recipe(self, candidate: Candidate) -> Recipe:
        if candidate not in self._recipes:
            decision = self._wiring.decisions[candidate.place.name]
            label = candidate.place.name
            label += "" if candidate is decision.winner else f" {candidate.name!r}"
            async with self._path.enter(label):
                wrappers: list[Recipe] = []
                for wrapper in reversed(decision.wrappers):
                    with self._path.enter_wrapper(wrapper):
                        wrappers.append(await self._made_by(wrapper))
                recipe = await self._made_by(candidate)
            self._recipes[candidate] = replace(recipe, wrappers=tuple(wrappers))
        return self._recipes[candidate]

    async def _made_by(self, candidate: Candidate) -> Recipe:
        interface, owner = candidate.place.interface, owner_of(candidate)
        factory: Any = self._wiring.component_of(candidate)
        if is_built(factory, interface):
            raise instance_in_run(candidate)
        needs = read_needs(
            factory,
            owner=owner,
            services=self._services,
            wrapped=candidate.place.asked_as if candidate.is_wrapper else None,
            deps=partial(self._deps.asked_by, owner=candidate),
        )
        return Recipe(candidate, factory, await self._arguments(needs, candidate))

    async def _arguments(self, needs: Sequence[Need], candidate: Candidate) -> Arguments:
        fixed: dict[str, object] = {}
        of_run: dict[str, FromRun] = {}
        for need in needs:
            part = await self._part(need, candidate)
            if not isinstance(part, Fixed):
                of_run[need.parameter] = part
            elif part.value is not None or not need.has_default:
                fixed[need.parameter] = part.value
        return Arguments(fixed, of_run)


def _type_handed_twice(deps: object) -> str | None:
    names = [type(each) for each in handed_values(deps)]
    return next((each.__qualname__ for each in names if names.count(each) > 1), None)
