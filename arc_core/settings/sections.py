"""Groups of settings: frozen, and closed to unknown names."""

from typing import Any, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, RootModel

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
