"""The plans by which components are made, the settings they get, and the types handed to runs.

A run is handed what a program declares, `Application(deps=CurrentUser)` or `@run_deps` in a module
of its own, and the bases of it; and what packages declare. If the program declares nothing, also
classes that hold values: a dataclass, a pydantic model, an attrs class or a named tuple that
neither the wiring nor the settings have. Any other type that nothing provides is a component that
was forgotten, and an error at start.
"""

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from arc_autoconfig.container.injection import (
    ComponentsByName,
    DepsOf,
    Group,
    Need,
    OneComponent,
    Plan,
    SectionOf,
    What,
    parse_annotation,
    read_needs,
    unwrap_optional,
)
from arc_autoconfig.container.overrides import ContainerOverrides
from arc_autoconfig.containment import Contained
from arc_autoconfig.decide.slot_choice import can_do_without, settings_of_entry
from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.component_fit import is_built, is_maker
from arc_autoconfig.errors import InjectionError, SettingsError, describe_cause, fold_name
from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.inputs.variables import from_text
from arc_autoconfig.settings.keys import settings_error
from arc_autoconfig.settings.plugin_sections import make_instance, make_model
from arc_core.components.extension_points import ExtensionPoint, declared_place
from arc_core.components.injection import Named, handed_values
from arc_core.components.registration import Scope
from arc_core.errors import ConfigurationError
from arc_core.text.names import with_article


class Sections:
    """Hands out sections by their class.

    A class that is not a section of the settings gets the values below `plugins.settings.<plugin>`.
    """

    def __init__(self, settings: ArcSettings) -> None:
        self.unread = set(settings.plugins.settings)
        self.own: dict[str, object] = {}
        self.own_classes: set[type] = set()
        self._settings = settings
        self._of_entries: dict[str, ArcSettings] = {}

    def section(
        self,
        wanted: type,
        *,
        candidate: Candidate,
        has_default: bool = False,
        is_optional: bool = False,
    ) -> object | None:
        """The section of a class, for a component."""
        if self._settings.has_section(wanted):
            return self._settings_for(candidate).section(wanted)
        if is_optional and candidate.origin.plugin is None:
            return None
        return self._plugins_own(wanted, candidate, has_default=has_default)

    def has(self, wanted: type) -> bool:
        """Return True if a class is a section of the settings, and not one of a plugin's own."""
        return self._settings.has_section(wanted)

    def can_do_without(self, candidate: Candidate) -> bool:
        """Return True if an application may start without a component that the settings list."""
        entry = candidate.entry
        return entry is not None and can_do_without(self._settings, candidate.place, entry.name)

    def _settings_for(self, candidate: Candidate) -> ArcSettings:
        """The application's, for an entry of theirs with what it says."""
        entry = candidate.entry
        if entry is None:
            return self._settings
        if entry.setting not in self._of_entries:
            settings = settings_of_entry(self._settings, candidate.place, entry.name)
            self._of_entries[entry.setting] = settings
        return self._of_entries[entry.setting]

    def _plugins_own(self, wanted: type, candidate: Candidate, *, has_default: bool) -> object:
        plugin = candidate.origin.plugin
        tables = self._settings.plugins.settings
        name = next((each for each in tables if fold_name(each) == fold_name(plugin or "")), plugin)
        if has_default and name not in tables:
            return None
        if name is None:
            raise InjectionError(
                f"{candidate} asks for {wanted.__qualname__}, which is not a section of settings",
                remedy="hand it over when you register the component: register=[Component(…)]",
            )
        self.unread.discard(name)
        table = tables.get(name)
        if table is None:
            _check_sets_itself(wanted, candidate, name)
        self.own[name] = self._validate(wanted, name, table or {})
        self.own_classes.add(wanted)
        return self.own[name]

    def _validate(self, wanted: type, name: str, table: Mapping[str, Any]) -> object:
        spelt = {key.replace("-", "_"): key for key in table}
        with Contained() as attempt:  # a plugin's own checks run here
            model = make_model(wanted)
            given = {
                key: from_text(model.model_fields.get(key), table[as_set])
                for key, as_set in spelt.items()
            }
            return make_instance(wanted, model.model_validate(given))
        error = attempt.error
        assert error is not None
        if isinstance(error, ValidationError):
            model = make_model(wanted)
            keys = {**dict.fromkeys(model.model_fields, None), **spelt}
            full = {key: f"plugins.settings.{name}.{as_set or key}" for key, as_set in keys.items()}
            origins = {key: f"{full[key]}, {self._settings.origin_of(full[key])}" for key in full}
            raise settings_error(model, error, origins) from None
        raise SettingsError(
            f"plugins.settings.{name} is wrong",
            evidence=[describe_cause(error)],
            remedy="correct the value",
        ) from error


def declare_deps(name: str) -> str:
    """Return the remedy by which a program declares that callers hand values of a class to runs."""
    return f"write Application(deps={name}), or @run_deps above the class"


def _check_sets_itself(wanted: type, candidate: Candidate, name: str) -> None:
    """Check that a class of which nothing is set can be made without a value."""
    fields = make_model(wanted).model_fields.items()
    required = [key for key, each in fields if each.is_required()]
    if required:
        cls = wanted.__qualname__
        keys = ", ".join(f"plugins.settings.{name}.{key}" for key in required)
        raise InjectionError(
            f"{candidate.owner} asks for {with_article(cls)}, and there is none",
            evidence=[f"it is read as settings of the module, and {keys} is not set"],
            remedy=f"if callers hand one to each run, {declare_deps(cls)}; if it is settings, set "
            "them",
        )


class DepsTypes:
    """Tells what is handed to a run from what is wired."""

    def __init__(self, wiring: Wiring, *, services: Collection[Any], sections: Sections) -> None:
        self._declared, self._is_complete = wiring.deps, wiring.declares_all_deps
        self._services, self._sections = services, sections
        for each in self._declared:
            if not isinstance(each, type) or each is Any or self._is_arcs(each):
                raise ConfigurationError(
                    f"{each!r} cannot be the type of deps",
                    evidence=["it has to be a class, and none that Arc wires"],
                    remedy="write Application(deps=CurrentUser), with a class of your own",
                )

    def asked_by(self, annotation: Any, owner: Candidate, *, in_run: bool = False) -> DepsOf | None:
        """Return what a parameter asks of the deps; None if it asks for something else."""
        cls, is_optional, is_named = _class_in(annotation)
        if cls is None or is_named:
            return None
        is_asked = self._is_declared(cls)
        if not is_asked and not self._is_complete:
            is_of_run = in_run or owner.scope is Scope.RUN
            is_in_code = owner.origin.plugin is None
            is_asked = is_of_run and is_in_code and self._holds_values(cls)
        if not is_asked:
            return None
        otherwise = parse_annotation(cls, self._services) if cls in self._services else None
        return DepsOf(cls, is_optional, otherwise)

    def is_wired(self, wanted: object) -> bool:
        """Return True for a type of components or settings, which deps do not replace."""
        is_known = wanted in self._services or wanted in self._sections.own_classes
        return is_known and wanted not in self._declared

    def find_wired(self, deps: object) -> type | None:
        """The type of deps, or the base of it, that is a component; None if there is none."""
        types = (cls for each in handed_values(deps) for cls in type(each).__mro__)
        return next(filter(self.is_wired, types), None)

    def _is_arcs(self, cls: type) -> bool:
        if cls is object or declared_place(cls) is not None or self._sections.has(cls):
            return True
        what = parse_annotation(cls, self._services)
        return not isinstance(what, SectionOf | OneComponent | None)

    def _is_declared(self, cls: type) -> bool:
        if cls in self._services:
            return cls in self._declared
        return cls is not object and any(cls in each.__mro__ for each in self._declared)

    def _holds_values(self, cls: type) -> bool:
        if self._sections.has(cls) or cls is BaseModel:
            return False
        what = parse_annotation(cls, self._services)
        if what is None and declared_place(cls) is None:
            is_named_tuple = issubclass(cls, tuple) and hasattr(cls, "_fields")
            return is_named_tuple or hasattr(cls, "__attrs_attrs__")
        return isinstance(what, SectionOf)


def _class_in(annotation: Any) -> tuple[type | None, bool, bool]:
    """The class that an annotation asks for, whether None will do, and whether it has a name."""
    asked, is_optional = unwrap_optional(annotation)
    if get_origin(asked) is not Annotated:
        return (asked if inspect.isclass(asked) else None), is_optional, False
    inner, *marks = get_args(asked)
    cls, is_inner_optional, is_named = _class_in(inner)
    is_named = is_named or any(isinstance(each, Named) for each in marks)
    return cls, is_optional or is_inner_optional, is_named


class Plans:
    """Reads the needs of candidates, and tells in which scope each of them is made."""

    def __init__(
        self,
        wiring: Wiring,
        overrides: ContainerOverrides,
        *,
        services: Collection[Any],
        deps: DepsTypes,
    ) -> None:
        self._wiring, self._overrides = wiring, overrides
        self._services, self.deps = services, deps
        self._known: dict[Candidate, Plan] = {}

    def get(self, candidate: Candidate) -> Plan:
        """Return the plan of a candidate; read once, since that takes long."""
        if candidate not in self._known:
            self._known[candidate] = self._read(candidate)
        return self._known[candidate]

    def _read(self, candidate: Candidate) -> Plan:
        factory: Any = self._wiring.get_component(candidate)
        if is_built(factory, candidate.place.interface):
            return Plan(candidate, factory, is_instance=True)
        needs = read_needs(
            factory,
            owner=candidate.owner,
            services=self._services,
            wrapped=candidate.place.asked_as if candidate.is_wrapper else None,
            deps=partial(self.deps.asked_by, owner=candidate),
        )
        return Plan(candidate, factory, needs, is_function=is_maker(factory))

    def parse(self, annotation: Any, owner: Candidate) -> What | None:
        """Return what an annotation asks for in a run; None for anything that Arc does not have."""
        deps = self.deps.asked_by(annotation, owner, in_run=True)
        return deps or parse_annotation(annotation, self._services)

    def find(self, one: OneComponent) -> Candidate | None:
        """Return the winner of a slot, or what is offered for it under a name."""
        if one.name is not None:
            offers = self._wiring.offers(one.place)
            return next((each for each in offers if each.name == one.name), None)
        decision = self._wiring.decisions.get(one.place.name)
        return None if decision is None else decision.winner

    def is_winner(self, candidate: Candidate) -> bool:
        """Return True for a candidate that fills its slot."""
        return self._wiring.decisions[candidate.place.name].winner is candidate

    def find_in_run(self, one: OneComponent) -> Candidate | None:
        """Return what a run makes for itself; None for a component of the application."""
        candidate = self.find(one)
        if candidate is None or candidate.scope is Scope.APPLICATION:
            return None
        is_overridden = self._overrides.of(one.place.name) is not None
        return None if is_overridden and self.is_winner(candidate) else candidate

    def get_lifetime(self, one: OneComponent) -> Scope:
        """Return how long a component lives; what overrides it lives as long as the application."""
        candidate = self.find_in_run(one)
        return Scope.APPLICATION if candidate is None else candidate.scope

    def find_named(self, what: ComponentsByName) -> tuple[Candidate, ...]:
        """Return what could fill a slot and is asked for, its winner first."""
        usable = self._wiring.usable(what.place)
        return tuple(each for each in usable if each.entry is not None or not what.is_listed)

    def list_wrappers(self, place: ExtensionPoint) -> Iterator[Candidate]:
        """Return what wraps the components of a place, the innermost first."""
        return reversed(self._wiring.decisions[place.name].wrappers)

    def get_label(self, candidate: Candidate) -> str:
        """Return how the path calls a candidate: its place, with its name if another fills that."""
        name = candidate.place.name
        return name if self.is_winner(candidate) else f"{name} {candidate.name!r}"


def find_needed_deps(need: Need) -> Iterator[type]:
    """Return the types of which a run must be handed a value, for a parameter to be filled."""
    match need.what:
        case DepsOf() as deps:
            if not (deps.is_optional or need.has_default or deps.otherwise is not None):
                yield deps.cls
        case Plan() as plan:
            for each in (plan, *plan.wrappers):
                yield from _find_in(each.needs)
        case Group(_, needs):
            yield from _find_in(needs)


def _find_in(needs: Iterable[Need]) -> Iterator[type]:
    for each in needs:
        yield from find_needed_deps(each)
