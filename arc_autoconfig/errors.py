"""The errors of the wiring; each says what is wrong, where, and what to do.

```
ConfigurationError                (arc_core) a setting, a plugin or the wiring is wrong
├── SettingsError                 a setting is unknown or has a wrong value
├── UnknownNameError              a setting names something that does not exist
├── PluginError                   a plugin cannot be loaded and must not be left out
├── AmbiguousComponentError       two components for one slot, or of one name
├── ConditionCycleError           conditions that depend on each other
├── OrderCycleError               `before` and `after` that contradict each other
├── InjectionError                a constructor parameter that cannot be filled
│   ├── MissingDependencyError    nothing provides what a component needs
│   └── DependencyCycleError      components that need each other
├── ComponentError                a component is of a wrong type, or cannot be built or started
├── WiringFrozenError             an override or registration that came too late
└── ApplicationStateError         an application is used before its start, or started twice
    └── NotOpenError              a component is asked for that only the start can open
```
"""

import importlib
import inspect
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arc_autoconfig.containment import Contained
from arc_core.errors import ApplicationStateError, ConfigurationError
from arc_core.text.names import fold_name, nearest

__all__ = [
    "AmbiguousComponentError",
    "ApplicationStateError",
    "ComponentError",
    "ConditionCycleError",
    "DependencyCycleError",
    "InjectionError",
    "MissingDependencyError",
    "NotOpenError",
    "OrderCycleError",
    "PluginError",
    "SettingsError",
    "UnknownNameError",
    "WiringFrozenError",
    "describe_cause",
    "fold_name",
    "locate_source",
    "nearest",
]

_NOT_FOREIGN = ("<frozen", str(Path(__file__).parent), str(Path(importlib.__file__).parent))
"""The places of frames in a traceback that say nothing about whose fault it is."""


class SettingsError(ConfigurationError):
    """A setting is unknown or has a wrong value. Action: correct it where the error says it is."""


class UnknownNameError(ConfigurationError):
    """A setting names a plugin, a component or a tool that does not exist. Action: correct it."""

    def __init__(
        self, *, setting: str, name: str, known: Sequence[str], left_out: Sequence[str] = ()
    ) -> None:
        listed = ", ".join(sorted(set(known))) or "none"
        close = nearest(name, known)
        remedy = f"write {close!r}" if close else "use a known name, or install what brings it"
        super().__init__(
            f"{setting} names {name!r}, which does not exist",
            evidence=[f"known names: {listed}", *left_out],
            remedy=f"{remedy}, or repair what is left out" if left_out else remedy,
        )


class PluginError(ConfigurationError):
    """A plugin cannot be loaded and must not be left out silently. Action: repair or disable it."""


class AmbiguousComponentError(ConfigurationError):
    """Two components want one slot or share one name. Action: choose one."""


class ConditionCycleError(ConfigurationError):
    """Conditions of two slots depend on each other. Action: remove one of them."""


class OrderCycleError(ConfigurationError):
    """`before` and `after` contradict each other. Action: remove one of them."""


class InjectionError(ConfigurationError):
    """A constructor parameter cannot be filled. Action: annotate it, or give it a default."""


class MissingDependencyError(InjectionError):
    """Nothing provides what a component needs. Action: install or register such a component."""


class DependencyCycleError(InjectionError):
    """Components need each other to be built. Action: break the circle."""


class ComponentError(ConfigurationError):
    """A component is of a wrong type, or cannot be built or started. Action: see its cause."""


class WiringFrozenError(ConfigurationError):
    """An override or registration that came too late to have an effect. Action: do it earlier."""


class NotOpenError(ApplicationStateError):
    """A component is asked for before the start that only the start can open. Action: start."""


def describe_cause(error: BaseException) -> str:
    """An exception in one line: its class, its text, and the foreign file and line that raised it.

    An error that is Arc's own says everything itself.
    """
    place = _foreign_place(error)
    if isinstance(error, ConfigurationError):
        return "; ".join([f"{error.description}{place}", *error.evidence, error.remedy])
    text = ""
    with Contained():  # a foreign exception may fail even at this
        text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}{place}" if text else f"{type(error).__name__}{place}"


def locate_source(component: object) -> str:
    """Return file and line of a class, of a function, or of the class of an instance."""
    code: Any = component if hasattr(component, "__qualname__") else type(component)
    try:
        return f"{inspect.getsourcefile(code)}:{inspect.getsourcelines(code)[1]}"
    except (OSError, TypeError):
        return f"{code.__module__}:{code.__qualname__}"


def _foreign_place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    foreign = [frame for frame in frames if _is_foreign(Path(frame.filename))]
    return f" ({foreign[-1].filename}:{foreign[-1].lineno})" if foreign else ""


def _is_foreign(file: Path) -> bool:
    return not str(file).startswith(_NOT_FOREIGN) and file.parent.name != "pluggy"
