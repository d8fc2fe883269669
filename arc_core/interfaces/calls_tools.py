"""An engine whose tools can be called without a model.

`arc serve` offers the tools of an application to other programs, if its `AgentExecutor` is also one
of these. A call from outside is bound by all that binds a call of a model.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from arc_core.command import AgentCommand
from arc_core.events import ToolCallProgress
from arc_core.interfaces.tool import Tool
from arc_core.messages import ToolCall, ToolResult

__all__ = ["CallsTools"]


@runtime_checkable
class CallsTools(Protocol):
    """Calls tools as it does for a model: arguments, hooks, time-outs, failures."""

    @abstractmethod
    def callable_tools(self) -> Sequence[Tool]:
        """The tools that there are at this moment, unique by name.

        Without those about which a person is always asked, those that need a value of the run's
        caller, and those that ask another agent.
        """
        ...

    @abstractmethod
    async def call_tool(
        self,
        call: ToolCall,
        command: AgentCommand,
        *,
        report: Callable[[ToolCallProgress], None] | None = None,
    ) -> ToolResult:
        """Call one tool; failures are results, with a text for a model.

        Args:
            call: As a model would write it.
            command: For whom: the user, the session, the tenant. Nothing of it is asked.
            report: Takes what the tool says of its progress.

        Raises:
            asyncio.CancelledError: The caller was cancelled, or the tool was.
        """
        ...
