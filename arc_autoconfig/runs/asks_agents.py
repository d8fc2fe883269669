"""What runs commands, as handles and blocking applications ask it."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, Unpack

from arc_autoconfig.runs.options import RunKeywords
from arc_autoconfig.runs.stream import RunStream
from arc_core.command import AgentCommand
from arc_core.events import AgentEvent
from arc_core.result import AgentResult

__all__ = ["AsksAgents"]


class AsksAgents(AbstractAsyncContextManager[Any], Protocol):
    """What an `Application` does on an event loop; see there."""

    async def execute(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]:
        """Run to the end."""
        ...

    def stream(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> RunStream[Any]:
        """A run to read while it goes on."""
        ...

    def run(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]:
        """Start, execute and close."""
        ...

    def execute_stream(
        self, command: AgentCommand | str, *, deps: object = None
    ) -> AsyncGenerator[str]:
        """The text as the model produces it."""
        ...

    def stream_events(
        self, command: AgentCommand | str, *, deps: object = None
    ) -> AsyncGenerator[AgentEvent]:
        """Everything as it happens."""
        ...
