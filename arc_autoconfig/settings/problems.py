"""Turns what pydantic found wrong into an error that says which setting, where, and what to do."""

from collections.abc import Mapping
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from arc_autoconfig.errors import SettingsError, nearest
from arc_autoconfig.settings.keys import key_without_levels, sections_named_freely, unknown_part

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
        meant = key_without_levels(model, key) or (
            unknown[1] if unknown is not None else _meant_in_table(model, path)
        )
        return (
            f"{key} ({place}) is not a setting of Arc's",
            f"write {meant}" if meant else "remove it; docs/settings.md has them all",
        )
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{key or 'settings'} ({place}): {message}", "correct the value"


def _path_within(model: type[BaseModel], loc: tuple[int | str, ...]) -> tuple[str, ...]:
    """The key without what pydantic adds for the members of unions and lists."""
    path: list[str] = []
    kind: Any = model
    for part in loc:
        path.append(str(part))
        kind = _kind_below(kind, part)
        if kind is None:
            break
    return tuple(path)


def _kind_below(kind: Any, part: int | str) -> Any:
    """The section, or the table of sections, that is one step below; None for anything else."""
    if _is_section(kind) and part not in kind.model_fields:
        return sections_named_freely(kind)
    below = kind.model_fields[part].annotation if _is_section(kind) else get_args(kind)[1]
    is_table = get_origin(below) is dict and _is_section(get_args(below)[1])
    return below if is_table or _is_section(below) else None


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _meant_in_table(model: type[BaseModel], path: tuple[str, ...]) -> str | None:
    """The known key that was most likely meant by one in a table of sections."""
    kind: Any = model
    for part in path[:-1]:
        kind = _kind_below(kind, part)
    near = nearest(path[-1], list(kind.model_fields)) if _is_section(kind) else None
    return near and ".".join((*path[:-1], near))
