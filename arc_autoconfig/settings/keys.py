"""Known settings: walks the models along a key such as `llm.max_output_tokens`."""

from collections.abc import Iterator, Sequence
from inspect import get_annotations
from typing import Any, get_args, get_origin

from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo
from typing_extensions import TypeIs

from arc_autoconfig.errors import nearest

Path = tuple[str, ...]


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
        section = section_at(model, path[:depth])
        if section is None:
            above = path[:depth]
            field = field_at(model, above)
            is_list = field is not None and is_list_section(field.annotation)
            meant = ".".join(above) if is_list else None
            return None if _is_table(model, above) else (path[: depth + 1], meant)
        if part not in section.model_fields:
            if section.model_config.get("extra") == "allow":
                return None
            meant = nearest(part, list(section.model_fields))
            return path[: depth + 1], meant and ".".join((*path[:depth], meant))
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


def _is_table(model: type[BaseModel], path: Path) -> bool:
    for depth in range(len(path), 0, -1):
        section = section_at(model, path[: depth - 1])
        if section is not None:
            field = section.model_fields.get(path[depth - 1])
            return field is not None and "dict" in str(field.annotation)
    return False
