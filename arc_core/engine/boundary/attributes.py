"""Attributes of components by which the engine asks them less, or not at all.

Whatever lets the engine leave a question out is a promise of the code that would answer it. So it
counts only if the class that has this code makes it: one that a subclass inherits, or that a
wrapper borrows from what it wraps, was made for other code.
"""

from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.boundary.policies import Fails, Policy
from arc_core.errors import ConfigurationError

__all__ = ["is_said_beside", "peek_attribute", "read_attribute"]

# Not in the table, which says what a failure means for a run: there is none yet.
_READING = Policy(
    calls=(), fails=Fails.CLOSED, stands_in="no engine is built", logger="engine", event=None
)


_PEEKING = Policy(
    calls=(), fails=Fails.CLOSED, stands_in="", logger="engine", event="an attribute cannot be read"
)
_BOUNDARY = Boundary()


def is_said_beside(component: object, name: str, *, method: str) -> bool:
    """Whether an attribute of a component belongs to the code of one of its methods.

    It does if the class that has the method, or a subclass of that, defines the attribute, and if
    it was set on the instance; not if it is older than the method, or if neither is in a class.

    Args:
        component: Has both.
        name: Of the attribute.
        method: The name of the method.
    """
    try:
        own = object.__getattribute__(component, "__dict__")
    except AttributeError:  # all its attributes have slots
        own = {}
    if method in own:
        return False
    if name in own:
        return True
    for cls in type(component).__mro__:
        if name in vars(cls):
            return True
        if method in vars(cls):
            return False
    return False


def peek_attribute(component: object, name: str, default: object) -> object:
    """An attribute of a component during a run; `Failed` if it raises, which is logged."""
    return _BOUNDARY.call_now(_PEEKING, component, getattr, component, name, default)


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
    value = _BOUNDARY.call_now(_READING, component, lambda: getattr(component, name, default))
    if not isinstance(value, Failed):
        return value
    raise ConfigurationError(
        f"the {kind} {type(component).__name__} cannot tell its {name}",
        evidence=[f"it raises {type(value.error).__name__}"],
        remedy=remedy,
    )
