"""Every setting with its value and where the value came from; secrets are masked."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from enum import Enum
from typing import Any

from pydantic import BaseModel, RootModel, SecretBytes, SecretStr
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from typing_extensions import override

from arc_autoconfig.settings.inputs.files import PROFILES
from arc_autoconfig.settings.keys import field_at, split_key
from arc_autoconfig.settings.model import ArcSettings
from arc_autoconfig.settings.sources import list_files
from arc_core.settings.sections import Hidden, find_mark
from arc_core.text.addresses import ADDRESS_MASK, mask_addresses

MASK = ADDRESS_MASK
"""Stands for a secret that is set."""

UNREAD = "(set, and read by no component)"
"""Stands for a value of which nothing says whether it is a secret."""

UNCHECKED = "(set, and its plugin is not loaded)"
"""Stands for a value of a section that is not loaded."""

_TABLES = "plugins.settings"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its dotted key, its value, ready for JSON and masked, and where that came from.

    Of lists of tables the key is `schedules[0].cron`.
    """

    key: str
    value: Any
    origin: str


def config_view(settings: ArcSettings, sections: Mapping[str, object]) -> dict[str, Any]:
    """The settings with their origins, secrets masked, and the files that were looked for."""
    sources = settings.sources
    return {
        "files": [asdict(each) for each in list_files(sources)],
        "profiles": list(sources.profiles),
        "settings": [asdict(each) for each in list_settings(settings, sections)],
    }


def list_settings(settings: ArcSettings, sections: Mapping[str, object]) -> tuple[Setting, ...]:
    """All settings in order; of a plugin's table that nothing has read, values may be secrets."""
    missing = {each.head for each in settings.brought if each.model is None}
    rows: list[Setting] = []
    for key, value in _leaves("", settings):
        if key.startswith(_TABLES):
            continue
        path = split_key(key)
        is_known = path[0] not in missing or field_at(type(settings), path) is not None
        rows.append(_setting(settings, key, value if is_known else UNCHECKED))
    for name in sorted({*settings.plugins.settings, *sections}):
        rows += _plugins_own(settings, name, sections.get(name))
    return tuple(rows)


def _setting(settings: ArcSettings, key: str, value: Any) -> Setting:
    dotted = key.replace("[", ".").replace("]", "")  # of a list of tables
    written = settings.written_as(dotted)
    is_shown = isinstance(value, list) or value not in (MASK, UNCHECKED, UNREAD)
    is_text = isinstance(value, str | list) and is_shown
    return Setting(
        key, written if is_text and written is not None else value, _origin(settings, dotted)
    )


def _plugins_own(settings: ArcSettings, name: str, section: object) -> Iterator[Setting]:
    prefix, table = f"{_TABLES}.{name}", settings.plugins.settings.get(name, {})
    if section is None:
        for key in table:
            yield Setting(f"{prefix}.{key}", UNREAD, settings.origin_of(f"{prefix}.{key}"))
        return
    spelt = {key.replace("-", "_"): key for key in table}
    for key, value in _leaves("", section):
        first, dot, rest = key.partition(".")
        written = f"{prefix}.{spelt.get(first, first)}{dot}{rest}"
        yield _setting(settings, written, value)


def _leaves(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    members = _members(value)
    if not members:
        yield prefix, _show_value(value.root if isinstance(value, RootModel) else value)
    is_list = isinstance(value, RootModel)
    for name, member in members.items():
        inner = f"{prefix}[{name}]" if is_list else f"{prefix}.{name}" if prefix else name
        yield from _leaves(inner, member)


def _members(value: Any) -> Mapping[str, Any]:
    if isinstance(value, RootModel):
        return {str(number): each for number, each in enumerate(value.root)}
    if isinstance(value, BaseModel):
        fields_of = type(value).model_fields.items()
        known = {name: _unless_hidden(getattr(value, name), field) for name, field in fields_of}
        return {**known, **(value.model_extra or {})}
    if is_dataclass(value):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return value if isinstance(value, Mapping) else {}


def _unless_hidden(value: Any, field: FieldInfo) -> Any:
    """A value, or for one that its section hides a secret that says whether it is set."""
    is_hidden = find_mark(field, Hidden) is not None
    return SecretStr("set" if value else "") if is_hidden else value


def _show_value(value: Any) -> Any:
    visible: Any = str(value)
    match value:
        case SecretStr() | SecretBytes():
            visible = MASK if value.get_secret_value() else ""
        case Enum():
            visible = value.value
        case str():
            visible = mask_addresses(value)
        case list() | tuple() | set() | frozenset():
            visible = [_show_value(each) for each in value]
        case None | bool() | int() | float() | Mapping():
            visible = value
    return visible


def _origin(settings: ArcSettings, key: str) -> str:
    """Of the key, or of the table that it was given with."""
    origin = settings.origin_of(key)
    parent, _, _ = key.rpartition(".")
    is_table_entry = parent == "components" or parent.startswith(f"{_TABLES}.")
    if origin == "default" and is_table_entry:
        return settings.origin_of(key.replace("_", "-"))
    return origin


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
