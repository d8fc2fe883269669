"""The texts of what callers hand to their runs: fields of a pydantic model, with its class."""

import json
from importlib import import_module
from operator import attrgetter
from typing import Any

from pydantic import BaseModel

from arc_core.errors import FormError

__all__ = ["read_deps", "write_deps"]


def write_deps(deps: Any) -> str | None:
    """The text of a pydantic model, with its class; None of None.

    Raises:
        FormError: It is something else.
    """
    if deps is None:
        return None
    if not isinstance(deps, BaseModel):
        problem = f"{type(deps).__name__} has no JSON form"
        raise FormError(problem, place="deps", remedy="hand over a pydantic model")
    cls = type(deps)
    return json.dumps([f"{cls.__module__}:{cls.__qualname__}", deps.model_dump(mode="json")])


def read_deps(text: str | None) -> Any:
    """The value of a text."""
    if text is None:
        return None
    name, fields = json.loads(text)
    module, _, path = name.partition(":")
    return attrgetter(path)(import_module(module)).model_validate(fields)
