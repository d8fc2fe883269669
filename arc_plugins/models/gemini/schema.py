"""The part of JSON Schema that Gemini reads."""

from collections.abc import Mapping, Sequence
from typing import Any

_KEPT = frozenset({
    "description", "enum", "maxItems", "maximum", "minItems", "minimum", "required", "title",
    "type",
})  # fmt: skip
_FORMATS = frozenset({"date", "date-time", "time"})
_DEFINITIONS = ("$defs", "definitions")
_MAX_DEPTH = 100


class SchemaRefusedError(Exception):
    """A keyword that Gemini does not take, and its place: its path by names with dots between."""

    def __init__(self, keyword: str, path: Sequence[str]) -> None:
        super().__init__(keyword)
        self.keyword, self.place = keyword, ".".join(path)


def rewrite_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema in the keywords that Gemini reads.

    `const` becomes `enum`, `oneOf` becomes `anyOf`, `allOf` is merged. What only validates is left
    out, such as patterns: arguments and answers are validated against the whole schema.

    Raises:
        SchemaRefusedError: It refers to what is not in it, forbids every value, or has an `allOf`
            whose parts cannot be merged.
    """
    definitions: dict[str, Any] = {}
    for name in _DEFINITIONS:
        definitions |= schema.get(name) or {}
    rewritten = _Writer(definitions).write(schema, ())
    if definitions:
        rewritten["$defs"] = {
            name: _Writer(definitions).write(each, ("$defs", name))
            for name, each in definitions.items()
        }
    return rewritten


class _Writer:
    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions

    def write(self, schema: object, path: tuple[str, ...]) -> dict[str, Any]:
        if schema is True:
            return {}
        if not isinstance(schema, Mapping) or len(path) > _MAX_DEPTH:
            raise SchemaRefusedError("false" if schema is False else "a schema", path)
        if "$ref" in schema:  # nothing else may stand beside it
            return {"$ref": self._find(schema["$ref"], path)}
        if "allOf" in schema:
            schema = self._merge(schema, path)
        written = {name: value for name, value in schema.items() if name in _KEPT}
        if schema.get("format") in _FORMATS:
            written["format"] = schema["format"]
        if "const" in schema:
            written["enum"] = [schema["const"]]
        if schema.get("nullable") is True and isinstance(written.get("type"), str):
            written["type"] = [written["type"], "null"]
        return written | self._write_parts(schema, path)

    def _write_parts(self, schema: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
        parts: dict[str, Any] = {}
        variants = schema.get("anyOf", schema.get("oneOf"))
        for name, each in (("anyOf", variants), ("prefixItems", schema.get("prefixItems"))):
            if each is not None:
                parts[name] = [self.write(part, (*path, name)) for part in each]
        properties = schema.get("properties")
        if properties is not None:
            parts["properties"] = {
                name: self.write(each, (*path, name)) for name, each in properties.items()
            }
        items = schema.get("items")
        if items is not None and items is not False:
            parts["items"] = self.write(items, (*path, "items"))
        more = schema.get("additionalProperties")
        if more is not None:
            is_given = isinstance(more, bool)
            parts["additionalProperties"] = more if is_given else self.write(more, (*path, "*"))
        return parts

    def _find(self, reference: object, path: tuple[str, ...]) -> str:
        for start in _DEFINITIONS:
            name = str(reference).removeprefix(f"#/{start}/")
            if name in self._definitions:
                return f"#/$defs/{name}"
        if reference == "#":
            return "#"
        raise SchemaRefusedError("$ref", path)

    def _merge(self, schema: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:
        """The schema with the parts of its `allOf` in it."""
        merged = {name: value for name, value in schema.items() if name != "allOf"}
        for each in schema["allOf"]:
            part = each
            if isinstance(each, Mapping) and "$ref" in each:
                name = self._find(each["$ref"], path).removeprefix("#/$defs/")
                part = self._definitions.get(name)
            if not isinstance(part, Mapping) or "allOf" in part or "$ref" in part:
                raise SchemaRefusedError("allOf", path)
            for name, value in part.items():
                merged[name] = _join(merged[name], value, path) if name in merged else value
        return merged


def _join(first: Any, second: Any, path: tuple[str, ...]) -> Any:
    """Return one keyword of two schemas, merged."""
    if first == second:
        return first
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return {**first, **second}
    if isinstance(first, list) and isinstance(second, list):
        return [*first, *(each for each in second if each not in first)]
    if isinstance(first, str) and isinstance(second, str):
        return first
    raise SchemaRefusedError("allOf", path)
