"""Marks of settings, as metadata of their fields: `Annotated[str, NeedsTrust("…")]`."""

from dataclasses import dataclass
from typing import Any, get_args

from pydantic.fields import FieldInfo


@dataclass(frozen=True, slots=True)
class NeedsTrust:
    """Marks a setting that runs code, opens a connection or a file, or says where secrets go.

    On the command line such a setting from a file of the working directory counts only if the user
    trusts the folder. Everything below a marked section or table is marked with it.

    Attributes:
        effect: What the setting causes, as the user is told: `prompts and the key are sent there`.
    """

    effect: str


@dataclass(frozen=True, slots=True)
class Harmless:
    """Marks a setting that takes text and yet counts in a folder that is not trusted.

    Numbers, switches and choices count anyway. Any other setting needs trust, unless it is marked
    with this: a text may be an address, a path, a command.

    Attributes:
        reason: Why it can do no harm.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Hidden:
    """Marks a setting whose value is never shown, since it may hold a secret."""


def find_mark(field: FieldInfo, kind: type[Any]) -> Any:
    """The mark of a kind that a field or a part of its annotation bears; None without one."""
    marks = [each for each in field.metadata if isinstance(each, kind)]
    return marks[0] if marks else _mark_in(field.annotation, kind)


def _mark_in(annotation: Any, kind: type[Any]) -> Any:
    for each in (*get_args(annotation), *getattr(annotation, "__metadata__", ())):
        found = each if isinstance(each, kind) else _mark_in(each, kind)
        if found is not None:
            return found
    return None
