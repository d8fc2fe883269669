"""Candidates: the components that could be wired, as the registry makes them."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import Self

from arc_autoconfig.installed import qualify
from arc_core.components.extension_points import ExtensionPoint
from arc_core.components.registration import Lifecycle, Scope, Verb
from arc_core.conditions import Condition


class Source(StrEnum):
    """The ways in for a candidate; for a slot, an earlier one wins against a later one."""

    OVERRIDE = "override"
    """An override of the container's provider, or a subclass that redefines it."""

    CODE = "code"
    """`Application(register=[…])`."""

    SETTINGS = "settings"
    """A table of the settings: `[agents.<name>]`."""

    PLUGIN = "plugin"
    """An installed plugin, or code named by `plugins.load`."""

    DEFAULT = "default"
    """Arc's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The origin of a candidate."""

    source: Source
    plugin: str | None = None
    group: str = ""
    distribution: str | None = None
    version: str | None = None
    place: str = ""

    def is_named_by(self, plugins: Collection[str]) -> bool:
        """Return True if a list of plugins in the settings means the plugin that brought it."""
        name = self.plugin
        return name is not None and bool({name, qualify(name, self.group)} & set(plugins))

    def __str__(self) -> str:
        if self.distribution is not None:
            return f"{self.distribution} {self.version}"
        if self.plugin is not None:
            return f"plugins.load {self.plugin}"
        if self.source is Source.SETTINGS:
            return f"settings, {self.place}"
        if self.source is Source.OVERRIDE:
            return "container override"
        return "registered in code"


@dataclass(frozen=True, slots=True)
class Reference:
    """The place of a component as text; nothing is imported before `load`."""

    module: str
    attribute: str

    @classmethod
    def parse(cls, text: str) -> "Reference":
        """Read `package.module:attribute`."""
        module, colon, attribute = (part.strip() for part in text.partition(":"))
        parts = (*module.split("."), *attribute.split("."))
        if not colon or not all(part.isidentifier() for part in parts):
            msg = f"{text!r} is not of the form package.module:attribute"
            raise ValueError(msg)
        return cls(module, attribute)

    def load(self) -> object:
        """Import the module and fetch the attribute; raises whatever that raises."""
        found: object = import_module(self.module)
        for part in self.attribute.split("."):
            found = getattr(found, part)
        return found

    def __str__(self) -> str:
        return f"{self.module}:{self.attribute}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of a table of the settings that lists components of a slot."""

    setting: str
    name: str
    maker: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidate:
    """One component that is offered for one place.

    Attributes:
        place: The slot or contribution it is offered for.
        name: How settings and the report call it.
        component: An instance, a class, another callable that makes one, or a `Reference` to one of
            these.
        origin: Who offers it.
        condition: When it takes part; None is always.
        primary: Whether it wins against other candidates of the same source.
        before: Names of contributions that come after it.
        after: Names of contributions that come before it.
        replaces: The name of a contribution that is left out for it.
        scope: How long it lives.
        lifecycle: How it is started, checked and closed, if it does not say so itself.
        verb: Whether it is offered for its place, or wraps the components there.
        order: Of those that wrap; lower is further out.
        entry: The entry of the settings that it is made for; None for anything else.
    """

    place: ExtensionPoint
    name: str
    component: object
    origin: Origin
    condition: Condition | None = None
    primary: bool = False
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    replaces: str | None = None
    scope: Scope = Scope.APPLICATION
    lifecycle: Lifecycle | None = None
    verb: Verb = Verb.OFFER
    order: int = 100
    entry: Entry | None = None

    @classmethod
    def of_override(cls, place: ExtensionPoint, component: object) -> Self:
        """Return what the user has put into a place in the container, or a member of it."""
        origin = Origin(source=Source.OVERRIDE)
        return cls(place=place, name=get_name(component), component=component, origin=origin)

    @property
    def is_wrapper(self) -> bool:
        """Return True if it wraps the components of its place."""
        return self.verb is Verb.DECORATE

    @property
    def owner(self) -> str:
        """The component as an error names it."""
        return f"{self.place.name}: {self}"

    @property
    def reference(self) -> str:
        """The place of the component's code, `package.module:attribute`."""
        if isinstance(self.component, Reference):
            return str(self.component)
        is_named = hasattr(self.component, "__qualname__")
        named = self.component if is_named else type(self.component)
        return f"{named.__module__}:{getattr(named, '__qualname__', '?')}"

    def __str__(self) -> str:
        return f"{self.name} ({self.origin})"


def get_name(component: object) -> str:
    """Return the name of a component that was given none: a tool's name, else that of its class."""
    if isinstance(component, Reference):
        return component.attribute.rpartition(".")[2]
    for attribute in ("name", "__name__"):
        name = getattr(component, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(component).__name__
