"""Where something is wrong."""

from dataclasses import dataclass

from arc_core.assembly.errors import AssemblyError

__all__ = ["Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """A field of a class, or the class as a whole.

    Attributes:
        class_name: The class that has the field.
        field: The field's name; None for the class as a whole.
        path: As in `rules`, from the assembled class on; None for the assembled class itself.
    """

    class_name: str
    field: str | None = None
    path: str | None = None

    def at(self, class_name: str, field: str) -> "Place":
        """The field of the object, or of the list's items, that is found here."""
        return Place(class_name, field, f"{self.path}.{field}" if self.path else field)

    def error(self, problem: str, remedy: str, value_type: type | None = None) -> AssemblyError:
        """An error about this place."""
        return AssemblyError(
            class_name=self.class_name,
            field=self.field,
            path=self.path,
            problem=problem,
            value_type=None if value_type is None else value_type.__name__,
            remedy=remedy,
        )
