"""What runs commands, as handles and blocking applications ask it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Protocol, Unpack

from arc_autoconfig.runs.options import RunKeywords
from arc_autoconfig.runs.stream import RunStream
from arc_core.approvals import ApprovalRequest, Approve, Deny
from arc_core.command import AgentCommand
from arc_core.events import AgentEvent
from arc_core.interfaces.serving.served_application import Caller
from arc_core.result import AgentResult
from arc_core.runs.store import Waiting

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

    async def submit(
        self,
        command: AgentCommand | str,
        *,
        deps: object = None,
        run_id: str | None = None,
        queue: str | None = None,
        not_before: datetime | None = None,
    ) -> str:
        """Have a command run without waiting for it."""
        ...

    def attach(self, run_id: str, *, after: int = 0) -> RunStream[Any]:
        """A run to read."""
        ...

    async def result(self, run_id: str) -> AgentResult[Any] | Waiting:
        """The end of a run, or where it is."""
        ...

    async def decide(
        self, run_id: str, key: str, decision: Approve | Deny, *, by: str | Caller
    ) -> ApprovalRequest | None:
        """Let a waiting tool call go on, or not."""
        ...

    async def cancel(self, run_id: str) -> None:
        """End a run."""
        ...

    async def waiting(self, **filters: str) -> Sequence[ApprovalRequest]:
        """What people have to decide."""
        ...
