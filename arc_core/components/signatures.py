"""Reads from signatures what components take that were written for an earlier interface."""

import inspect
from collections.abc import Callable


def takes_parameter(function: Callable[..., object], name: str) -> bool:
    """Return if a function can be called with a keyword; not if it does not say what it takes."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(each.name == name or each.kind is each.VAR_KEYWORD for each in parameters)
