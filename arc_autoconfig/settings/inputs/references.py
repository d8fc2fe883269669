"""Values written as text: `"${NAME}"`, `"${NAME:-default}"`, `"$${"`, and lists and tables."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from types import UnionType
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from arc_autoconfig.errors import SettingsError

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
