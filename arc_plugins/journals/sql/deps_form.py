"""The JSON form of what a caller hands to a run: an object of a class that can be found again."""

import json
from dataclasses import is_dataclass
from importlib import import_module
from operator import attrgetter
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from arc_core.errors import FormError

__all__ = ["read_deps", "write_deps"]

_PLACE = "$.deps"
_REMEDY = (
    "hand over a pydantic model or a dataclass that stands at the top of a module, "
    "with fields that JSON carries"
)


def write_deps(deps: object) -> str | None:
    """The text of a value; None for none.

    Raises:
        FormError: The value has no JSON form.
    """
    if deps is None:
        return None
    if type(deps) is tuple:  # several values
        return f"[{','.join(str(write_deps(each)) for each in deps)}]"
    cls = type(deps)
    path = f"{cls.__module__}:{cls.__qualname__}"
    if not _has_form(cls) or "<" in path:
        raise FormError(f"{cls.__name__} has no JSON form", place=_PLACE, remedy=_REMEDY)
    try:
        value = TypeAdapter(cls).dump_json(deps).decode()
    except (PydanticSerializationError, ValueError, TypeError):
        raise FormError(
            f"a field of {cls.__name__} has no JSON form", place=_PLACE, remedy=_REMEDY
        ) from None
    text = f'{{"class":{json.dumps(path)},"value":{value}}}'
    if read_deps(text) != deps:
        raise FormError(
            f"{cls.__name__} is another value when it is read back", place=_PLACE, remedy=_REMEDY
        )
    return text


def read_deps(text: str | None) -> Any:
    """The value of a text that `write_deps` has made.

    Raises:
        FormError: Its class is not there, or takes other fields.
    """
    if text is None:
        return None
    found = json.loads(text)
    if isinstance(found, list):
        return tuple(read_deps(json.dumps(each)) for each in found)
    module, _, name = str(found["class"]).partition(":")
    problem = f"{module}:{name} cannot be read"
    try:
        cls = attrgetter(name)(import_module(module))
        if not isinstance(cls, type) or not _has_form(cls):
            raise FormError(problem, place=_PLACE, remedy=_REMEDY)
        return TypeAdapter(cls).validate_json(json.dumps(found["value"]))
    except (ImportError, AttributeError, ValidationError):
        raise FormError(
            problem, place=_PLACE, remedy="run it with the version of your code that submitted it"
        ) from None


def _has_form(cls: type) -> bool:
    return issubclass(cls, BaseModel) or is_dataclass(cls)
