"""The JSON Schema of all settings, for editors that complete and check a settings file."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from typing_extensions import override

from arc_autoconfig.settings.inputs.files import PROFILES

_REFERENCE = {"type": "string", "pattern": r"\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^{}]*)?\}"}
"""The placeholder for any value: `"${NAME}"`."""

_ABOUT = ("title", "description", "default")


class _Schema(GenerateJsonSchema):
    """Takes anything for a type of a plugin's that no schema can describe."""

    @override
    def handle_invalid_for_json_schema(self, schema: Any, error_info: str) -> JsonSchemaValue:
        return {}


def settings_schema(settings_class: type[BaseModel]) -> dict[str, Any]:
    """The schema of a settings file, with its profiles."""
    schema = settings_class.model_json_schema(schema_generator=_Schema)
    sections = {name: _open(each) for name, each in schema.pop("$defs", {}).items()}
    profile = _open({**schema, "title": "Profile", "description": "Laid over the file"})
    whole = _open(schema)
    whole["properties"][PROFILES] = {
        "type": "object",
        "description": "Laid over the file while ARC_PROFILE names them",
        "additionalProperties": {"$ref": "#/$defs/Profile"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **whole,
        "title": "Settings of Arc",
        "description": "arc.toml, or the table tool.arc of pyproject.toml",
        "$defs": {**sections, "Profile": profile},
    }


def _open(schema: Mapping[str, Any]) -> dict[str, Any]:
    """An object's schema that takes hyphens in keys, and references as values."""
    if "properties" not in schema and "additionalProperties" not in schema:
        return dict(schema)
    properties = {name: _value(each) for name, each in schema.get("properties", {}).items()}
    hyphenated = {
        f"^{name.replace('_', '[-_]')}$": each for name, each in properties.items() if "_" in name
    }
    others = schema.get("additionalProperties", False)
    return {
        **schema,
        "properties": properties,
        **({"patternProperties": hyphenated} if hyphenated else {}),
        "additionalProperties": _value(others) if isinstance(others, Mapping) else others,
    }


def _value(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A value's schema that takes a reference, too."""
    about = {name: schema[name] for name in _ABOUT if name in schema}
    kind = {name: each for name, each in schema.items() if name not in _ABOUT}
    if kind.get("writeOnly"):
        about.pop("default", None)  # it is a secret, and would be shown as a mask
    if kind == {"type": "string"}:
        return {**about, **kind}
    choices = kind["anyOf"] if set(kind) == {"anyOf"} else [kind]
    return {**about, "anyOf": [*map(_parts, choices), _REFERENCE]}


def _parts(kind: Mapping[str, Any]) -> dict[str, Any]:
    """A list or a table whose members may be references, too."""
    found = _open(kind)
    if isinstance(found.get("items"), Mapping):
        found["items"] = _value(found["items"])
    return found
