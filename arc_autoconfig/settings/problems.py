"""Turns what pydantic found wrong into an error that says which setting, where, and what to do."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from arc_autoconfig.errors import SettingsError, describe_cause, nearest
from arc_autoconfig.settings.keys import (
    entries_of_list,
    is_list_section,
    is_section,
    key_without_levels,
    sections_named_freely,
    unknown_part,
)
from arc_core.components.text_lists import is_text

_SHOWN = 4
_OF_LISTS = {
    "frozen_set_type",
    "iterable_type",
    "list_type",
    "sequence_str",
    "set_type",
    "tuple_type",
}


def settings_error(
    model: type[BaseModel], error: BaseException, origins: Mapping[str, str]
) -> SettingsError:
    """The error for people; it shows no values, since any of them may be a secret."""
    if not isinstance(error, ValidationError):
        is_text = isinstance(error, UnicodeError)
        cause = "a text in them is not Unicode" if is_text else describe_cause(error)
        description = "the settings cannot be checked"
        return SettingsError(description, evidence=[cause], remedy="correct the value")
    problems = error.errors(include_url=False, include_context=False)
    described = [_describe(model, problem, origins) for problem in problems]
    hidden = len(described) - _SHOWN
    remedies = list(dict.fromkeys(remedy for _, remedy in described[:_SHOWN]))
    return SettingsError(
        "a setting is wrong" if len(described) == 1 else f"{len(described)} settings are wrong",
        evidence=[
            *(line for line, _ in described[:_SHOWN]),
            *([f"and {hidden} more"] if hidden > 0 else []),
        ],
        remedy="; ".join(remedies),
    )


def _describe(model: type[BaseModel], problem: Any, origins: Mapping[str, str]) -> tuple[str, str]:
    path = _path_within(model, problem["loc"])
    key, is_in_list = _show_key(path), any(isinstance(part, int) for part in path)
    place = _find_place(path, origins) if is_in_list else origins.get(key, "default")
    if problem["type"] == "extra_forbidden":
        unknown = None if is_in_list else unknown_part(model, tuple(map(str, path)))
        meant = key_without_levels(model, key) or (
            unknown[1] if unknown is not None else _meant_in_table(model, path)
        )
        return (
            f"{key} ({place}) is not a setting of Arc's",
            f"write {meant}" if meant else "remove it, or install its package",
        )
    if problem["type"] in _OF_LISTS and is_text(problem["input"]):
        return f"{key} ({place}) is a text alone, not a list", f'write {key} = ["…"]'
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{key or 'settings'} ({place}): {message}", "correct the value"


def _show_key(path: Sequence[int | str]) -> str:
    """A dotted key, in which `schedules[1]` is the second table of a list."""
    shown = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return shown.removeprefix(".")


def _find_place(path: Sequence[int | str], origins: Mapping[str, str]) -> str:
    """Find the place of a key of a list of tables, or of the table in which it is missing."""
    keys = (".".join(map(str, path[:depth])) for depth in range(len(path), 0, -1))
    return next((origins[key] for key in keys if key in origins), "default")


def _path_within(model: type[BaseModel], loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """The key without what pydantic adds for the members of unions and lists."""
    path: list[int | str] = []
    kind: Any = model
    for part in loc:
        is_number = is_list_section(kind) and isinstance(part, int)
        path.append(part if is_number else str(part))
        kind = _kind_below(kind, part)
        if kind is None:
            break
    return tuple(path)


def _kind_below(kind: Any, part: int | str) -> Any:
    """The section, or the table of sections, that is one step below; None for anything else."""
    if is_list_section(kind):
        return entries_of_list(kind)
    if is_section(kind) and part not in kind.model_fields:
        return sections_named_freely(kind)
    below = kind.model_fields[str(part)].annotation if is_section(kind) else get_args(kind)[1]
    is_table = get_origin(below) is dict and is_section(get_args(below)[1])
    return below if is_table or is_section(below) else None


def _meant_in_table(model: type[BaseModel], path: Sequence[int | str]) -> str | None:
    """The known key that was most likely meant by one in a table of sections."""
    kind: Any = model
    for part in path[:-1]:
        kind = _kind_below(kind, part)
    near = nearest(str(path[-1]), list(kind.model_fields)) if is_section(kind) else None
    return near and _show_key((*path[:-1], near))
