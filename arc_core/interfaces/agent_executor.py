"""The engine, as applications see it.

One of another package that has no keyword `deps` works as before; only a run that is given deps is
refused then.
"""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any, Protocol, runtime_checkable

from arc_core.command import AgentCommand
from arc_core.components.extension_points import keywords_added, slot
from arc_core.events import AgentEvent, ToolCallProgress
from arc_core.interfaces.tools.tool import Tool
from arc_core.messages import ToolCall, ToolResult
from arc_core.result import AgentResult
from arc_core.runs.journal import RunJournal


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

    @keywords_added("deps")
    @abstractmethod
    def execute_stream(self, command: AgentCommand, *, deps: Any = None) -> AsyncGenerator[str]:
        """The text as the model produces it; a failure is a last piece `[error] <message>`."""

    @keywords_added("deps")
    @abstractmethod
    def stream_events(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        """Everything as it happens, `RunFinished` last. Leaving the iteration cancels the run."""


@runtime_checkable
class CallsTools(Protocol):
    """An engine whose tools can be called without a model, bound by all that binds a model's calls.

    `arc serve` offers the tools of an application to other programs, if its `AgentExecutor` is also
    one of these.
    """

    @abstractmethod
    def callable_tools(self) -> Sequence[Tool]:
        """The tools that there are at this moment, unique by name.

        Without those about which a person is always asked, those that need a value of the run's
        caller, and those that ask another agent.
        """

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


@runtime_checkable
class RunsToolCalls(Protocol):
    """An engine whose runs can be the `tool_call` of their command, as Arc's engine has them.

    A call that may have to wait for a person is such a run, where it is asked for; if the engine is
    not one of these, what a tool asks is not possible in calls without a model.
    """

    @abstractmethod
    def may_wait(self, tool: Tool) -> bool:
        """Return True if a call of a tool may have to wait: for an answer, a login, an approval."""


@runtime_checkable
class RecordsRuns(Protocol):
    """An executor that goes on with runs which journals keep, as Arc's engine does.

    The application asks the engine for it, so that a run is not done twice.
    """

    @abstractmethod
    def is_asked(self, run_id: str) -> bool:
        """Return whether a caller in this process waits for a kept run, or reads it."""

    @abstractmethod
    async def run_kept(self, command: AgentCommand, journal: RunJournal) -> AgentResult:
        """Run what a journal keeps, from the first step that is not recorded.

        Raises:
            RunSuspended: The run leaves without an end.
        """
