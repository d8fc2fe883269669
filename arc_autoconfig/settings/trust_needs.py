"""Settings in the files of a folder that count only if their user trusts the folder."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, cast, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from arc_autoconfig.settings.inputs.files import file_layers
from arc_autoconfig.settings.inputs.folder import DOT_ENV, SettingsFolder
from arc_autoconfig.settings.inputs.layers import Layer, get_members
from arc_autoconfig.settings.inputs.variables import (
    PREFIX,
    dot_env,
    is_key,
    lines_of_dot_env,
    refers,
)
from arc_autoconfig.settings.keys import is_list_section, is_section, sections_named_freely
from arc_core.settings.sections import Harmless, Hidden, NeedsTrust, find_mark
from arc_core.text.addresses import mask_addresses, origin_of_address

_MAX_SHOWN_CHARS = 80
_BORROWS = "it takes in other variables, which may be secrets"
_UNMARKED = NeedsTrust("a plugin may call it, open it or run it")
_UNKNOWN = NeedsTrust("its plugin is not loaded, so that nothing is known of it")
_CHOICES = (bool, int, float, Decimal, Enum, date, time, timedelta, type(None))
_NOTHING: tuple[object, ...] = (None, "", [], {})


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustNeed:
    """One key that needs trust, with what of its value may be shown, its place and its effect."""

    key: str
    shown: str = ""
    place: str
    effect: str

    def __str__(self) -> str:
        value = f" = {self.shown}" if self.shown else ""
        return f"{self.key}{value} ({self.place}): {self.effect}"


def trust_needs(settings_class: type[BaseModel], folder: SettingsFolder) -> tuple[TrustNeed, ...]:
    """The keys of a folder's files that run code, open connections or say where secrets go.

    Numbers, switches and choices do not, and neither do settings that are marked as harmless; see
    `arc_core.settings.NeedsTrust` and `Harmless`. All profiles of a file are looked at, active or
    not, since who trusts the file trusts them all.
    """
    files: list[Layer] = []
    if not folder.is_config_trusted:
        files = file_layers(settings_class, folder, profiles=None, variables=None)
    layers = [*files, dot_env(settings_class, folder)]
    marked = [need for layer in layers for need in _find_marked(settings_class, layer)]
    referring = [
        TrustNeed(key=key, place=layer.place(key), effect=_BORROWS)
        for layer in files
        for key in _find_referring(layer.values)
    ]
    return (*marked, *referring, *_keys_of_vendors(folder), *_find_borrowed(folder))


def _find_marked(settings_class: type[BaseModel], layer: Layer) -> Iterator[TrustNeed]:
    for path, leaf in _leaves(settings_class, layer.values):
        if isinstance(leaf.mark, NeedsTrust):
            key = ".".join(path)
            shown = _show_value(leaf.field, leaf.value)
            yield TrustNeed(key=key, shown=shown, place=layer.place(key), effect=leaf.mark.effect)


_Mark = NeedsTrust | Harmless | None


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A value with the mark that counts for it; `field` is None if no section says what it is."""

    value: Any
    field: FieldInfo | None
    mark: _Mark


def _leaves(
    kind: Any, value: Any, *, path: tuple[str, ...] = (), leaf: _Leaf | None = None
) -> Iterator[tuple[tuple[str, ...], _Leaf]]:
    """The values below a section, or below a table of sections."""
    members = get_members(value)
    if not members:
        if leaf is not None and leaf.value not in _NOTHING:
            yield path, leaf
        return
    model, of_table = _section_in(kind), _values_of_table(kind)
    for name, member in members.items():
        field = model.model_fields.get(name.replace("-", "_")) if model is not None else None
        if field is not None and is_list_section(field.annotation):
            field = cast("type[BaseModel]", field.annotation).model_fields["root"]
        part = field.annotation if field is not None else of_table
        mark = _decide_mark(part, member, field=field, within=model)
        above = leaf.mark if leaf is not None else None
        is_own = isinstance(mark, NeedsTrust) and mark is not _UNMARKED
        if isinstance(above, NeedsTrust) or (above is not None and not is_own):
            mark = above
        yield from _leaves(part, member, path=(*path, name), leaf=_Leaf(member, field, mark))


def _decide_mark(
    annotation: Any, value: Any, *, field: FieldInfo | None, within: type[BaseModel] | None
) -> _Mark:
    """The mark of a setting; without one, anything but numbers, switches and choices needs trust.

    None stands for sections, whose settings say it themselves, and for unknown keys.
    """
    if annotation is None:
        is_open = within is not None and within.model_config.get("extra") == "allow"
        return _UNKNOWN if is_open else None
    mark: _Mark = field and (find_mark(field, NeedsTrust) or find_mark(field, Harmless))
    if mark is not None or takes_only_choices(annotation):
        return mark
    below = _values_of_table(annotation)
    has_sections = _section_in(annotation) is not None or _section_in(below) is not None
    return None if has_sections and get_members(value) else _UNMARKED


def takes_only_choices(annotation: Any) -> bool:
    """Say whether values are numbers, switches, times and the like, or of a fixed set."""
    if get_origin(annotation) is Literal:
        return True
    members = [each for each in get_args(annotation) if each is not Ellipsis]
    if members and get_origin(annotation) is Annotated:
        return takes_only_choices(members[0])
    if members:
        return all(map(takes_only_choices, members))
    return isinstance(annotation, type) and issubclass(annotation, _CHOICES)


def _find_referring(values: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Settings with `${NAME}` in them, which could carry any variable of the user's."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _find_referring(value, f"{prefix}{name}.")
        elif refers(value):
            yield f"{prefix}{name}"


def _section_in(kind: Any) -> type[BaseModel] | None:
    if is_section(kind):
        return kind
    sections = (_section_in(each) for each in get_args(kind) if not _is_container(kind))
    return next((each for each in sections if each is not None), None)


def _values_of_table(kind: Any) -> Any:
    """The type of the values of a table or the members of a list; None for anything else."""
    if is_section(kind):
        return sections_named_freely(kind)
    if _is_container(kind):
        return get_args(kind)[-1] if get_args(kind)[-1] is not Ellipsis else get_args(kind)[0]
    return next((each for each in map(_values_of_table, get_args(kind)) if each is not None), None)


def _is_container(kind: Any) -> bool:
    origin = getattr(kind, "__origin__", None)
    return isinstance(origin, type) and issubclass(origin, Mapping | list | tuple)


def _show_value(field: FieldInfo | None, value: Any) -> str:
    if field is None or find_mark(field, Hidden) is not None:
        return ""
    texts = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(each, str) for each in texts):
        return ""
    address = origin_of_address(texts[0]) if len(texts) == 1 else None
    # What is set in the place of an address may be one without its scheme, and have a password.
    is_secret = any(each in str(field.annotation) for each in ("Secret", "Address"))
    shown = address or ("" if is_secret else mask_addresses(", ".join(texts)))
    return shown if len(shown) <= _MAX_SHOWN_CHARS else f"{shown[: _MAX_SHOWN_CHARS - 1]}…"


def _keys_of_vendors(folder: SettingsFolder) -> Iterator[TrustNeed]:
    effect = "prompts are sent to the vendor, on that account"
    for name in lines_of_dot_env(folder):
        if is_key(name) and name not in os.environ:  # the environment wins
            yield TrustNeed(key=name, place=DOT_ENV, effect=effect)


def _find_borrowed(folder: SettingsFolder) -> Iterator[TrustNeed]:
    """Settings in `.env` with `${NAME}` in them, which could carry any variable of the user's."""
    literal = lines_of_dot_env(folder, interpolate=False)
    for name, value in lines_of_dot_env(folder).items():
        if value != literal.get(name) and name.upper().startswith(PREFIX):
            yield TrustNeed(key=name, place=DOT_ENV, effect=_BORROWS)
