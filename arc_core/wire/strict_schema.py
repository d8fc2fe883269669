"""The subset of JSON Schema that vendors enforce while a model writes."""

from collections.abc import Mapping
from typing import Any

_KEPT = ("type", "enum", "const", "description")
_IGNORED = frozenset({
    "default", "deprecated", "discriminator", "examples", "exclusiveMaximum", "exclusiveMinimum",
    "format", "maxItems", "maxLength", "maximum", "minItems", "minLength", "minimum", "multipleOf",
    "pattern", "title", "uniqueItems",
})  # fmt: skip
_TRANSLATED = frozenset(
    {"$defs", "$ref", "additionalProperties", "anyOf", "items", "oneOf", "properties", "required"}
)


class _UnsupportedSchemaError(Exception):
    """Some part of a schema has no counterpart in the subset."""


def strict_schema(schema: Mapping[str, Any], *, all_required: bool) -> dict[str, Any] | None:
    """`schema` in the subset, or None if the subset cannot say it.

    Objects are closed. What only validates (lengths, bounds, patterns) is left out: the answer is
    validated against the whole schema when it is there.

    Args:
        schema: Its root must be an object with properties.
        all_required: Whether every property is made required, as OpenAI demands; an answer that
            names them all satisfies the original too.
    """
    root = _root(schema)
    if root.get("type") != "object":
        return None
    try:
        return _Reader(all_required=all_required).read(root)
    except _UnsupportedSchemaError:
        return None


def _root(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema with its root in place, where a recursive one only refers to it."""
    definitions = schema.get("$defs", {})
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    return {**definitions[name], "$defs": definitions} if name in definitions else schema


class _Reader:
    def __init__(self, *, all_required: bool) -> None:
        self._all_required = all_required

    def read(self, schema: object) -> dict[str, Any]:
        if not isinstance(schema, Mapping) or not schema.keys() <= _KNOWN:
            raise _UnsupportedSchemaError
        if "$ref" in schema:
            if not str(schema["$ref"]).startswith("#/$defs/"):
                raise _UnsupportedSchemaError
            return {"$ref": schema["$ref"]}  # siblings are not allowed beside it
        if _is_free_form(schema):
            raise _UnsupportedSchemaError
        strict = {key: schema[key] for key in _KEPT if key in schema}
        variants = schema.get("anyOf", schema.get("oneOf"))
        if variants is not None:
            strict["anyOf"] = [self.read(variant) for variant in variants]
        if "items" in schema:
            strict["items"] = self.read(schema["items"])
        if schema.get("type") == "object":
            strict |= self._object(schema)
        if "$defs" in schema:
            strict["$defs"] = {name: self.read(part) for name, part in schema["$defs"].items()}
        if not strict.keys() - {"description"}:
            raise _UnsupportedSchemaError
        return strict

    def _object(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        properties = {name: self.read(part) for name, part in schema["properties"].items()}
        required = list(properties) if self._all_required else list(schema.get("required", ()))
        return {"properties": properties, "required": required, "additionalProperties": False}


def _is_free_form(schema: Mapping[str, Any]) -> bool:
    match schema.get("type"):
        case "object":
            is_open = schema.get("additionalProperties", False) is not False
            return is_open or not schema.get("properties")
        case "array":
            return "items" not in schema
        case list(types):
            return "object" in types or "array" in types
        case _:
            return "properties" in schema or "items" in schema


_KNOWN = frozenset(_KEPT) | _IGNORED | _TRANSLATED
