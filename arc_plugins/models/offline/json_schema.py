"""Finds its way through a JSON Schema that somebody else wrote."""

from collections.abc import Mapping
from typing import Any

__all__ = ["properties_of", "required_of", "resolved", "type_of"]

_MAX_STEPS = 10


def resolved(schema: object, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema behind its references and alternatives: the first that is not null."""
    for _ in range(_MAX_STEPS):
        if not isinstance(schema, Mapping):
            return {}
        following = _next(schema, root)
        if following is None:
            return schema
        schema = following
    return {}


def _next(schema: Mapping[str, Any], root: Mapping[str, Any]) -> object | None:
    if isinstance(schema.get("$ref"), str):
        return _referenced(schema["$ref"], root)
    for key in ("anyOf", "oneOf", "allOf"):
        options = schema.get(key)
        if isinstance(options, list) and options and "type" not in schema:
            return next((option for option in options if not _is_null(option)), {})
    return None


def _is_null(schema: object) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "null"


def _referenced(reference: str, root: Mapping[str, Any]) -> object:
    found: object = root
    for part in reference.removeprefix("#/").split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if found is not None else {}


def type_of(schema: Mapping[str, Any]) -> str:
    """The name of a JSON type, `string` where the schema names none."""
    types = schema.get("type")
    if isinstance(types, list):
        types = next((name for name in types if name != "null"), "null")
    if types is None and "properties" in schema:
        types = "object"
    return types if isinstance(types, str) else "string"


def properties_of(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schemas of an object's fields by name."""
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def required_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """The names of the fields an object must have."""
    required = schema.get("required")
    names = required if isinstance(required, list) else []
    return frozenset(name for name in names if isinstance(name, str))
