"""What the files of a folder set that counts only if their user trusts the folder."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from arc_autoconfig.settings.files import toml_file
from arc_autoconfig.settings.folder import DOT_ENV, SettingsFolder
from arc_autoconfig.settings.layers import Layer
from arc_autoconfig.settings.variables import PREFIX, dot_env, is_key, lines_of_dot_env
from arc_core.addresses import mask_addresses, origin_of_address
from arc_core.setting_marks import Hidden, NeedsTrust, mark_of

__all__ = ["TrustNeed", "trust_needs"]

_MAX_SHOWN_CHARS = 80
_NOTHING: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustNeed:
    """One key that needs trust.

    Attributes:
        key: Dotted, or the name of a variable.
        shown: What of the value may be shown: of an address the host, of secrets nothing.
        place: Where it stands, in words for people.
        effect: What it causes.
    """

    key: str
    shown: str
    place: str
    effect: str

    def __str__(self) -> str:
        value = f" = {self.shown}" if self.shown else ""
        return f"{self.key}{value} ({self.place}): {self.effect}"


def trust_needs(
    settings_class: type[BaseSettings], folder: SettingsFolder
) -> tuple[TrustNeed, ...]:
    """The keys of a folder's files that run code, open connections or say where secrets go.

    Which settings do is said by their marks; see `arc_core.settings.NeedsTrust`.

    Raises:
        SettingsError: A file cannot be read, or holds an unknown key.
    """
    file = toml_file(settings_class, folder)
    layers = [*([file] if file is not None else []), dot_env(settings_class, folder)]
    marked = [need for layer in layers for need in _marked(settings_class, layer)]
    return (*marked, *_keys_of_vendors(folder), *_borrowed(folder))


def _marked(settings_class: type[BaseModel], layer: Layer) -> Iterator[TrustNeed]:
    for path, leaf in _leaves(settings_class, layer.values):
        key = ".".join(path)
        shown = _shown(leaf.field, leaf.value)
        yield TrustNeed(key=key, shown=shown, place=layer.place(key), effect=leaf.mark.effect)


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A value below a mark; `field` is None if no section says what it is."""

    value: Any
    field: FieldInfo | None
    mark: NeedsTrust


def _leaves(
    kind: Any, value: Any, *, path: tuple[str, ...] = (), leaf: _Leaf | None = None
) -> Iterator[tuple[tuple[str, ...], _Leaf]]:
    """The marked values below a section, or below a table of sections."""
    members = _members(value)
    if not members:
        if leaf is not None and leaf.value not in _NOTHING:
            yield path, leaf
        return
    model, of_table = _section_in(kind), _values_of_table(kind)
    for name, member in members.items():
        field = model.model_fields.get(name.replace("-", "_")) if model is not None else None
        mark = leaf.mark if leaf is not None else field and mark_of(field, NeedsTrust)
        below = _Leaf(member, field, mark) if mark else None
        part = field.annotation if field is not None else of_table
        yield from _leaves(part, member, path=(*path, name), leaf=below)


def _members(value: Any) -> Mapping[str, Any]:
    """A table's members by name; those of a list of tables by their number."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
        return {str(number): each for number, each in enumerate(value)}
    return {}


def _section_in(kind: Any) -> type[BaseModel] | None:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return kind
    sections = (_section_in(each) for each in get_args(kind) if not _is_container(kind))
    return next((each for each in sections if each is not None), None)


def _values_of_table(kind: Any) -> Any:
    """What the values of a table or the members of a list are; None for anything else."""
    if _is_container(kind):
        return get_args(kind)[-1] if get_args(kind)[-1] is not Ellipsis else get_args(kind)[0]
    return next((each for each in map(_values_of_table, get_args(kind)) if each is not None), None)


def _is_container(kind: Any) -> bool:
    origin = getattr(kind, "__origin__", None)
    return isinstance(origin, type) and issubclass(origin, Mapping | list | tuple)


def _shown(field: FieldInfo | None, value: Any) -> str:
    if field is None or mark_of(field, Hidden) is not None:
        return ""
    texts = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(each, str) for each in texts):
        return ""
    address = origin_of_address(texts[0]) if len(texts) == 1 else None
    is_secret = "Secret" in str(field.annotation)
    shown = address or ("" if is_secret else mask_addresses(", ".join(texts)))
    return shown if len(shown) <= _MAX_SHOWN_CHARS else f"{shown[: _MAX_SHOWN_CHARS - 1]}…"


def _keys_of_vendors(folder: SettingsFolder) -> Iterator[TrustNeed]:
    effect = "prompts are sent to the vendor, on that account"
    for name in lines_of_dot_env(folder):
        if is_key(name) and name not in os.environ:  # the environment wins
            yield TrustNeed(key=name, shown="", place=DOT_ENV, effect=effect)


def _borrowed(folder: SettingsFolder) -> Iterator[TrustNeed]:
    """Settings in `.env` with `${NAME}` in them, which could carry any variable of the user's."""
    literal = lines_of_dot_env(folder, interpolate=False)
    effect = "it takes in other variables, which may be secrets"
    for name, value in lines_of_dot_env(folder).items():
        if value != literal.get(name) and name.upper().startswith(PREFIX):
            yield TrustNeed(key=name, shown="", place=DOT_ENV, effect=effect)
