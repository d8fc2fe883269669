"""A registry that remembers what plugins bring."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from arc_core import Lifecycle
from arc_core.conditions import Condition


@dataclass(frozen=True)
class Registration:
    """One call of the registry."""

    interface: type
    component: object
    name: str | None
    condition: Condition | None

    def imported(self) -> Any:
        """What the component's place, given as text, leads to."""
        module, _, attribute = str(self.component).partition(":")
        return getattr(import_module(module), attribute)


class RecordingRegistry:
    """Remembers every registration, by name."""

    def __init__(self) -> None:
        self.registrations: dict[str | None, Registration] = {}

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
        """Remember it."""
        self.registrations[name] = Registration(interface, component, name, condition)

    def provide(
        self,
        interface: type,
        component: object,
        *,
        name: str | None = None,
        primary: bool = False,
        scope: str = "application",
        condition: Condition | None = None,
        lifecycle: Lifecycle | None = None,
    ) -> None:
        """Remember it."""
        self.registrations[name] = Registration(interface, component, name, condition)

    def decorate(
        self,
        interface: type,
        component: object,
        *,
        name: str | None = None,
        order: int = 100,
        condition: Condition | None = None,
    ) -> None:
        """Remember it."""
        self.registrations[name] = Registration(interface, component, name, condition)
