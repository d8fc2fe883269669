"""The scopes of runs: who needs what is worked out at the start, and made in each run.

Whatever a component of a run needs from the application is taken once, so that nothing in a run
builds a component of the application, except what is `Lazy` or asked for by name.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, get_args, get_origin

from arc_autoconfig.container.build_path import BuildPath
from arc_autoconfig.container.injection import (
    ComponentsByName,
    DepsOf,
    FixedValue,
    Given,
    Group,
    LaterComponent,
    Need,
    OneComponent,
    Plan,
)
from arc_autoconfig.container.plans import Plans, declare_deps, find_needed_deps
from arc_autoconfig.container.run_scope import CONTEXT, ComponentRunScope
from arc_autoconfig.container.scope import ComponentScope, check_made, make
from arc_autoconfig.declare.candidates import Candidate, get_name
from arc_autoconfig.errors import InjectionError
from arc_core.components.extension_points import Slot
from arc_core.components.injection import handed_values
from arc_core.components.registration import Scope
from arc_core.interfaces.optional import TakesInjection
from arc_core.interfaces.run_scope import MissingDeps, RunContext, RunScope, RunScopes
from arc_core.interfaces.tools.tool import Tool
from arc_core.log import get_logger
from arc_core.settings import ConcurrencySettings

logger = get_logger("wiring")


class ApplicationRunScopes(RunScopes):
    """Opens the scopes of one application, and fills what takes part in injection."""

    def __init__(
        self,
        application: ComponentScope,
        *,
        plans: Plans,
        path: BuildPath,
        settings: ConcurrencySettings,
    ) -> None:
        self._application, self._plans = application, plans
        self._path, self._settings = path, settings
        self._needed: dict[tuple[str | None, str], list[tuple[str, type]]] = {}
        self._compiled: dict[Candidate, Plan] = {}
        self._asked: dict[Any, Need] = {}

    def open(self, context: RunContext) -> RunScope:
        """A scope in which nothing is made yet."""
        is_wired = self._plans.deps.is_wired
        return ComponentRunScope(
            context, find=self._find, is_wired=is_wired, settings=self._settings
        )

    def find_missing(
        self, tools: Iterable[str], deps: object, *, agent: str | None = None
    ) -> MissingDeps | None:
        """Return what keeps a run from offering its tools: deps that lack, or cannot be used."""
        if deps is None and not self._needed:
            return None
        if deps is not None and (wired := self._plans.deps.find_wired(deps)) is not None:
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

    async def prepare(self, place: Slot) -> None:
        """Work out how the component of a slot is made in runs."""
        one = OneComponent(place, is_optional=True)
        await self._compile(Need("", one, has_default=True), CONTEXT)

    async def fill(self, component: TakesInjection, owner: Candidate) -> object:
        """A component whose parameters have what they ask for."""
        in_run: dict[str, Need] = {}
        for name, hint in component.injected.items():
            asking = replace(owner, name=f"{get_name(component)}, parameter {name!r}")
            what = self._plans.parse(hint, asking)
            if what is not None:
                need = Need(name, what, component.has_default(name))
                in_run[name] = await self._compile(need, asking)
            elif not component.has_default(name):
                raise _unfillable_parameter(asking, hint)
        fixed = [each for each in in_run.values() if isinstance(each.what, FixedValue)]
        values = await self._application.arguments(fixed, owner)
        for each in fixed:
            del in_run[each.parameter]
        filled = make(owner, component.fill, {"values": values, "per_call": set(in_run)})
        check_made(owner, component, filled)
        self._note_needs(filled, in_run)
        return filled

    def _note_needs(self, filled: object, needs: Mapping[str, Need]) -> None:
        """Remember what a tool needs of a run; an agent has its tools before its parameters."""
        owner = get_name(filled)
        agent = None if isinstance(filled, Tool) else owner
        for name, need in needs.items():
            what, _, parameter = name.rpartition(".")
            if not need.has_default and (types := list(find_needed_deps(need))):
                noted = self._needed.setdefault((agent, what or owner), [])
                noted += [(parameter, cls) for cls in types]

    async def _find(self, wanted: Any) -> Need:
        """Return what a run is asked for, by an annotation or by `OneComponent`."""
        try:
            found = self._asked.get(wanted)
        except TypeError:  # it cannot be a key: metadata of `Annotated` may be anything
            return await self._work_out(wanted)
        if found is None:
            found = self._asked[wanted] = await self._work_out(wanted)
        return found

    async def _work_out(self, wanted: Any) -> Need:
        is_known = isinstance(wanted, OneComponent)
        what = wanted if is_known else self._plans.parse(wanted, CONTEXT)
        if what is None:
            raise _unknown_in_run(wanted)
        async with self._path.turn():
            is_named = isinstance(what, OneComponent) and what.name is not None
            need = await self._compile(Need("", what, has_default=not is_named), CONTEXT)
        is_optional = not isinstance(what, OneComponent) or what.is_optional
        if need.what == FixedValue(None) and not is_optional:
            raise _unknown_in_run(wanted)
        return need

    async def _compile(self, need: Need, owner: Candidate) -> Need:
        """Return a need in which everything is fixed that is the same for all runs."""
        what = need.what
        match what:
            case Given.WRAPPED | Given.RUN_CONTEXT:
                pass
            case Group(cls, needs):
                what = await self._compile_group(cls, needs, owner)
            case DepsOf(otherwise=other):
                if other is not None:
                    otherwise = await self._compile(replace(need, what=other), owner)
                    what = replace(what, otherwise=otherwise.what)
            case OneComponent() if candidate := self._plans.find_in_run(what):
                what = await self._plan(candidate)
            case LaterComponent(one) if self._plans.find_in_run(one):
                pass
            case ComponentsByName(place) if any(
                each.scope is not Scope.APPLICATION for each in self._plans.find_named(what)
            ):
                named = (each.name for each in self._plans.find_named(what))
                ones = {name: OneComponent(place, is_optional=False, name=name) for name in named}
                by_name = [Need(name, one, has_default=False) for name, one in ones.items()]
                what = await self._compile_group(dict, by_name, CONTEXT)
            case _:
                what = FixedValue(await self._application.fill(need, owner))
        return replace(need, what=what)

    async def _compile_group(
        self, cls: Callable[..., object], needs: Sequence[Need], owner: Candidate
    ) -> Group | FixedValue:
        compiled = [await self._compile(each, owner) for each in needs]
        if all(isinstance(each.what, FixedValue) for each in compiled):
            return FixedValue(cls(**await self._application.arguments(compiled, owner)))
        return Group(cls, tuple(compiled))

    async def _plan(self, candidate: Candidate) -> Plan:
        if candidate not in self._compiled:
            async with self._path.enter(self._plans.get_label(candidate)):
                wrappers: list[Plan] = []
                for wrapper in self._plans.list_wrappers(candidate.place):
                    with self._path.enter_wrapper(wrapper):
                        wrappers.append(await self._compile_plan(wrapper))
                plan = await self._compile_plan(candidate)
            self._compiled[candidate] = replace(plan, wrappers=tuple(wrappers))
        return self._compiled[candidate]

    async def _compile_plan(self, candidate: Candidate) -> Plan:
        plan = self._plans.get(candidate)
        if plan.is_instance:
            raise InjectionError(
                f"{candidate.owner} is an instance, and cannot be made anew for each run",
                evidence=["it is offered with scope='run'"],
                remedy="offer the class, or a function that makes it; or leave scope out to share "
                "it",
            )
        return replace(plan, needs=tuple([await self._compile(n, candidate) for n in plan.needs]))


def _type_handed_twice(deps: object) -> str | None:
    names = [type(each) for each in handed_values(deps)]
    return next((each.__qualname__ for each in names if names.count(each) > 1), None)


def _unfillable_parameter(owner: Candidate, hint: object) -> InjectionError:
    """Why a tool cannot be offered: nothing is known by which a parameter could be filled."""
    name = _show_type(hint)
    handed = "" if hint is Any else f"; if callers hand one to each run, {declare_deps(name)}"
    return InjectionError(
        f"{owner.owner} is marked with Inject, and cannot be filled",
        evidence=[f"Arc has nothing for {name}"],
        remedy=f"{_offer(hint)}{handed}",
    )


def _unknown_in_run(wanted: object) -> InjectionError:
    """Why `context.get` has no answer."""
    return InjectionError(
        f"a run was asked for {_show_type(wanted)}, and there is none",
        evidence=[
            "context.get finds services, interfaces, list[Guard] and the like, settings, and deps"
        ],
        remedy=_offer(wanted),
    )


def _offer(asked: object) -> str:
    if asked is Any:
        return "annotate it with the class that it takes"
    name = _show_type(asked)
    return f"offer it as a service: register=[service({name})], or registry.provide({name}, …)"


def _show_type(asked: Any) -> str:
    if get_origin(asked) is Annotated:
        asked = get_args(asked)[0]
    name: str = getattr(asked, "__qualname__", None) or str(asked)
    return str(asked) if get_args(asked) else name
