"""One agent of an application, asked as the application is."""

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Any, Generic, TypeVar, Unpack, overload

from arc_autoconfig.runs.agent_application import AgentApplication
from arc_autoconfig.runs.options import RunKeywords, command_of
from arc_autoconfig.runs.stream import RunStream
from arc_core.command import AgentCommand
from arc_core.events import AgentEvent
from arc_core.result import AgentResult, OutputT

T = TypeVar("T")


class AgentHandle(Generic[OutputT]):
    """One agent of an application: `app.agent("refunds")`.

    Args:
        name: Of the agent.
        application: Runs it.

    Attributes:
        name: Of the agent.
    """

    def __init__(self, name: str, *, application: AgentApplication) -> None:
        self.name = name
        self._application = application

    @overload
    async def execute(
        self, command: AgentCommand | str, *, output: type[T], **options: Unpack[RunKeywords]
    ) -> AgentResult[T]: ...

    @overload
    async def execute(
        self, command: AgentCommand | str, *, output: None = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[OutputT]: ...

    async def execute(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]:
        """Run to the end; see `Application.execute`.

        Args:
            command: A question, or a command; the agent it names gives way to this one.
            output: The type of the answer in the place of the agent's.
            options: Fields of `AgentCommand`, which win over the agent, and `deps`.
        """
        options["agent"] = self.name
        return await self._application.execute(command, output=output, **options)

    @overload
    def stream(
        self, command: AgentCommand | str, *, output: type[T], **options: Unpack[RunKeywords]
    ) -> RunStream[T]: ...

    @overload
    def stream(
        self, command: AgentCommand | str, *, output: None = None, **options: Unpack[RunKeywords]
    ) -> RunStream[OutputT]: ...

    def stream(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> RunStream[Any]:
        """A run to read while it goes on; see `Application.stream`, and `execute`."""
        options["agent"] = self.name
        return self._application.stream(command, output=output, **options)

    @overload
    def run(
        self, command: AgentCommand | str, *, output: type[T], **options: Unpack[RunKeywords]
    ) -> AgentResult[T]: ...

    @overload
    def run(
        self, command: AgentCommand | str, *, output: None = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[OutputT]: ...

    def run(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]:
        """Start the application, execute and close it; see `Application.run`, and `execute`."""
        options["agent"] = self.name
        return self._application.run(command, output=output, **options)

    def execute_stream(
        self, command: AgentCommand | str, *, deps: object = None
    ) -> AsyncGenerator[str]:
        """The text as the model produces it; see `Application.execute_stream`."""
        return self._application.execute_stream(self._command(command), deps=deps)

    def stream_events(
        self, command: AgentCommand | str, *, deps: object = None
    ) -> AsyncGenerator[AgentEvent]:
        """Everything as it happens; see `Application.stream_events`."""
        return self._application.stream_events(self._command(command), deps=deps)

    async def submit(
        self,
        command: AgentCommand | str,
        *,
        deps: object = None,
        run_id: str | None = None,
        queue: str | None = None,
        not_before: datetime | None = None,
    ) -> str:
        """Have a command run without waiting for it; see `Application.submit`."""
        return await self._application.runs.for_agent(self.name).submit(
            command_of(command), deps=deps, run_id=run_id, queue=queue, not_before=not_before
        )

    def _command(self, command: AgentCommand | str) -> AgentCommand:
        return command_of(command, options={"agent": self.name})
