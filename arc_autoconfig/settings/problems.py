"""Turns what pydantic found wrong into an error that says which setting, where, and what to do."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from arc_autoconfig.errors import SettingsError
from arc_autoconfig.settings.keys import field_at, key_without_levels, section_at, unknown_part

__all__ = ["settings_error"]

_SHOWN = 4


def settings_error(
    model: type[BaseModel], error: ValidationError, origins: Mapping[str, str]
) -> SettingsError:
    """The error for people; it shows no values, since any of them may be a secret.

    Args:
        model: What the values were for.
        error: What is wrong with them.
        origins: Where they come from, by dotted key.
    """
    problems = error.errors(include_url=False, include_input=False, include_context=False)
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
    key = ".".join(path)
    place = origins.get(key, "default")
    if problem["type"] == "extra_forbidden":
        unknown = unknown_part(model, path)
        meant = key_without_levels(model, key) or (unknown[1] if unknown is not None else None)
        return (
            f"{key} ({place}) is not a setting of Arc's",
            f"write {meant}" if meant else "remove it; docs/settings.md has them all",
        )
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{key or 'settings'} ({place}): {message}", "correct the value"


def _is_table_of_sections(model: type[BaseModel], path: Sequence[str]) -> bool:
    """Whether what follows are a name of the user's and the settings of a section."""
    field = field_at(model, path) if path else None
    values = get_args(field.annotation)[-1:] if field is not None else ()
    is_table = field is not None and get_origin(field.annotation) is dict
    return is_table and all(isinstance(v, type) and issubclass(v, BaseModel) for v in values)


def _path_within(model: type[BaseModel], loc: tuple[int | str, ...]) -> tuple[str, ...]:
    """The key without what pydantic adds for the members of unions and lists."""
    path: list[str] = []
    for part in loc:
        section = section_at(model, path)
        if _is_table_of_sections(model, path):
            return (*path, *map(str, loc[len(path) :]))
        path.append(str(part))
        if section is None or (part not in section.model_fields):
            break
    return tuple(path if section_at(model, path[:-1]) is not None else path[:-1])
