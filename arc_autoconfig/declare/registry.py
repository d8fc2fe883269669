"""Declare: collects what one plugin, or one application's code, offers."""

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from arc_autoconfig.declare.candidates import Candidate, Origin, Reference, get_name
from arc_autoconfig.declare.component_fit import find_offer_problem, is_instance
from arc_autoconfig.errors import ComponentError, WiringFrozenError
from arc_autoconfig.installed import get_required_package
from arc_autoconfig.settings.keys import split_key
from arc_autoconfig.settings.model import KnownSettings
from arc_core.components.extension_points import (
    Contribution,
    ExtensionPoint,
    Slot,
    can_be_service,
    get_place,
)
from arc_core.components.registration import Lifecycle, Scope, ScopeName, Verb
from arc_core.components.text_lists import check_list
from arc_core.conditions import (
    AllOf,
    AnyOf,
    Condition,
    Not,
    OnComponent,
    OnEnv,
    OnMissing,
    OnPackage,
    OnProfile,
    OnSetting,
    OnWinner,
)
from arc_core.text.names import with_article

_KNOWN = {
    AllOf, AnyOf, Not, OnComponent, OnEnv, OnMissing, OnPackage, OnProfile, OnSetting, OnWinner,
}  # fmt: skip
_PLAIN = (str, int, float, Enum, Path, type(None))


def find_condition_problem(condition: Condition | None, known: KnownSettings) -> str | None:
    """Why a condition can never be judged, in words for people; None if it can."""
    if condition is None:
        return None
    if type(condition) not in _KNOWN:
        return f"{condition!r} is not a condition: compose those of arc_core.conditions"
    problem = None
    match condition:
        case OnEnv(text) | OnPackage(text) | OnProfile(text) | OnSetting(text) if not _is_text(
            text
        ):
            problem = f"{text!r} is not a text"
        case AllOf(parts) | AnyOf(parts):
            problems = (find_condition_problem(part, known) for part in parts)
            problem = next(filter(None, problems), None)
        case Not(part):
            problem = find_condition_problem(part, known)
        case OnSetting(path, values):
            problem = _find_setting_problem(path, known) or _find_values_problem(path, values)
        case OnPackage(text):
            problem = _find_requirement_problem(text)
        case OnMissing() | OnComponent() | OnWinner():
            problem = _find_interface_problem(condition)
    return problem


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _find_setting_problem(path: str, known: KnownSettings) -> str | None:
    unknown = known.unknown_part(split_key(path))
    if unknown is None:
        return None
    return f"there is no setting {path}" + (f", write {unknown[1]}" if unknown[1] else "")


def _find_values_problem(path: str, values: tuple[object, ...]) -> str | None:
    """Anything but a plain value would run foreign code when it is compared."""
    foreign = [each for each in values if not isinstance(each, _PLAIN)]
    if not foreign:
        return None
    kind = type(foreign[0]).__qualname__
    return f"{path} is compared with a {kind}, and settings are texts, numbers and the like"


def _find_requirement_problem(text: str) -> str | None:
    try:
        get_required_package(text)
    except ValueError:
        return f"{text!r} is not a requirement: write it as in pyproject.toml, for example redis>=5"
    return None


def _find_interface_problem(condition: OnMissing | OnComponent | OnWinner) -> str | None:
    interface: object = condition.interface  # said by a plugin: it may be anything
    place = get_place(interface) if can_be_service(interface) else None
    if place is None or (isinstance(condition, OnWinner) and not isinstance(place, Slot)):
        return f"{condition.interface!r} is not an interface that this condition can ask about"
    return None


class CandidateRegistry:
    """The `Registry` that Arc hands out, one per plugin; throwing it away is the roll-back."""

    def __init__(self, origin: Origin, known: KnownSettings | None = None) -> None:
        self.candidates: list[Candidate] = []
        self.deps: list[type] = []
        self.fails_closed = False
        self.origin = origin
        self._known = known or KnownSettings()
        self._is_closed = False

    def announce(self, interface: object) -> None:
        """Note that a component of an interface is to come, since what comes first may fail."""
        if can_be_service(interface) and get_place(interface).fails_closed:
            self.fails_closed = True

    def close(self) -> None:
        """Refuse everything from now on: it would come too late to be decided about."""
        self._is_closed = True

    def contribute(
        self,
        interface: type,
        component: object,
        *,
        name: str | None = None,
        before: Sequence[str] = (),
        after: Sequence[str] = (),
        replaces: str | None = None,
        condition: Condition | None = None,
    ) -> None:
        """Add a component to the many of an interface; see `arc_core.Registry`."""
        place = self._place(interface, "contribute")
        self.announce(interface)
        if not isinstance(place, Contribution):
            raise self._no_place(interface, "contribute")
        for option, names in (("before", before), ("after", after)):
            what = f"{self.origin}: `{option}` of {name or get_name(component)}"
            check_list(names, what=what)
        order = {"before": tuple(before), "after": tuple(after), "replaces": replaces}
        self._add(place, component, name=name, condition=condition, **order)

    def provide(
        self,
        interface: type,
        component: object,
        *,
        name: str | None = None,
        primary: bool = False,
        scope: ScopeName = "application",
        condition: Condition | None = None,
        lifecycle: Lifecycle | None = None,
    ) -> None:
        """Offer the one component of a slot, or of a type; see `arc_core.Registry`."""
        place = self._place(interface, "provide")
        if not isinstance(place, Slot):
            raise self._no_place(interface, "provide")
        lives = self._scope(interface, scope)
        options = {"primary": primary, "scope": lives, "lifecycle": lifecycle}
        self._add(place, component, name=name, condition=condition, **options)

    def decorate(
        self,
        interface: type,
        component: object,
        *,
        name: str | None = None,
        order: int = 100,
        condition: Condition | None = None,
    ) -> None:
        """Wrap each component of an interface; see `arc_core.Registry`."""
        place = self._place(interface, "decorate")
        if is_instance(component, place.interface):
            wrapped = place.interface.__name__
            named = f"{name or get_name(component)} is an instance"
            raise ComponentError(
                f"{self.origin}: {named}, and cannot wrap {with_article(wrapped)}",
                evidence=["it was made before what it should wrap, and would take its place"],
                remedy="offer its class, or a function that makes it, which has one parameter of "
                f"the type {wrapped}",
            )
        wraps = {"verb": Verb.DECORATE, "order": order}
        self._add(place, component, name=name, condition=condition, **wraps)

    def declare_deps(self, cls: type) -> None:
        """Note that callers hand values of a class to runs; see `run_deps`."""
        self._place(cls, "declare_deps")
        self.deps.append(cls)

    def _add(
        self,
        place: ExtensionPoint,
        component: object,
        *,
        name: str | None,
        condition: Condition | None,
        **options: Any,
    ) -> None:
        component = self._check_component(place.interface, component, condition)
        candidate = Candidate(
            place=place,
            name=name or get_name(component),
            component=component,
            origin=self.origin,
            condition=condition,
            **options,
        )
        self.candidates.append(candidate)

    def _place(self, interface: object, verb: str) -> ExtensionPoint:
        if self._is_closed:
            name = getattr(interface, "__name__", repr(interface))
            raise WiringFrozenError(
                f"{self.origin}: {with_article(name)} was registered too late to take part",
                evidence=["its registry was kept and used after arc_register had returned"],
                remedy="call contribute, provide and decorate inside arc_register",
            )
        if not can_be_service(interface):
            raise ComponentError(
                f"{self.origin}: {interface!r} cannot be used with {verb}",
                evidence=["it is not a class"],
                remedy="name the class of the interface or of the service",
            )
        return get_place(interface)

    def _check_component(
        self, interface: type, component: object, condition: Condition | None
    ) -> object:
        problem = find_condition_problem(condition, self._known)
        if problem is not None:
            raise ComponentError(
                f"{self.origin}: {with_article(interface.__name__)} has an impossible condition",
                evidence=[problem],
                remedy="correct the condition where the component is registered",
            )
        if isinstance(component, str):
            try:
                component = Reference.parse(component)
            except ValueError as error:
                raise self._misfit_error(interface, str(error)) from None
        if isinstance(component, Reference):
            return component
        problem = find_offer_problem(component, interface)
        if problem is not None:
            raise self._misfit_error(interface, problem)
        return component

    def _scope(self, interface: type, scope: str) -> Scope:
        try:
            return Scope(scope)
        except ValueError:
            raise ComponentError(
                f"{self.origin}: {with_article(interface.__name__)} has the scope {scope!r}",
                evidence=[f"scopes are {', '.join(Scope)}"],
                remedy="write scope='run' for one per run, or leave scope out",
            ) from None

    def _misfit_error(self, interface: type, problem: str) -> ComponentError:
        return ComponentError(
            f"{self.origin}: a component offered as {interface.__name__} cannot be used as one",
            evidence=[problem],
            remedy=f"write what {interface.__name__} demands, or name the right interface",
        )

    def _no_place(self, interface: type, verb: str) -> ComponentError:
        other = "provide" if verb == "contribute" else "contribute"
        place = get_place(interface)
        is_service = place.is_service
        kind = "does not declare a contribution" if is_service else f"is declared as {place.name}"
        takes = "many components work together" if verb == "contribute" else "one component is used"
        return ComponentError(
            f"{self.origin}: {interface.__name__} cannot be used with {verb}",
            evidence=[f"{interface.__name__} {kind}", f"{verb} is for interfaces of which {takes}"],
            remedy=f"call {other} for {interface.__name__}"
            + (", or decorate the class with @contribution" if is_service else ""),
        )
