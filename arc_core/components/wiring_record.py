"""The components of an application, as the record of a run names them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentRecord:
    """A component that takes part in runs.

    Attributes:
        place: The slot or contribution.
        name: As settings and the report call it.
        type: Its class, `package.module:Class`.
        package: The distribution that has brought it; empty if the program has.
        version: Of the package; empty without one.
        settings: The sections of the settings that it was made with, as JSON, without secrets.
        members: The objects that stand in the place: the component itself, or all that it brings.
    """

    place: str
    name: str
    type: str
    package: str = ""
    version: str = ""
    settings: str = ""
    members: tuple[object, ...] = field(default=(), repr=False, compare=False)


class WiringRecord:
    """The components that take part in the runs of an application.

    The wiring fills a parameter of this type. It is read once all components are made: an executor
    or a store of runs that asks for it keeps it until a run begins.

    Args:
        read: Returns them, in the order of their places; without it there are none.
    """

    def __init__(self, read: Callable[[], Sequence[ComponentRecord]] = tuple) -> None:
        self._read = read

    def components(self) -> tuple[ComponentRecord, ...]:
        """All of them."""
        return tuple(self._read())
