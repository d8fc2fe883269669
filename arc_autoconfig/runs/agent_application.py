"""An application and its agents, as programs ask them."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from functools import partial
from typing import Any, Generic, TypeVar, Unpack, overload

from arc_autoconfig.errors import ApplicationStateError
from arc_autoconfig.runs.options import RunKeywords, command_of, deps_for
from arc_autoconfig.runs.started_parts import StartedParts, is_in_event_loop
from arc_core.command import AgentCommand
from arc_core.events import AgentEvent
from arc_core.interfaces.credentials import Credential, Credentials, LoginNeeded, Owner
from arc_core.interfaces.optional import StreamsDocuments
from arc_core.requests import Answer, Approve, Deny, Request
from arc_core.result import AgentResult, OutputT
from arc_core.runs.callers import Caller
from arc_core.runs.forks import leave_conversation
from arc_core.runs.partial_outputs import PartialAnswer
from arc_core.runs.run import Run
from arc_core.runs.runs import Runs
from arc_core.runs.store import Waiting

T = TypeVar("T")

RunStream = Run
"""A run that is read while it goes on, as `stream` and `attach` give it."""


class AgentCommands(Generic[OutputT]):
    """The commands that an application takes for any agent, and a handle for one.

    All of them raise an `ApplicationStateError` if the application is not started, or was started
    on another event loop; and what the store of runs raises if it cannot reach its database.

    Args:
        application: Is started and closed by `run`.
        parts: Those of the application.
        agent: The agent that is asked, whichever the commands name; None leaves it to them.
    """

    def __init__(
        self,
        application: AbstractAsyncContextManager[Any],
        parts: StartedParts,
        agent: str | None = None,
    ) -> None:
        self._application, self._parts, self._agent = application, parts, agent

    @overload
    async def execute(
        self, command: AgentCommand | str, *, output: type[T], **options: Unpack[RunKeywords]
    ) -> AgentResult[T]: ...

    @overload
    async def execute(
        self, command: AgentCommand | str, *, output: None = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[OutputT]: ...

    @overload
    async def execute(
        self, command: AgentCommand | str, *, output: Any, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]: ...

    async def execute(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]:
        """Run to the end; failures are results.

        Args:
            command: A question, or a command; the agent it names gives way to that of a handle.
            output: The type of the answer, which is asked for as JSON: a pydantic class, a
                dataclass, a TypedDict, a `list[…]`, a union, a `Literal`, an enum or a scalar.
            options: Fields of `AgentCommand`, laid over those of a command; and `deps`.

        Raises:
            ValidationError: A keyword has a wrong value, or the type has no JSON Schema.
        """
        executor = self._parts.require_executor()
        self._parts.home.check()
        taken = deps_for(executor.execute, options.pop("deps", None))
        asked = command_of(command, output=output, options=options, agent=self._agent)
        return await executor.execute(asked, **taken)

    @overload
    def stream(
        self, command: AgentCommand | str, *, output: type[T], **options: Unpack[RunKeywords]
    ) -> Run[T]: ...

    @overload
    def stream(
        self, command: AgentCommand | str, *, output: None = None, **options: Unpack[RunKeywords]
    ) -> Run[OutputT]: ...

    @overload
    def stream(
        self, command: AgentCommand | str, *, output: Any, **options: Unpack[RunKeywords]
    ) -> Run[Any]: ...

    def stream(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> Run[Any]:
        """A run to read while it goes on: `async with app.stream("Hi") as run:`.

        It is asked for and refused as by `execute`.
        """
        deps = options.pop("deps", None)
        asked = command_of(command, output=output, options=options, agent=self._agent)
        return self._start(asked, deps)

    def execute_stream(
        self, command: AgentCommand | str, *, deps: object = None
    ) -> AsyncGenerator[str]:
        """The text as the model produces it; a failure is a last piece `[error] <message>`."""
        stream = self._parts.require_executor().execute_stream
        asked = command_of(command, agent=self._agent)
        return self._parts.home.keep(stream(asked, **deps_for(stream, deps)))

    def stream_events(
        self, command: AgentCommand | str, *, deps: object = None
    ) -> AsyncGenerator[AgentEvent]:
        """Everything as it happens, `RunFinished` last; leaving the iteration cancels the run."""
        stream = self._parts.require_executor().stream_events
        asked = command_of(command, agent=self._agent)
        return self._parts.home.keep(stream(asked, **deps_for(stream, deps)))

    @overload
    def run(
        self, command: AgentCommand | str, *, output: type[T], **options: Unpack[RunKeywords]
    ) -> AgentResult[T]: ...

    @overload
    def run(
        self, command: AgentCommand | str, *, output: None = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[OutputT]: ...

    @overload
    def run(
        self, command: AgentCommand | str, *, output: Any, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]: ...

    def run(
        self, command: AgentCommand | str, *, output: Any = None, **options: Unpack[RunKeywords]
    ) -> AgentResult[Any]:
        """Start the application, `execute` and close it, for scripts without an event loop.

        May be called again; each call is a life of its own, so conversations kept in memory do not
        outlast it.

        Raises:
            ApplicationStateError: An event loop is running.
            ConfigurationError: A component cannot be built or started.
        """
        if is_in_event_loop():
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
        asked = command_of(command, agent=self._agent)
        return await self._parts.require_runs().submit(
            asked, deps=deps, run_id=run_id, queue=queue, not_before=not_before
        )

    async def _run_once(self, command: AgentCommand, deps: object) -> AgentResult:
        async with self._application:
            return await self.execute(command, deps=deps)

    def _start(self, command: AgentCommand, deps: object) -> Run[Any]:
        """Return a run of the executor; of documents, too, if that streams them."""
        parts, executor, make_answer = self._parts, self._parts.require_executor(), None
        output_by = None
        if parts.agents is not None:
            command = parts.agents.with_output(command)
            output_by = partial(parts.agents.get_output, command)
        if not isinstance(command.response_schema, Mapping | None):
            make_answer = partial(PartialAnswer, command, output_by, deps=deps)
        stream = executor.stream_events
        # By its type: a wrapper that hands on all that it has not must not be passed by.
        if isinstance(executor, StreamsDocuments) and hasattr(type(executor), "stream_documents"):
            stream = executor.stream_documents
        events = parts.home.keep(stream(command, **deps_for(stream, deps)))
        return parts.require_runs().start(events, make_answer)


class AgentHandle(AgentCommands[OutputT]):
    """One agent of an application: `app.agent("refunds")`.

    Args:
        name: Of the agent.
        application: Runs it.
        parts: Those of the application.

    Attributes:
        name: Of the agent.
    """

    def __init__(
        self, name: str, *, application: AbstractAsyncContextManager[Any], parts: StartedParts
    ) -> None:
        super().__init__(application, parts, name)
        self.name = name


class AgentApplication(AgentCommands[Any], AbstractAsyncContextManager[Any]):
    """Runs that are executed, submitted, wait for people, and are read by their ids.

    Each method raises what `AgentCommands` says.
    """

    def __init__(self) -> None:
        super().__init__(self, StartedParts())

    @property
    def runs(self) -> Runs:
        """The runs of the started application, as the program may have them.

        `runs.for_caller(caller)` are those that a caller over a network may have.

        Raises:
            ApplicationStateError: It is not started, or was started on another event loop.
        """
        return self._parts.require_runs()

    def attach(self, run_id: str, *, after: int = 0) -> Run[Any]:
        """A run to read while it goes on, or afterwards: `async with app.attach(id) as run:`.

        Leaving it does not cancel the run. It ends when the run does, and when the run waits for a
        person: its result has `waiting` then. The output of a structured answer is what JSON
        carries.

        Args:
            run_id: The id of the run; if there is no such run, reading raises an
                `UnknownRunError`.
            after: The last `seq` that the reader has; 0 reads all.
        """
        return self.runs.get(run_id, after=after)

    def fork(self, run_id: str, *, after: str, **options: Unpack[RunKeywords]) -> Run[Any]:
        """A new run with the recorded steps of another one: `async with app.fork(…) as run:`.

        Nothing that was done up to there is done again, and the other run stays as it is. It is
        part of no conversation, unless the options name one. Needs `Application(record=True)`, or
        runs that are kept in a database.

        Args:
            run_id: The id of the run.
            after: The key of the last step that is taken over, such as `model/2`; `tool/1` takes
                over `tool/0`, too, and no later call. `arc runs show` lists them.
            options: Fields of `AgentCommand`, laid over those of the run, for the steps behind; and
                `deps`. What the steps before have used, as the system prompt, stays.

        Raises:
            UnknownRunError: There is no such run. As all the others, it is raised by the opening.
            ForkError: The run has no such step, or its steps are in an earlier layout.
            ConfigurationError: Runs are not recorded.
        """
        deps = options.pop("deps", None)

        def change(command: AgentCommand) -> AgentCommand:
            return command_of(leave_conversation(command), options=options)

        return self.runs.fork(run_id, after=after, deps=deps, change=change)

    async def result(self, run_id: str) -> AgentResult[Any] | Waiting:
        """The end of a run, or where it is; does not wait.

        The output of a structured answer is what JSON carries.

        Raises:
            UnknownRunError: There is no such run.
        """
        return (await self.runs.find(run_id)).outcome

    async def decide(
        self, run_id: str, key: str, decision: Approve | Answer | Deny, *, by: str | Caller
    ) -> Request | None:
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

    async def waiting(self, /, **filters: str) -> Sequence[Request]:
        """Return the requests about which people have to decide, oldest first.

        Args:
            filters: Fields of `Request` and the values they must have, as `user_id="ann"`.
        """
        return await self.runs.waiting(**filters)


class ProgramCredentials(Credentials):
    """Those of the slot; what a program puts ends the logins that runs wait for."""

    def __init__(self, credentials: Credentials, runs: Runs) -> None:
        self._credentials, self._runs = credentials, runs

    async def get(
        self,
        owner: Owner,
        service: str,
        *,
        rejected: Credential | None = None,
        scopes: Sequence[str] = (),
    ) -> Credential | LoginNeeded:
        """Return a credential that is good as far as is known; see `Credentials.get`."""
        return await self._credentials.get(owner, service, rejected=rejected, scopes=scopes)

    async def put(self, owner: Owner, service: str, credential: Credential) -> None:
        """Keep a credential, and let all runs go on that wait for it.

        Args:
            owner: Whose; a blank user is the whole tenant, if the service is one of tenants.
            service: The name of the service.
            credential: In the place of the one before.

        Raises:
            CredentialError: The owner cannot own one.
        """
        await self._credentials.put(owner, service, credential)
        user_id = owner.user_id.strip() or None
        await self._runs.end_logins(service, user_id=user_id, tenant_id=owner.tenant_id)

    async def remove(self, owner: Owner, service: str | None = None) -> int:
        """Forget a credential of an owner, or all of them; return how many there were."""
        return await self._credentials.remove(owner, service)
