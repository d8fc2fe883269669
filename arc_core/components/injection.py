"""Marks of a parameter that asks for a component, and the values that a caller hands to a run."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Generic, TypeVar, Union, get_args, get_origin

from arc_core.errors import DepsNotGivenError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Injected:
    """Marks a parameter of a tool that Arc fills and the model does not see."""


Inject = Annotated[T, Injected()]
"""`db: Inject[Database]`, for type checkers a `Database`.

Called directly, as in a test, the function takes it as an ordinary argument.
"""


def is_injected(hint: Any) -> bool:
    """Return if an annotation, or a member of a union, is marked with `Inject`."""
    if any(isinstance(mark, Injected) for mark in getattr(hint, "__metadata__", ())):
        return True
    return get_origin(hint) in {Union, UnionType} and any(map(is_injected, get_args(hint)))


async def get_injected(
    hints: Mapping[str, Any],
    get: Callable[[Any], Awaitable[object]],
    has_default: Callable[[str], bool],
) -> dict[str, object]:
    """Return what the parameters ask for, without deps that are missing and have defaults."""
    injected: dict[str, object] = {}
    for name, hint in hints.items():
        try:
            injected[name] = await get(hint)
        except DepsNotGivenError:
            if not has_default(name):
                raise
    return injected


@dataclass(frozen=True, slots=True)
class Named:
    """Asks for a component of a slot by its name, whether or not it fills the slot.

    `Annotated[ChatModel, Named("quick")]`

    Attributes:
        name: As `components.<slot>` and the report call it.
    """

    name: str


@dataclass(frozen=True, slots=True)
class FromSettings:
    """Asks for those components of a slot alone that the settings list, by their names.

    `Annotated[Mapping[str, ChatModel], FromSettings()]` are the entries of `llm.models`; without
    the mark it would be all components that could fill the slot.
    """


class Lazy(Generic[T]):
    """A component that is built and started when it is first asked for.

    It is closed with the others, and it is the way out when two components need each other.

    Args:
        build: Gives the component; called each time.
    """

    def __init__(self, build: Callable[[], Awaitable[T]]) -> None:
        self._build = build

    async def get(self) -> T:
        """The component.

        Raises:
            ConfigurationError: It cannot be built or started.
        """
        return await self._build()


@dataclass(frozen=True, slots=True)
class Registered(Generic[T]):
    """Those components of a contribution that the program registers itself.

    Attributes:
        components: In the order in which they were registered.
    """

    components: tuple[T, ...] = ()


def handed_values(deps: object) -> tuple[object, ...]:
    """Return the values that `deps` holds: those of a tuple, else itself; none for None.

    A named tuple is one value, as it has a type of its own.
    """
    if deps is None:
        return ()
    return deps if type(deps) is tuple else (deps,)


def find_handed(deps: object, wanted: object) -> Iterator[object]:
    """Return the values of a type among those that were handed over."""
    return (each for each in handed_values(deps) if wanted in type(each).__mro__)
