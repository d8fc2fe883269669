"""Candidates from what a program registers: components, marks, services, deps."""

import collections.abc
import contextlib
import inspect
import typing
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.candidates import Candidate, Origin, Reference, Source
from arc_autoconfig.declare.component_fit import (
    find_near_miss,
    fitting_places,
    has_members,
    is_maker,
)
from arc_autoconfig.declare.registry import CandidateRegistry
from arc_autoconfig.errors import ComponentError, SettingsError, describe_cause, locate_source
from arc_autoconfig.settings import AgentSection, ArcSettings
from arc_core.agents.agent import Agent, Instructions
from arc_core.agents.functions import prompt_instructions
from arc_core.components.extension_points import (
    Contribution,
    ExtensionPoint,
    can_be_service,
    declared_place,
    get_place,
)
from arc_core.components.registration import Mark, Offered, Verb, add_mark, get_marks
from arc_core.limits import Limits
from arc_core.text.names import with_article

_YIELDING = (
    collections.abc.AsyncGenerator,
    collections.abc.AsyncIterable,
    collections.abc.AsyncIterator,
    collections.abc.Generator,
    collections.abc.Iterable,
    collections.abc.Iterator,
    contextlib.AbstractAsyncContextManager,
    contextlib.AbstractContextManager,
)


def find_product(component: object) -> Any:
    """The type of the service that a class, a function or an instance is offered as.

    Of a function it is the annotation of what it returns; of a generator function and of a context
    manager the annotation of what is yielded. It is a class, or a generic one with its arguments.
    """
    if isinstance(component, type):
        return component
    if not inspect.isroutine(component):
        made_as = getattr(component, "__orig_class__", None)
        return made_as if get_origin(made_as) is type(component) else type(component)
    returned = _read_annotation(component)
    if get_origin(returned) in _YIELDING:
        returned = get_args(returned)[0]
    if get_args(returned) and getattr(returned, "__parameters__", ()):
        raise _unknown_product(component, f"its return annotation {returned!r} has open parameters")
    if can_be_service(returned) and returned not in {object, type(None)}:
        return returned
    raise _unknown_product(component, f"its return annotation is {returned!r}, not a class")


def _read_annotation(function: Any) -> Any:
    with Contained(passing=(ComponentError,)) as attempt:
        hints = typing.get_type_hints(inspect.unwrap(function))
        if "return" in hints:
            return hints["return"]
        raise _unknown_product(function, "it has no return annotation")
    assert attempt.error is not None
    raise _unknown_product(function, describe_cause(attempt.error)) from None


def _unknown_product(function: Any, evidence: str) -> ComponentError:
    name = getattr(function, "__qualname__", repr(function))
    return ComponentError(
        f"it is not known of which type {name} makes a service",
        evidence=[evidence, f"its place: {locate_source(function)}"],
        remedy=f"annotate what it returns, as in `def {name}(…) -> Database`",
    )


C = TypeVar("C")


def provides(interface: type, **options: Any) -> Callable[[C], C]:
    """Say which interface a class, or a function that makes a component, is for.

    May be stacked for a class that serves several interfaces; it is built once.

    Args:
        interface: Of a slot, of a contribution, or the type of a service.
        options: Those of `Registry.provide` for a slot (`name`, `primary`, `scope`, `condition`),
            those of `Registry.contribute` for a contribution (`name`, `before`, `after`,
            `replaces`, `condition`).
    """

    def mark(component: C) -> C:
        add_mark(component, Mark(interface, options))
        return component

    return mark


def read_candidates(
    components: Iterable[object], places: Sequence[ExtensionPoint]
) -> list[Candidate]:
    """The candidates of an application's own components, in their order."""
    registry = CandidateRegistry(Origin(source=Source.CODE))
    for component in components:
        register(registry, component, places)
    _check_registered_once(registry.candidates)
    return _number_instances(registry.candidates)


def deps_among(components: Iterable[object]) -> tuple[type, ...]:
    """The classes among an application's own components that are marked with `run_deps`."""
    return tuple(
        each
        for each in components
        if isinstance(each, type) and any(mark.verb is Verb.HAND_OVER for mark in get_marks(each))
    )


def _check_registered_once(candidates: Iterable[Candidate]) -> None:
    seen: set[tuple[str, Verb, int]] = set()
    for each in candidates:
        place, key = each.place, (each.place.name, each.verb, id(each.component))
        if key in seen and not place.is_named_by_members:
            raise ComponentError(
                f"{each.name} is registered twice for {each.place.name}",
                evidence=[f"its place: {locate_source(each.component)}"],
                remedy="register it once; for two of one class, register two instances",
            )
        seen.add(key)


def _number_instances(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Name instances of one class apart, `X`, `X-2`, `X-3`, if they are named by that class."""
    numbered: list[Candidate] = []
    counts: Counter[tuple[str, str, type]] = Counter()
    for each in candidates:
        key = (each.place.name, each.name, type(each.component))
        counts[key] += 1
        is_numbered = (
            counts[key] > 1
            and each.name == type(each.component).__name__
            and isinstance(place := each.place, Contribution)
            and not (each.is_wrapper or place.is_chosen_by_name or place.is_named_by_members)
            and not (isinstance(each.component, type) or is_maker(each.component))
        )
        numbered.append(replace(each, name=f"{each.name}-{counts[key]}") if is_numbered else each)
    return numbered


def register(
    registry: CandidateRegistry, component: object, places: Sequence[ExtensionPoint]
) -> None:
    """Offer a component for the interface that it names, inherits from or looks like."""
    marks = get_marks(component) or _find_marks(component, places)
    offered = component.component if isinstance(component, Offered) else component
    for mark in marks:
        if mark.verb is Verb.HAND_OVER and isinstance(offered, type):
            registry.declare_deps(offered)
        else:
            _offer(registry, offered, mark)


def _find_marks(component: object, places: Sequence[ExtensionPoint]) -> list[Mark]:
    is_class_or_maker = isinstance(component, type) or is_maker(component)
    marks = () if is_class_or_maker else get_marks(type(component))
    if marks:
        return list(marks)
    found = () if is_maker(component) else fitting_places(component, places)
    if not found:
        raise _no_component_error(component, places)
    exclusive = [each.interface for each in found if not has_members(component, each)]
    if len(exclusive) > 1:
        raise _several_interfaces_error(component, exclusive)
    return [Mark(each.interface) for each in found]


def _offer(registry: CandidateRegistry, component: object, mark: Mark) -> None:
    interface = mark.interface if mark.interface is not None else find_product(component)
    verb: Callable[..., None] = registry.contribute
    if mark.verb is Verb.DECORATE:
        verb = registry.decorate
    elif mark.interface is None or not isinstance(declared_place(interface), Contribution):
        verb = registry.provide
    unknown = set(mark.options) - set(inspect.signature(verb).parameters)
    if unknown:
        raise ComponentError(
            f"@provides({interface.__name__}) does not take {', '.join(sorted(unknown))}",
            evidence=[f"it becomes registry.{verb.__name__}({interface.__name__}, …)"],
            remedy="primary and scope are for slots; before, after and replaces for contributions",
        )
    verb(interface, component, **mark.options)


def _no_component_error(component: object, places: Sequence[ExtensionPoint]) -> ComponentError:
    known = ", ".join(place.interface.__name__ for place in places)
    cls = component if isinstance(component, type) else type(component)
    name = getattr(component, "__name__", "…")
    near = ((place.interface, find_near_miss(cls, place.interface)) for place in places)
    return ComponentError(
        f"{component!r} cannot be registered: it is not a component that Arc knows",
        evidence=[
            *(
                f"if it is {with_article(each.__name__)}, {miss}"
                for each, miss in near
                if miss is not None
            ),
            f"components are {known}",
        ],
        remedy="inherit from one of these, decorate a function with @tool, "
        "say which it is with @provides(Interface), "
        f"or register service({name}) to have it injected by its type",
    )


def _several_interfaces_error(component: object, interfaces: Iterable[type]) -> ComponentError:
    named = ", ".join(interface.__name__ for interface in interfaces)
    return ComponentError(
        f"{component!r} cannot be registered: it may be several things",
        evidence=[f"it fits {named}"],
        remedy="say which with @provides(Interface) on its class; repeat it for several",
    )


_MAX_BYTES = 1_048_576


def agents_in_settings(settings: ArcSettings) -> list[Candidate]:
    """A candidate for each; files are read and types are imported when it is built."""
    return [
        Candidate(
            place=get_place(Agent),
            name=name,
            component=_AgentOfSettings(name, section, settings),
            origin=Origin(source=Source.SETTINGS, place=settings.origin_of(f"agents.{name}")),
        )
        for name, section in settings.agents.by_name.items()
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _AgentOfSettings:
    """Makes the agent of one table."""

    name: str
    section: AgentSection
    settings: ArcSettings

    def __call__(self) -> Agent:
        section = self.section
        return Agent(
            self.name,
            description=section.description,
            instructions=self._instructions(),
            model=section.model,
            temperature=section.temperature,
            reasoning=section.reasoning,
            max_output_tokens=section.max_output_tokens,
            tools=section.tools,
            output=self._output(),
            limits=Limits.of(section.limits),
            delegates=section.delegates,
            handoffs=section.handoffs,
            examples=section.examples,
        )

    def _instructions(self) -> Instructions | None:
        if self.section.prompt is not None:
            return prompt_instructions(self.section.prompt)
        file = self.section.instructions_file
        if file is None:
            return self.section.instructions
        key = f"agents.{self.name}.instructions_file"
        path = self.settings.folder_of(key) / file.expanduser()
        with Contained() as attempt:
            return _read(path)
        raise self._unusable_error(key, f"{path} cannot be read", attempt.error)

    def _output(self) -> Any:
        text = self.section.output
        if text is None:
            return None
        key = f"agents.{self.name}.output"
        with Contained() as attempt:
            return Reference.parse(text).load()
        raise self._unusable_error(key, f"{text!r} cannot be imported", attempt.error)

    def _unusable_error(self, key: str, problem: str, error: BaseException | None) -> SettingsError:
        return SettingsError(
            f"{key} ({self.settings.origin_of(key)}): {problem}",
            evidence=[] if error is None else [describe_cause(error)],
            remedy="correct the place: prompts/refunds.md of a file, my_app:Refund of a type",
        )


def _read(path: Path) -> str:
    if not path.is_file():  # to open a named pipe would wait for ever
        raise ValueError("there is no such file")
    with path.open("rb") as file:
        held = file.read(_MAX_BYTES + 1)
    if len(held) > _MAX_BYTES:
        raise ValueError(f"it exceeds {_MAX_BYTES} bytes")
    return held.decode("utf-8-sig").strip()
