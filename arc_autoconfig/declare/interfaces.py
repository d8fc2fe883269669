"""Declare: which interfaces there are to wire, Arc's own and those that packages bring."""

from collections.abc import Collection, Iterable, Iterator
from importlib import import_module
from types import ModuleType

from arc_autoconfig.declare.candidates import Candidate, Reference
from arc_autoconfig.errors import PluginError
from arc_autoconfig.installed import DECORATORS_GROUP, INTERFACES_GROUP, NOT_WIRED
from arc_core.components.extension_points import ExtensionPoint, Slot, declared_place

# fmt: off
RESERVED_NAMES = frozenset({
    "apply_container_providers_overridings", "assign_parent", "builder", "check_dependencies",
    "declarative_parent", "dependencies", "exclude", "from_json_schema", "from_schema",
    "from_yaml_schema", "init_resources", "is_auto_wiring_enabled", "load_config", "of",
    "overridden", "override", "override_providers", "parent", "parent_name", "provider_type",
    "providers", "reset_last_overriding", "reset_override", "reset_singletons",
    "resolve_provider_name", "set_provider", "set_providers", "settings", "shutdown_resources",
    "traverse", "unwire", "wire", "wired_to_modules", "wired_to_packages", "wiring_config",
})
# fmt: on
"""The names that mean something else in the container, or in the section `components`."""

_RESERVED_GROUPS = NOT_WIRED | {DECORATORS_GROUP, INTERFACES_GROUP}


def declared_in(text: str) -> tuple[ExtensionPoint, ...]:
    """Import an interface, or a module of interfaces of its own, and return what is declared."""
    found = Reference.parse(text).load() if ":" in text else import_module(text)
    interfaces = _own_classes(found) if isinstance(found, ModuleType) else [found]
    places = {place: place.name for each in interfaces if (place := declared_place(each))}
    if not places:
        raise PluginError(
            f"{text} declares no interface",
            remedy="decorate the interface with @slot(name, group=…) or @contribution(name, …)",
        )
    return tuple(sorted(places, key=lambda place: place.name))


def _own_classes(module: ModuleType) -> list[type]:
    package = module.__name__.partition(".")[0]
    classes = (each for each in vars(module).values() if isinstance(each, type))
    return [each for each in classes if each.__module__.partition(".")[0] == package]


class KnownPlaces:
    """The places of one application, no two of which share a name or a group."""

    def __init__(self) -> None:
        self._owners: dict[ExtensionPoint, str] = {}
        self._by_name: dict[str, ExtensionPoint] = {}
        self._by_group: dict[str, ExtensionPoint] = {}

    def __iter__(self) -> Iterator[ExtensionPoint]:
        return iter(self._by_name.values())

    def add(self, places: Iterable[ExtensionPoint], *, owner: str = "") -> None:
        """Take places, each once."""
        for place in places:
            self._check(place, owner)
            if self._by_name.setdefault(place.name, place) is place:
                self._owners[place] = owner
            if place.group is not None:
                self._by_group[place.group] = place

    def without(self, owners: Collection[str]) -> "KnownPlaces":
        """The places that others declare."""
        kept = KnownPlaces()
        for place, owner in self._owners.items():
            if owner not in owners:
                kept.add([place], owner=owner)
        return kept

    def _check(self, place: ExtensionPoint, owner: str) -> None:
        if place.name in RESERVED_NAMES or place.group in _RESERVED_GROUPS:
            raise _reserved_error(place, owner)
        for other in (self._by_name.get(place.name), self._by_group.get(place.group or "")):
            if other is not None and other.interface is not place.interface:
                known = _describe(other, self._owners[other])
                raise _clash_error(place, other, evidence=[known, _describe(place, owner)])


def all_places(
    declared: Iterable[ExtensionPoint], candidates: Iterable[Candidate]
) -> tuple[ExtensionPoint, ...]:
    """The places of one application: slots first, then contributions, then services."""
    known = KnownPlaces()
    known.add(declared)
    for candidate in candidates:
        known.add([candidate.place], owner=str(candidate.origin))
    return tuple(sorted(known, key=_rank))


def _rank(place: ExtensionPoint) -> tuple[int, str]:
    if isinstance(place, Slot):
        return (2 if place.is_service else 0), place.name
    return 1, place.name


def _reserved_error(place: ExtensionPoint, owner: str) -> PluginError:
    is_name = place.name in RESERVED_NAMES
    what = f"the name {place.name!r}" if is_name else f"the group {place.group}"
    return PluginError(
        f"an interface cannot be declared with {what}",
        evidence=[_describe(place, owner), "Arc itself uses it for something else"],
        remedy=f"give it another {'name' if is_name else 'group'}",
    )


def _clash_error(
    place: ExtensionPoint, other: ExtensionPoint, *, evidence: list[str]
) -> PluginError:
    is_name = place.name == other.name
    what = f"name {place.name!r}" if is_name else f"group {place.group}"
    return PluginError(
        f"two interfaces are declared with the {what}",
        evidence=evidence,
        remedy="give one of them another name and group, uninstall one of the packages, "
        "or leave out the plugin that brings it by plugins.disabled",
    )


def _describe(place: ExtensionPoint, owner: str) -> str:
    interface = place.interface
    named = f"{interface.__module__}.{interface.__qualname__}"
    where = f", of {owner}" if owner else ""
    return f"{named}: {place.name}, group {place.group}{where}"
