"""The errors of assembling deltas.

```
ArcError
├── AssemblyError   a class, a rule, a delta or a result does not fit
└── ListenerError   a listener raised
```
"""

from dataclasses import dataclass

from arc_core.errors import ArcError


class AssemblyError(ArcError):
    """A class cannot be assembled, a rule does not fit it, or a delta does not fit the rules.

    Attributes:
        class_name: The class that has the field, or the class as a whole.
        field: The field's name; None if the class as a whole is meant.
        path: The field's place from the assembled class on, dotted as in `rules`.
        problem: What is wrong.
        value_type: The name of the type of the value that did not fit; None when the class itself
            is at fault.
        remedy: What to do about it.
    """

    def __init__(
        self,
        *,
        class_name: str,
        problem: str,
        remedy: str,
        field: str | None = None,
        path: str | None = None,
        value_type: str | None = None,
    ) -> None:
        super().__init__(class_name, field, problem)
        self.class_name, self.field, self.path = class_name, field, path
        self.problem, self.value_type, self.remedy = problem, value_type, remedy

    def below(self, path: str) -> None:
        """Put `path` in front of the error's own: the fault lies in a value found there."""
        self.path = f"{path}.{self.path}" if self.path else path

    def __str__(self) -> str:
        place = f"{self.class_name}.{self.field}" if self.field else self.class_name
        if self.path not in {None, self.field}:
            place += f" (at {self.path})"
        got = f", not {self.value_type}" if self.value_type else ""
        return f"{place}: {self.problem}{got}. {self.remedy}"


class ListenerError(ArcError):
    """A method of a `StreamListener` raised; the cause is its exception.

    Attributes:
        method: The method's name, such as `on_next`.
    """

    def __init__(self, *, method: str) -> None:
        super().__init__(method)
        self.method = method

    def __str__(self) -> str:
        return f"the listener's {self.method} raised; see the cause, and handle it in the listener"


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """A field of a class, by its path from the assembled class on, or the class as a whole."""

    class_name: str
    field: str | None = None
    path: str | None = None

    def at(self, class_name: str, field: str) -> "FieldPlace":
        """The field of the object, or of the list's items, that is found here."""
        return FieldPlace(class_name, field, f"{self.path}.{field}" if self.path else field)

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
