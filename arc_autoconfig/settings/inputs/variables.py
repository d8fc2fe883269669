"""Settings given as text: variables, the `.env` file, the command line; references in files."""

import io
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, get_args, get_origin

from dotenv import dotenv_values
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings.inputs.folder import DOT_ENV, SettingsFolder
from arc_autoconfig.settings.inputs.layers import Layer, cover
from arc_autoconfig.settings.keys import key_without_levels, kind_at, split_key, unknown_part
from arc_core.log import get_logger

PREFIX = "ARC_"
DELIMITER = "__"

TRUST_VARIABLE = "ARC_TRUST"
"""Says on the command line that the working directory is trusted."""

CONFIG_VARIABLE = "ARC_CONFIG"
"""Names the settings file."""

PROFILE_VARIABLE = "ARC_PROFILE"
"""Names the active profiles, with commas between them."""

_RESERVED = ("ARC_TEST_", "ARC_BENCH_", "ARC_RECORDED_STREAMS", "ARC_PYTHON", TRUST_VARIABLE)
"""Variables that are not settings: for tests and benchmarks of Arc itself, and for trust."""

_ABOUT_FILES = frozenset({CONFIG_VARIABLE, PROFILE_VARIABLE})

_REDIRECTS = re.compile(r"_(BASE_URL|API_BASE|ENDPOINT|PROXY)$", re.IGNORECASE)

logger = get_logger("settings")

SettingsClass = type[BaseModel]


def environment(settings_class: SettingsClass) -> Layer:
    """The `ARC_…` variables of the process; blank ones say nothing."""
    place = lambda key: f"environment variable {_variable(key)}"  # noqa: E731
    return _layer(settings_class, os.environ, place)


def dot_env(settings_class: SettingsClass, folder: SettingsFolder) -> Layer:
    """The `ARC_…` lines of the folder's `.env`; for its other lines see `export_keys`."""
    written = {name.upper(): value for name, value in lines_of_dot_env(folder).items()}
    if CONFIG_VARIABLE in written:
        raise SettingsError(
            f"{CONFIG_VARIABLE} in .env has no effect: the file is read from where Arc runs",
            remedy=f"remove the line, and set {CONFIG_VARIABLE} in the environment",
        )
    if TRUST_VARIABLE in written:
        raise SettingsError(
            f"{TRUST_VARIABLE} in .env has no effect: a folder cannot trust itself",
            remedy=f"remove the line; `arc trust` remembers that you trust the folder, and "
            f"{TRUST_VARIABLE}=1 in the environment says so once",
        )
    return _layer(settings_class, written, lambda key: f"{_variable(key)} in .env")


def reference_variables(folder: SettingsFolder) -> dict[str, str]:
    """The variables for `${NAME}` in a file: the environment, and below it the lines of `.env`."""
    return {**lines_of_dot_env(folder), **os.environ}


def named_file() -> Path | None:
    """The settings file that the environment names; None if it names none."""
    text = os.environ.get(CONFIG_VARIABLE, "").strip()
    return Path(text).expanduser() if text else None


def active_profiles(folder: SettingsFolder) -> tuple[str, ...]:
    """The profiles that the environment names, or else the folder's `.env`."""
    text = os.environ.get(PROFILE_VARIABLE, "").strip()
    if not text:
        lines = {name.upper(): value for name, value in lines_of_dot_env(folder).items()}
        text = lines.get(PROFILE_VARIABLE, "")
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def lines_of_dot_env(folder: SettingsFolder, *, interpolate: bool = True) -> dict[str, str]:
    """The lines of the folder's `.env` by name."""
    text = folder.text(DOT_ENV)
    if text is None:
        return {}
    lines = dotenv_values(stream=io.StringIO(text), interpolate=interpolate)
    return {name: value or "" for name, value in lines.items()}


def is_key(name: str) -> bool:
    """Say whether a variable is a vendor's key by its name, `OPENAI_API_KEY`."""
    return name.upper().endswith("_API_KEY") and not name.upper().startswith(PREFIX)


def export_keys(folder: SettingsFolder) -> None:
    """Put the keys in the folder's `.env` into the environment, unless they are set there.

    Vendors' libraries read their keys in the environment, and conditions look there. Nothing else
    is taken over: a proxy or a vendor's base URL would redirect what is sent.
    """
    lines = lines_of_dot_env(folder)
    for name, text in lines.items():
        if is_key(name):
            os.environ.setdefault(name, text)
    ignored = sorted(each for each in lines if _REDIRECTS.search(each) and each not in os.environ)
    if ignored:
        logger.warning(
            "variables in .env that redirect connections have no effect: set them in the "
            "environment, or set llm.base_url",
            variables=ignored,
        )


def command_line(settings_class: SettingsClass, values: Mapping[str, object]) -> Layer:
    """Dotted keys with their values, as options of a command gave them."""
    variables = {
        _variable(key): value if isinstance(value, str) else json.dumps(value)
        for key, value in values.items()
    }
    return _layer(settings_class, variables, lambda key: f"{key} on the command line")


def _layer(
    settings_class: SettingsClass, variables: Mapping[str, str], place: Callable[[str], str]
) -> Layer:
    texts = {
        ".".join(name[len(PREFIX) :].lower().split(DELIMITER)): text
        for name, text in variables.items()
        if _is_setting(name) and text.strip()
    }
    keys = sorted(texts)
    for key in keys:
        _check_exists(settings_class, key, place)

    def find_place(key: str) -> str:
        if above := [each for each in keys if f"{key}.".startswith(f"{each}.")]:
            return place(above[-1])  # what stands in a list is in the text of its variable
        below = [each for each in keys if f"{each}.".startswith(f"{key}.")]
        return place(below[0] if len(below) == 1 else key)

    found = {key: _value(settings_class, key, texts[key], place=place(key)) for key in keys}
    values: dict[str, Any] = {}
    for key in sorted(keys, key=lambda each: _precedence(each, found[each])):
        value = found[key]
        for part in reversed(split_key(key)):
            value = {part: value}
        values = cover(values, value)
    return Layer(values, find_place)


def _precedence(key: str, value: Any) -> tuple[bool, int]:
    """Lay what is in a table over the table, and anything else over what would be below it."""
    depth = key.count(".")
    return (False, depth) if isinstance(value, Mapping) else (True, -depth)


def _value(settings_class: SettingsClass, key: str, text: str, *, place: str) -> Any:
    """The value of a text: lists may be written with commas; other lists and tables are JSON."""
    kind = kind_at(settings_class, split_key(key))
    field = kind if isinstance(kind, FieldInfo) else FieldInfo(annotation=kind)
    if not isinstance(listed := from_text(field, text), str) or not takes_several(field):
        return listed
    try:
        return json.loads(text)
    except ValueError:
        if not isinstance(kind, FieldInfo):
            return text
        raise SettingsError(
            f"{place} cannot be read",
            evidence=["it is a list or a table, and its text is not JSON"],
            remedy='write a list as a,b or ["a", "b"], a table as {"key": "value"}',
        ) from None


def _check_exists(settings_class: SettingsClass, key: str, place: Callable[[str], str]) -> None:
    unknown = unknown_part(settings_class, split_key(key))
    if unknown is not None:
        meant = key_without_levels(settings_class, key) or unknown[1]
        raise SettingsError(
            f"{place(key)} is not a setting of Arc's",
            remedy=f"write {place(meant)}" if meant else "remove it, or install its package",
        )


def _is_setting(name: str) -> bool:
    upper = name.upper()
    is_reserved = upper.startswith(_RESERVED) or upper in _ABOUT_FILES
    return upper.startswith(PREFIX) and not is_reserved


def _variable(key: str) -> str:
    return PREFIX + DELIMITER.join(split_key(key)).upper()


_REFERENCE = re.compile(r"\$\$\{|\$\{([^{}]*+)\}|\$\{")
_OF_USERS = "credential:"
"""Begins a reference to a credential of a user, which the component replaces in each run."""


def names_in(value: object) -> tuple[str, ...]:
    """The variables that a value of a file refers to, tables and lists searched."""
    return tuple(dict.fromkeys(each.partition(":-")[0] for each in _references(value)))


def required_names(value: object) -> frozenset[str]:
    """The variables without a default that a value of a file refers to."""
    return frozenset(each for each in _references(value) if ":-" not in each)


def refers(value: object) -> bool:
    """Say whether a value refers to variables."""
    return any(True for _ in _references(value))


def resolve(value: Any, variables: Mapping[str, str], place: str) -> Any:
    """A value with its references replaced, in lists and their tables, too."""
    if isinstance(value, str):
        return _REFERENCE.sub(lambda found: _replace(found, variables, place), value)
    if isinstance(value, list):
        return [resolve(each, variables, place) for each in value]
    if isinstance(value, Mapping):
        return {name: resolve(each, variables, place) for name, each in value.items()}
    return value


def _replace(found: re.Match[str], variables: Mapping[str, str], place: str) -> str:
    if found[0] == "$${":
        return "${"
    if (found[1] or "").startswith(_OF_USERS):
        return found[0]
    name, colon, default = (found[1] or "").partition(":-")
    if not (name.isascii() and name.isidentifier()):
        raise SettingsError(
            f"a variable in a value is written wrongly ({place})",
            remedy="write ${NAME} or ${NAME:-default}, and $${ for the characters ${",
        )
    if colon and not variables.get(name):
        return default
    if name not in variables:
        raise SettingsError(
            f"the variable {name} is not set ({place})",
            remedy=f"set it, or write ${{{name}:-default}}",
        )
    return variables[name]


def _references(value: object) -> Iterator[str]:
    """The texts between `${` and `}`."""
    if isinstance(value, str):
        names = (found[1] for found in _REFERENCE.finditer(value))
        yield from (each for each in names if each is not None and not each.startswith(_OF_USERS))
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _references(each)


def from_text(field: FieldInfo | None, value: Any) -> Any:
    """A list that is written with commas or as JSON, or a table as JSON; else the value itself."""
    kinds = _collections_in(field.annotation) if field is not None else ()
    if not isinstance(value, str) or not kinds:
        return value
    text = value.strip()
    if text.startswith(("[", "{")):
        try:
            return json.loads(text)
        except ValueError:
            return value
    if all(issubclass(kind, Mapping | BaseModel) or is_dataclass(kind) for kind in kinds):
        return value
    return [part.strip() for part in text.split(",") if part.strip()]


def takes_several(field: FieldInfo) -> bool:
    """Say whether the values of a setting are lists or tables, or may be."""
    return bool(_collections_in(field.annotation))


def _collections_in(annotation: Any) -> tuple[type, ...]:
    origin = get_origin(annotation) or annotation
    if isinstance(origin, type) and origin not in {UnionType, Annotated}:
        is_text = issubclass(origin, str | bytes)
        is_table = issubclass(origin, BaseModel) or is_dataclass(origin)
        is_several = origin is Iterable or issubclass(origin, Collection) or is_table
        return (origin,) if is_several and not is_text else ()
    return tuple(kind for each in get_args(annotation) for kind in _collections_in(each))
