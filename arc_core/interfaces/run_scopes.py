"""Where the components of runs come from.

The engine opens a scope for a run when a component is first asked for; a run in which none is asked
for has no scope. The wiring fills this in; a component that runs agents itself may ask for it.
"""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

from arc_core.components.handed_values import handed_values
from arc_core.interfaces.run_scope import RunContext, RunScope

__all__ = ["MissingDeps", "RunScopes"]


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
    """Opens a scope for each run that asks for one."""

    @abstractmethod
    def open(self, context: RunContext) -> RunScope:
        """A scope in which nothing is made yet. The caller that opens it closes it."""
        ...

    def find_missing(
        self, tools: Iterable[str], deps: object, *, agent: str | None = None
    ) -> MissingDeps | None:
        """What keeps a run from offering tools, by their names; None if nothing does.

        Args:
            tools: On offer; `instructions` for the function that writes them for the agent.
            deps: What the caller hands to the run; None is nothing.
            agent: That runs, and may have tools of its own.
        """
        return None
