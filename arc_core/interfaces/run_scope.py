"""The components of one run, and how hooks, guards and tools reach them.

They are made when they are first asked for, shared by all that takes part in the run, and closed
after its end. The engine closes a scope once, whatever came of the run.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol, Self, TypeVar, overload, runtime_checkable

from arc_core.components.injection import handed_values
from arc_core.error_base import ConfigurationError

T = TypeVar("T")


@runtime_checkable
class RunScope(Protocol):
    """The components of one run."""

    @abstractmethod
    async def get(self, wanted: Any) -> Any:
        """The component of a type, of the run or of the application.

        Args:
            wanted: What a parameter of a factory could be annotated with.

        Raises:
            ConfigurationError: There is none, it cannot be made, or the run has ended.
        """

    @abstractmethod
    async def close(self, error: BaseException | None) -> Sequence[str]:
        """Close what was made, last made first; each within a time of its own.

        Args:
            error: How the run ended: None for an answer, `RunFailedError` for a failure,
                `RunSuspendedError` if it goes on later, `CancelledError` for a cancellation.
                Components get it raised at their `yield`.

        Returns:
            The names of the components that failed to close; each has been logged.

        Raises:
            asyncio.CancelledError: The caller was cancelled.
        """


class RunPart:
    """The run as components see it; by it they reach the components of the run."""

    __slots__ = ()

    # A callable, too, since mypy refuses protocols as a `type[T]`.
    @overload
    async def get(self, wanted: type[T] | Callable[..., T]) -> T: ...

    @overload
    async def get(self, wanted: object) -> Any: ...

    async def get(self, wanted: Any) -> Any:
        """The component of a type: one of the run, made on first use, or of the application.

        Args:
            wanted: What a parameter of a factory could be annotated with: a class, or for example
                `Annotated[ChatModel, Named("quick")]`.

        Raises:
            ConfigurationError: There is none, it cannot be made, or there is no run (any more).
        """
        scope: RunScope | None = getattr(self, "scope", None)
        if scope is None:
            name = getattr(wanted, "__name__", str(wanted))
            raise ConfigurationError(
                f"a {name} was asked for by a {type(self).__name__} that belongs to no run",
                evidence=["it was made by hand, or it is a copy"],
                remedy=f"in a test, write {type(self).__name__}(…, scope=FixedRunScope("
                f"{{{name}: …}})), with `from arc_core.testing import FixedRunScope`",
            )
        return await scope.get(wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext(RunPart):
    """The run that a component belongs to.

    Attributes:
        run_id: A UUID.
        agent: The name of the agent that runs.
        user_id: Who asks; `anonymous` if the command has no user.
        session_id: The conversation, if any.
        tenant_id: The user's company or team, if any.
        metadata: The command's, with what hooks added.
        deps: What the caller hands to the run; None if it hands over nothing.
        now: When the run was accepted, in UTC: the same in all processes that go on with the run,
            and when it is replayed. Instructions with a date take it from here.
        scope: By which `get` finds components; None in tests that need none.
    """

    run_id: str
    agent: str = "default"
    user_id: str = "anonymous"
    session_id: str | None = None
    tenant_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    deps: Any = field(default=None, repr=False)
    now: datetime = field(default_factory=partial(datetime.now, UTC))
    scope: RunScope | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class MissingDeps:
    """Why a run cannot begin with the deps that it was given.

    Attributes:
        message: For the caller; has the types, and nothing of the values.
    """

    message: str

    @classmethod
    def of(cls, tool: str, parameter: str, *, wanted: type, deps: object) -> Self:
        """A tool, or the `instructions`, need a value that the run was not given."""
        name = wanted.__qualname__
        needing = "What writes the instructions" if tool == "instructions" else f"The tool '{tool}'"
        names = ", ".join(type(each).__qualname__ for each in handed_values(deps))
        given = f"deps is a {names}" if names else "the run was given none"
        return cls(
            f"{needing} needs a {name} for its parameter '{parameter}', and {given}: "
            f"call execute(…, deps={name}(…))."
        )


@runtime_checkable
class RunScopes(Protocol):
    """Opens a scope for each run that asks for one.

    The engine opens it when a component is first asked for. The wiring fills this in; a component
    that runs agents itself may ask for it.
    """

    @abstractmethod
    def open(self, context: RunContext) -> RunScope:
        """A scope in which nothing is made yet. The caller that opens it closes it."""

    def find_missing(
        self, tools: Iterable[str], deps: object, *, agent: str | None = None
    ) -> MissingDeps | None:
        """Return the reason why a run cannot offer tools, by their names; None if it can.

        Args:
            tools: On offer; `instructions` for the function that writes them for the agent.
            deps: What the caller hands to the run; None is nothing.
            agent: That runs, and may have tools of its own.
        """
        return None
