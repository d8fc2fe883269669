"""A registry that remembers what plugins bring."""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

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
        condition: Condition | None = None,
        **_: Any,
    ) -> None:
        """Remember it."""
        self.registrations[name] = Registration(interface, component, name, condition)

    provide = decorate = contribute


def registrations_of(plugin: ModuleType) -> dict[str | None, Registration]:
    """What a plugin brings, by name."""
    registry = RecordingRegistry()
    plugin.arc_register(registry)
    return registry.registrations
