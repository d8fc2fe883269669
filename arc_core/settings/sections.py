"""Groups of settings, frozen and closed to unknown names, and the marks of their fields.

Marks are metadata: `Annotated[str, NeedsTrust("…")]`.
"""

from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, RootModel
from pydantic.fields import FieldInfo

EntryT = TypeVar("EntryT", bound=BaseModel)
"""An entry of a list of tables."""


class Section(BaseModel):
    """A frozen group of settings; unknown names are errors."""

    # Sections are mostly used joined with others, whose class is then the only one to be built.
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_default=True,
        defer_build=True,
        hide_input_in_errors=True,  # which may be an address with a password
    )

    def overlay(self, entry: "Section") -> Self:
        """This section with what an entry says in its place; what is None there is left open.

        The wiring asks for it where a slot has several components from one section: see
        `arc_core.components.extension_points.slot`.

        Args:
            entry: Of a table of the section; its settings have the names of the section's.

        Raises:
            ValidationError: The entry says what the section does not have.
        """
        return type(self).model_validate({**dict(self), **said_in(entry)})

    def can_do_without(self, entry: str) -> bool:
        """Say whether an application may start if the component of an entry cannot.

        Args:
            entry: Its name in the table of the section.
        """
        return False


class ListSection(RootModel[tuple[EntryT, ...]], Generic[EntryT]):
    """A section that is a list of tables, as `[[schedules]]`; empty if it is not set.

    A list that is set in several places is the one of the last of them, not all together.

    Attributes:
        root: The tables, in their order.
    """

    model_config = ConfigDict(frozen=True, validate_default=True, defer_build=True)

    root: tuple[EntryT, ...] = ()


def said_in(entry: BaseModel) -> dict[str, Any]:
    """The settings that an entry of a table does not leave open, by name."""
    return {name: value for name, value in entry if value is not None}


class OpenSection(Section):
    """A section to which plugins add settings.

    Type checkers know only what the class itself declares; what a plugin adds is `Any` to them.
    The plugin's own class, `settings.section(RedisCacheSettings)`, has the types.
    """

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(name)  # type: ignore[misc]


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
