"""Attributes of components that are read once, when the engine is built."""

from arc_core.engine.components.boundary import Boundary, Failed
from arc_core.engine.components.policies import Fails, Policy
from arc_core.errors import ConfigurationError

__all__ = ["read_attribute"]

# Not in the table, which says what a failure means for a run: there is none yet.
_READING = Policy(
    calls=(), fails=Fails.CLOSED, stands_in="no engine is built", logger="engine", event=None
)


def read_attribute(
    component: object, name: str, *, kind: str, default: object, remedy: str
) -> object:
    """An attribute of a component that others wrote, whatever it is.

    Args:
        component: Has it; a property may raise.
        name: Of the attribute.
        kind: What the component is, for the error.
        default: If there is none.
        remedy: What the attribute may be.

    Raises:
        ConfigurationError: It raises. What it says stays out of the error, since it may quote
            anything.
    """
    value = Boundary().call_now(_READING, component, lambda: getattr(component, name, default))
    if not isinstance(value, Failed):
        return value
    raise ConfigurationError(
        f"the {kind} {type(component).__name__} cannot tell its {name}",
        evidence=[f"it raises {type(value.error).__name__}"],
        remedy=remedy,
    )
