"""The engine, as applications see it.

One of another package that has no keyword `deps` works as before; only a run that is given deps is
refused then.
"""

from abc import abstractmethod
from collections.abc import AsyncGenerator
from typing import Any, Protocol, runtime_checkable

from arc_core.command import AgentCommand
from arc_core.components.extension_points import keywords_added, slot
from arc_core.events import AgentEvent
from arc_core.result import AgentResult

__all__ = ["AgentExecutor"]


@slot("agent_executor", group="arc.agent_executors")
@runtime_checkable
class AgentExecutor(Protocol):
    """Takes commands to results."""

    @keywords_added("deps")
    @abstractmethod
    async def execute(self, command: AgentCommand, *, deps: Any = None) -> AgentResult:
        """Run to the end; failures are results.

        Args:
            command: What is asked.
            deps: A value of the caller's own type for the components of the run; neither shown to
                the model nor kept. None is nothing.

        Raises:
            TypeError: The command is not an `AgentCommand`.
        """
        ...

    @keywords_added("deps")
    @abstractmethod
    def execute_stream(self, command: AgentCommand, *, deps: Any = None) -> AsyncGenerator[str]:
        """The text as the model produces it; a failure is a last piece `[error] <message>`."""
        ...

    @keywords_added("deps")
    @abstractmethod
    def stream_events(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        """Everything as it happens, `RunFinished` last. Leaving the iteration cancels the run."""
        ...
