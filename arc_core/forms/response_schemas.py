"""Response schemas: a JSON Schema as it is, a class by its import path and with its JSON Schema.

Of a type that is not a class, such as a list of a class, the JSON Schema is written. A path is not
imported when it is read, since that would run what a text names: the class is taken if its module
is there, else its JSON Schema stands in.
"""

import dataclasses
import sys
from collections.abc import Mapping
from enum import Enum
from typing import Any, is_typeddict

from pydantic import BaseModel

from arc_core.forms.flaws import Flaw
from arc_core.forms.kinds import JSON_OBJECT, TEXT, Kind, describe
from arc_core.output_types import OutputType

__all__ = ["RESPONSE_SCHEMA"]

_CLASS, _JSON_SCHEMA = "class", "json_schema"


def _write(declared: Any) -> dict[str, Any]:
    written: dict[str, Any] = {"type": _JSON_SCHEMA}
    if isinstance(declared, type):
        name = f"{declared.__module__}:{declared.__qualname__}"
        if _find(name) is declared:
            written = {"type": _CLASS, "name": name}
    schema = declared if isinstance(declared, Mapping) else OutputType.of(declared).schema
    try:
        written["schema"] = JSON_OBJECT.write(schema)
    except Flaw as flaw:
        raise flaw.within("schema") from None
    return written


def _read(value: Any) -> object:
    if type(value) is dict:
        match value:
            case {"type": "class", "name": name, "schema": schema, **rest} if not rest:
                written = JSON_OBJECT.read(schema)
                return _find(TEXT.read(name)) or written
            case {"type": "json_schema", "schema": schema, **rest} if not rest:
                return JSON_OBJECT.read(schema)
    raise Flaw(
        f"it is {describe(value)}, and neither a class with name and schema nor a json_schema "
        "with its schema",
        remedy="write it as arc_core.forms.to_json does",
    )


def _find(name: str) -> type | None:
    """The class of an import path, if its module has been imported; runs no code of the module."""
    module, _, path = name.partition(":")
    found: object = sys.modules.get(module)
    for step in path.split("."):
        found = vars(found).get(step) if hasattr(found, "__dict__") else None
    return found if isinstance(found, type) and _describes_answers(found) else None


def _describes_answers(cls: type) -> bool:
    """Say whether a class is of a kind that describes data; any other may run its code."""
    return issubclass(cls, BaseModel | Enum) or dataclasses.is_dataclass(cls) or is_typeddict(cls)


RESPONSE_SCHEMA = Kind(_write, _read)
