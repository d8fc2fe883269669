"""An application, as handles and blocking applications ask it."""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Unpack

from arc_autoconfig.runs.home_loop import HomeLoop
from arc_autoconfig.runs.options import RunKeywords, command_of
from arc_autoconfig.runs.stream import RunStream
from arc_core.approvals import ApprovalRequest, Approve, Deny
from arc_core.command import AgentCommand
from arc_core.events import AgentEvent
from arc_core.result import AgentResult
from arc_core.runs.callers import Caller
from arc_core.runs.runs import Runs
from arc_core.runs.store import Waiting

__all__ = ["AgentApplication"]


class AgentApplication(AbstractAsyncContextManager[Any]):
    """Runs that are executed, submitted, wait for people, and are read by their ids.

    All of it raises an `ApplicationStateError` if the application is not started, or was started on
    another event loop; and what the journals raise if they cannot reach their database.
    """

    _home: HomeLoop

    @property
    @abstractmethod
    def runs(self) -> Runs:
        """Those of the started application."""

    @abstractmethod
    async def execute(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]:
        """Run to the end."""

    @abstractmethod
    def stream(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> RunStream[Any]:
        """A run to read while it goes on."""

    @abstractmethod
    def run(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]:
        """Start, execute and close."""

    @abstractmethod
    def execute_stream(
        self, command: AgentCommand | str, *, deps: object = None
    ) -> AsyncGenerator[str]:
        """The text as the model produces it."""

    @abstractmethod
    def stream_events(
        self, command: AgentCommand | str, *, deps: object = None
    ) -> AsyncGenerator[AgentEvent]:
        """Everything as it happens."""

    async def submit(
        self,
        command: AgentCommand | str,
        *,
        deps: object = None,
        run_id: str | None = None,
        queue: str | None = None,
        not_before: datetime | None = None,
    ) -> str:
        """Have a command run without waiting for it; the same id twice is one run.

        Args:
            command: A question, or a command.
            deps: As for `execute`; journals in a database need a value with a JSON form.
            run_id: Of the run, 1 to 200 printable characters; None makes one.
            queue: Who is to run it; None is `default`.
            not_before: When it may begin, with a time zone; None is at once.

        Returns:
            The id of the run.

        Raises:
            FormError: The command or the deps have something that cannot be kept.
            RunConflictError: There is a run of this id with another command.
            ConfigurationError: There is no such queue.
            ValueError: The time has no time zone, or the id cannot be one.
        """
        return await self.runs.submit(
            command_of(command), deps=deps, run_id=run_id, queue=queue, not_before=not_before
        )

    def attach(self, run_id: str, *, after: int = 0) -> RunStream[Any]:
        """A run to read while it goes on, or afterwards: `async with app.attach(id) as run:`.

        Leaving it does not cancel the run. It ends when the run does, and when the run waits for a
        person: its result has `waiting` then. The output of a structured answer is what JSON
        carries.

        Args:
            run_id: The id of the run; if there is no such run, reading raises an
                `UnknownRunError`.
            after: The last `seq` that the reader has; 0 reads all.
        """
        events = self.runs.events(run_id, after=after)
        return RunStream(self._home.keep(events), run_id=run_id)

    async def result(self, run_id: str) -> AgentResult[Any] | Waiting:
        """The end of a run, or where it is; does not wait.

        The output of a structured answer is what JSON carries.

        Raises:
            UnknownRunError: There is no such run.
        """
        return await self.runs.result(run_id)

    async def decide(
        self, run_id: str, key: str, decision: Approve | Deny, *, by: str | Caller
    ) -> ApprovalRequest | None:
        """Let a waiting tool call go on, or not; the first decision counts.

        If `approvals.by` asks for several people, each of their approvals is kept, and the call is
        made after the last one; the first denial counts.

        Args:
            run_id: The id of the run.
            key: Of the call, as the request has it.
            decision: `Approve()`, `Approve(arguments=…)` or `Deny("too much")`.
            by: The name of the person who has decided, printable; the audit log and hooks are told.
                A name in `server.api_keys` has the rights of its key. A `Caller` says which rights
                and groups the person has.

        Returns:
            The request, if another person has to approve it, too; else None.

        Raises:
            UnknownRunError: There is no such run.
            DecisionRightError: The person has no right to decide about this call.
            DecisionError: The call does not wait for it, or the tool does not take the arguments.
            ValueError: It does not say who has decided.
        """
        return await self.runs.decide(run_id, key, decision, by=by)

    async def cancel(self, run_id: str) -> None:
        """End a run, wherever it is, with `CANCELLED`; nothing happens to a finished one.

        Raises:
            UnknownRunError: There is no such run.
        """
        await self.runs.cancel(run_id)

    async def waiting(self, /, **filters: str) -> Sequence[ApprovalRequest]:
        """Return the requests about which people have to decide, oldest first.

        Args:
            filters: Fields of `ApprovalRequest` and the values they must have, as `user_id="ann"`.
        """
        return await self.runs.waiting(**filters)
