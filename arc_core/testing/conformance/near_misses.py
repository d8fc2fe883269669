"""Methods that nothing calls, since their names are nearly those of an interface."""

import inspect
from difflib import get_close_matches

__all__ = ["check_names"]

_ALIKE = 0.75


def check_names(component: object, interface: type) -> None:
    """Fail for a method that was meant to be one of the interface's, and is not.

    Args:
        component: Its methods may have any names, but for those that are nearly the name of a
            method of the interface that the component does not have itself.
        interface: What it is to be.

    Raises:
        AssertionError: It has such a method; the name that was meant is in the text.
    """
    own = _own_methods(type(component), interface)
    lacking = [name for name in _methods(interface) if name not in own]
    plain = {name.replace("_", ""): name for name in lacking}
    for name in own - set(_methods(interface)):
        meant = get_close_matches(name.replace("_", ""), plain, n=1, cutoff=_ALIKE)
        assert not meant, (
            f"{type(component).__name__}.{name} is never called: "
            f"the method of {interface.__name__} is {plain[meant[0]]}"
        )


def _methods(interface: type) -> list[str]:
    members = vars(interface).items()
    return [name for name, value in members if inspect.isfunction(value) and name[0] != "_"]


def _own_methods(cls: type, interface: type) -> set[str]:
    """The public methods that a class has from itself and its bases, without the interface's."""
    bases = [base for base in cls.__mro__ if base not in interface.__mro__]
    members = ((name, value) for base in bases for name, value in vars(base).items())
    return {name for name, value in members if inspect.isfunction(value) and name[0] != "_"}
