"""Known settings: walks the models along a key, and says of which key a problem is."""

from collections.abc import Iterator, Mapping, Sequence
from inspect import get_annotations
from typing import Any, get_args, get_origin

from pydantic import BaseModel, RootModel, ValidationError
from pydantic.fields import FieldInfo
from typing_extensions import TypeIs

from arc_autoconfig.errors import SettingsError, describe_cause, nearest
from arc_core.components.text_lists import is_text

Path = tuple[str, ...]

_SHOWN = 4
_OF_LISTS = {f"{name}_type" for name in ("frozen_set", "iterable", "list", "set", "tuple")} | {
    "sequence_str"
}


def split_key(key: str) -> Path:
    """The parts of a dotted key."""
    return tuple(key.split("."))


def is_section(kind: Any) -> TypeIs[type[BaseModel]]:
    """Say whether an annotation is a class of settings."""
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def is_list_section(kind: Any) -> bool:
    """Say whether a class is a section that is a list of tables."""
    return isinstance(kind, type) and issubclass(kind, RootModel)


def entries_of_list(kind: Any) -> type[BaseModel] | None:
    """The model of the tables of a section that is a list; None for anything else."""
    members = get_args(kind.model_fields["root"].annotation) if is_list_section(kind) else ()
    entry = members[0] if members else None
    return entry if is_section(entry) else None


def section_at(model: type[BaseModel], path: Sequence[str]) -> type[BaseModel] | None:
    """The model that holds the settings below a path; None for anything but a section."""
    for part in path:
        field = model.model_fields.get(part)
        annotation = field.annotation if field is not None else None
        if not is_section(annotation) or is_list_section(annotation):
            return None
        model = annotation
    return model


def sections_named_freely(model: type[BaseModel]) -> type[BaseModel] | None:
    """The model of the sections that stand under names of the user's beside the known keys."""
    hints = [get_annotations(each) for each in model.__mro__]
    kinds = [get_args(hint["__pydantic_extra__"]) for hint in hints if "__pydantic_extra__" in hint]
    kind = kinds[0][-1] if kinds and kinds[0] else None
    return kind if is_section(kind) else None


def field_at(model: type[BaseModel], path: Sequence[str]) -> FieldInfo | None:
    """The setting at a path; None below a table."""
    section = section_at(model, path[:-1])
    return section.model_fields.get(path[-1]) if section is not None else None


def kind_at(model: type[BaseModel], path: Sequence[str]) -> FieldInfo | Any | None:
    """The setting at a path, or the type of what is there in a table; None if nothing says it."""
    kind: FieldInfo | Any | None = model
    for part in path:
        kind = _kind_below(kind, part)
    return kind


def _kind_below(kind: FieldInfo | Any | None, part: str) -> FieldInfo | Any | None:
    annotation = kind.annotation if isinstance(kind, FieldInfo) else kind
    if is_section(annotation):
        return annotation.model_fields.get(part)
    members = get_args(annotation)
    if get_origin(annotation) is dict:
        return members[-1]
    below = (_kind_below(each, part) for each in members)
    return next((each for each in below if each is not None), None)


def unknown_part(model: type[BaseModel], path: Path) -> tuple[Path, str | None] | None:
    """The path up to its first unknown part, and what was meant; None if all parts are known."""
    for depth, part in enumerate(path):
        if part not in model.model_fields:
            if model.model_config.get("extra") == "allow":
                return None
            meant = nearest(part, list(model.model_fields))
            return path[: depth + 1], meant and ".".join((*path[:depth], meant))
        annotation, upto = model.model_fields[part].annotation, depth + 1
        if is_section(annotation) and not is_list_section(annotation):
            model = annotation
        elif upto == len(path) or "dict" in str(annotation):
            return None
        else:
            meant = ".".join(path[:upto]) if is_list_section(annotation) else None
            return path[: upto + 1], meant
    return None


def key_without_levels(model: type[BaseModel], key: str) -> str | None:
    """The key that was meant by one whose levels are not told apart: `llm_model` is `llm.model`."""
    by_flat = {known.replace(".", "_"): known for known in _list_keys(model)}
    flat = key.replace(".", "_")
    meant = by_flat.get(flat) or by_flat.get(nearest(flat, list(by_flat)) or "")
    return meant if "." not in key and meant is not None and "." in meant else None


def _list_keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name in model.model_fields:
        section = section_at(model, (name,))
        if section is None:
            yield f"{prefix}{name}"
        else:
            yield from _list_keys(section, f"{prefix}{name}.")


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
    written = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return written.removeprefix(".")


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
        kind = _section_below(kind, part)
        if kind is None:
            break
    return tuple(path)


def _section_below(kind: Any, part: int | str) -> Any:
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
        kind = _section_below(kind, part)
    near = nearest(str(path[-1]), list(kind.model_fields)) if is_section(kind) else None
    return near and _show_key((*path[:-1], near))
