"""An application, as handles and blocking applications ask it."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from datetime import datetime
from functools import partial
from types import AsyncGeneratorType
from typing import Any, TypeVar, Unpack, overload
from weakref import WeakSet

from arc_autoconfig.errors import ApplicationStateError
from arc_autoconfig.runs.options import RunKeywords, command_of, deps_for
from arc_autoconfig.runs.stream import RunStream
from arc_autoconfig.runs.wired_agents import WiredAgents
from arc_core.approvals import ApprovalRequest, Approve, Deny
from arc_core.command import AgentCommand
from arc_core.events import AgentEvent
from arc_core.interfaces.agent_executor import AgentExecutor
from arc_core.interfaces.optional import StreamsDocuments
from arc_core.result import AgentResult
from arc_core.runs.callers import Caller
from arc_core.runs.runs import Runs
from arc_core.runs.store import Waiting

T = TypeVar("T")


class HomeLoop:
    """Remembers the event loop of the start, and refuses all others until it is left.

    The locks, permits and connections of an application belong to that loop.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._streams = WeakSet[AsyncGeneratorType[Any, None]]()

    def enter(self) -> None:
        """From now on, only the running event loop will do."""
        self._loop = asyncio.get_running_loop()

    def leave(self) -> None:
        """From now on, every event loop will do."""
        self._loop = None

    def check(self) -> None:
        """Do nothing on the loop that was entered, or if none was.

        Raises:
            ApplicationStateError: Another event loop is running.
        """
        if self._loop is not None and self._loop is not asyncio.get_running_loop():
            raise ApplicationStateError(
                "the application was started on another event loop",
                evidence=["its locks, permits and connections belong to that loop"],
                remedy="use and close it on the loop that started it, or make another Application",
            )

    def keep(self, stream: AsyncGenerator[T]) -> AsyncGenerator[T]:
        """The stream itself, or, made without a loop, one that checks where it is read.

        It is closed with the application, if it is still open then.

        Raises:
            ApplicationStateError: Another event loop is running.
        """
        if _is_in_event_loop():
            self.check()
        else:
            stream = self._read_at_home(stream)
        if isinstance(stream, AsyncGeneratorType):
            self._streams.add(stream)
        return stream

    async def close_streams(self) -> None:
        """Close what is not read any more; event loops cannot, as streams are nested."""
        for stream in tuple(self._streams):
            if not stream.ag_running:
                await stream.aclose()

    async def _read_at_home(self, stream: AsyncGenerator[T]) -> AsyncGenerator[T]:
        self.check()
        async with aclosing(stream):
            async for each in stream:
                yield each


class AgentApplication(AbstractAsyncContextManager[Any]):
    """Runs that are executed, submitted, wait for people, and are read by their ids.

    All of it raises an `ApplicationStateError` if the application is not started, or was started on
    another event loop; and what the journals raise if they cannot reach their database.
    """

    def __init__(self) -> None:
        self._executor: AgentExecutor | None = None
        self._agents: WiredAgents | None = None
        self._started_runs: Runs | None = None
        self._home = HomeLoop()

    @property
    def runs(self) -> Runs:
        """The runs of the started application, as the program may have them.

        `runs.for_caller(caller)` are those that a caller over a network may have.

        Raises:
            ApplicationStateError: It is not started, or was started on another event loop.
        """
        if self._started_runs is None:
            raise _not_started_error()
        if _is_in_event_loop():
            self._home.check()
        return self._started_runs

    @overload
    async def execute(
        self, command: AgentCommand | str, *, output: type[T], **options: Unpack[RunKeywords]
    ) -> AgentResult[T]: ...

    @overload
    async def execute(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]: ...

    async def execute(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]:
        """Run to the end; failures are results.

        Args:
            command: A question, or a command.
            output: The type of the answer, which is asked for as JSON: a pydantic class, a
                dataclass, a TypedDict, a `list[…]`, a union, a `Literal`, an enum or a scalar.
            options: Fields of `AgentCommand`, laid over those of a command; and `deps`.

        Raises:
            ValidationError: A keyword has a wrong value, or the type has no JSON Schema.
        """
        executor = self._require_executor()
        self._home.check()
        taken = deps_for(executor.execute, options.pop("deps", None))
        return await executor.execute(command_of(command, output=output, options=options), **taken)

    @overload
    def stream(
        self, command: AgentCommand | str, *, output: type[T], **options: Unpack[RunKeywords]
    ) -> RunStream[T]: ...

    @overload
    def stream(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> RunStream[Any]: ...

    def stream(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> RunStream[Any]:
        """A run to read while it goes on: `async with app.stream("Hi") as run:`.

        Args:
            command: As for `execute`.
            output: As for `execute`.
            options: As for `execute`.

        Raises:
            ValidationError: As `execute`.
        """
        executor, deps = self._require_executor(), options.pop("deps", None)
        asked = command_of(command, output=output, options=options)
        output_by = None
        if self._agents is not None:
            asked = self._agents.with_output(asked)
            output_by = partial(self._agents.get_output, asked)
        stream = executor.stream_events
        # By its type: a wrapper that hands on all that it has not must not be passed by.
        if isinstance(executor, StreamsDocuments) and hasattr(type(executor), "stream_documents"):
            stream = executor.stream_documents
        events = self._home.keep(stream(asked, **deps_for(stream, deps)))
        return RunStream(events, asked, output_by=output_by, deps=deps)

    def execute_stream(
        self, command: AgentCommand | str, *, deps: object = None
    ) -> AsyncGenerator[str]:
        """The text as the model produces it; a failure is a last piece `[error] <message>`."""
        stream = self._require_executor().execute_stream
        return self._home.keep(stream(command_of(command), **deps_for(stream, deps)))

    def stream_events(
        self, command: AgentCommand | str, *, deps: object = None
    ) -> AsyncGenerator[AgentEvent]:
        """Everything as it happens, `RunFinished` last; leaving the iteration cancels the run."""
        stream = self._require_executor().stream_events
        return self._home.keep(stream(command_of(command), **deps_for(stream, deps)))

    @overload
    def run(
        self, command: AgentCommand | str, *, output: type[T], **options: Unpack[RunKeywords]
    ) -> AgentResult[T]: ...

    @overload
    def run(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]: ...

    def run(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]:
        """Start, execute and close, for scripts without an event loop.

        May be called again; each call is a life of its own, so conversations kept in memory do not
        outlast it.

        Args:
            command: As for `execute`.
            output: As for `execute`.
            options: As for `execute`.

        Raises:
            ValidationError: As `execute`.
            ApplicationStateError: An event loop is running.
            ConfigurationError: A component cannot be built or started.
        """
        if _is_in_event_loop():
            raise ApplicationStateError(
                "Application.run cannot be used inside a running event loop",
                remedy="use `async with app:` and `await app.execute(…)` there, or `with "
                "app.blocking() as blocking:`",
            )
        deps = options.pop("deps", None)
        asked = command_of(command, output=output, options=options)
        with asyncio.Runner() as runner:
            return runner.run(self._run_once(asked, deps))

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

    async def _run_once(self, command: AgentCommand, deps: object) -> AgentResult:
        async with self:
            return await self.execute(command, deps=deps)

    def _require_executor(self) -> AgentExecutor:
        if self._executor is None:
            raise _not_started_error()
        return self._executor


def _is_in_event_loop() -> bool:
    """Return whether an event loop is running in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _not_started_error() -> ApplicationStateError:
    """Return the error of a caller that uses an application before its start, or after its end."""
    return ApplicationStateError(
        "the application is not started",
        remedy="use it inside `async with app:`, or call app.run(…) in a script",
    )
