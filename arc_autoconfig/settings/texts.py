"""Lists and tables that are written as text: in a variable, or on the command line."""

import json
from collections.abc import Collection, Iterable, Mapping
from types import UnionType
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

__all__ = ["from_text"]


def from_text(field: FieldInfo | None, value: Any) -> Any:
    """A list that is written with commas or as JSON, or a table as JSON; else the value itself.

    Args:
        field: The setting that the value is for; None for one below a table of the user's own.
        value: Text, or anything else.
    """
    kinds = _collections_in(field.annotation) if field is not None else ()
    if not isinstance(value, str) or not kinds:
        return value
    text = value.strip()
    if text.startswith(("[", "{")):
        try:
            return json.loads(text)
        except ValueError:
            return value
    if all(issubclass(kind, Mapping | BaseModel) for kind in kinds):
        return value
    return [part.strip() for part in text.split(",") if part.strip()]


def _collections_in(annotation: Any) -> tuple[type, ...]:
    origin = get_origin(annotation) or annotation
    if isinstance(origin, type) and origin not in {UnionType, Annotated}:
        is_text = issubclass(origin, str | bytes)
        is_several = origin is Iterable or issubclass(origin, Collection | BaseModel)
        return (origin,) if is_several and not is_text else ()
    return tuple(kind for each in get_args(annotation) for kind in _collections_in(each))
