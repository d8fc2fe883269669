"""The lifecycle of a component: its start, its checks, its work and its close."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """The lifecycle of a class that cannot declare it, since it is another library's.

        registry.provide(Engine, create_engine, lifecycle=Lifecycle(check_health=ping))

    Attributes:
        start_timeout_s: How long its start may take; None is 30 seconds.
        close_timeout_s: How long its close may take; None is 10 seconds.
        check_health: Gets the component, sync or async, and returns its `Health`, or None if it
            works; what it raises is an error of the component. None has the component say so
            itself, by `check_health`.
    """

    start_timeout_s: float | None = None
    close_timeout_s: float | None = None
    check_health: Callable[[Any], object] | None = None

    def __post_init__(self) -> None:
        for name in ("start_timeout_s", "close_timeout_s"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float) and value > 0):
                raise ValueError(f"{name} is {value!r}: write seconds, more than 0")


@runtime_checkable
class WorksWhileOpen(Protocol):
    """A component with work of its own, which begins once every component has started.

    The application calls the method once, in a task of its own, and cancels that before any
    component closes. What it raises is logged, and the application goes on without the work.
    """

    @abstractmethod
    async def work_while_open(self) -> None:
        """Do what takes as long as the application is open, or only what all others must be for."""
