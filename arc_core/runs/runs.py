"""The runs of an application: begun, submitted, read, decided about, and cancelled."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Self
from uuid import uuid4

from arc_core.command import AgentCommand, tenant_of
from arc_core.errors import DecisionError, ForkError, UnknownRunError
from arc_core.events import AgentEvent
from arc_core.log import get_logger
from arc_core.requests import (
    Answer,
    ApprovalRequest,
    Approve,
    Decision,
    Deny,
    LoginRequest,
    Request,
)
from arc_core.runs.callers import (
    Caller,
    check_any_right,
    check_records,
    check_right,
    has_right,
    may_answer,
    may_see,
    may_see_requests,
    permit,
    tenant_for,
    user_for,
)
from arc_core.runs.forks import choose_steps, leave_conversation
from arc_core.runs.journal import LAYOUT, Recording, RunHistory
from arc_core.runs.live_events import LiveEvents
from arc_core.runs.partial_outputs import PartialAnswer
from arc_core.runs.requests import check_class, find_requests
from arc_core.runs.resumable_events import Hold, ResumableEvents, make_kept
from arc_core.runs.run import Run
from arc_core.runs.run_ids import RunIds
from arc_core.runs.store import Capability, RunPage, RunQuery, RunState, RunStore, RunSummary
from arc_core.timing.cancellation import wait_despite_cancellation

logger = get_logger("server")

CheckDecision = Callable[[Request, Approve | Answer | Deny, str], Awaitable[None]]
"""Refuses a decision with which a run could not go on; gets the name of the agent of the run."""

_MAX_ID_CHARS = 200
_NOT_ASKED = "not asked"
"""The hash of a decision about a call that does not wait: no request has it, so none is decided
whose decider was not checked."""
_NEEDS_A_WORKER = (
    "This server does not work on runs that are submitted; the run begins when a worker takes it."
)
_GOES_ON = frozenset({RunState.QUEUED, RunState.RUNNING})


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmaskedRecord:
    """A run, what its steps have recorded, and its history if that is kept; nothing is masked."""

    summary: RunSummary
    recording: Recording
    history: RunHistory | None


async def _accept(request: Request, answer: Approve | Answer | Deny, agent: str) -> None:
    """Let every decision pass."""


class Runs:
    """Runs through a store, so that each can be read by its id.

    Ids, arguments and rights are checked here and nowhere else. `for_caller` gives the runs that a
    caller over a network may have. There, every method raises an `UnknownRunError` for a run that
    the caller may not see, and a `NotPermittedError` for a tenant, a user or an agent that its key
    is not for.

    Args:
        store: Keeps the runs.
        check: Is asked about each decision.
        find_caller: Returns the caller whose key has a name; others are people without a key.
        agents: The names that callers can ask.
        make_deps: Makes what the runs of callers are handed.
        check_loop: Refuses an event loop to which the store does not belong.
    """

    def __init__(
        self,
        store: RunStore,
        *,
        check: CheckDecision = _accept,
        find_caller: Callable[[str], Caller | None] = lambda _: None,
        agents: Sequence[str] = (),
        make_deps: Callable[[Caller, AgentCommand], Awaitable[object]] | None = None,
        check_loop: Callable[[], None] = lambda: None,
    ) -> None:
        self._store, self._check, self._find_caller = store, check, find_caller
        self._agents, self._make_deps, self._check_loop = agents, make_deps, check_loop
        self._holds: dict[str, Hold] = {}
        self._caller: Caller | None = None
        self._agent: str | None = None
        self._ids = RunIds(None)

    def for_caller(self, caller: Caller) -> Self:
        """Return the runs as a caller over a network may have them."""
        own = copy(self)
        own._caller = caller  # noqa: SLF001 -- of its own class
        own._ids = RunIds(caller.tenant_id)  # noqa: SLF001 -- of its own class
        return own

    def for_agent(self, agent: str) -> Self:
        """Return the runs whose commands are asked of an agent, whichever they name."""
        own = copy(self)
        own._agent = agent  # noqa: SLF001 -- of its own class
        return own

    @property
    def submitting_note(self) -> str:
        """The words for callers whose runs need a worker that this process is not; or empty."""
        return _NEEDS_A_WORKER if self._store.leaves_runs_to_workers else ""

    @property
    def is_recording(self) -> bool:
        """True if the steps of runs are recorded, so that they can be looked at."""
        return self._store.is_recording

    def start(
        self,
        events: AsyncGenerator[AgentEvent],
        make_answer: Callable[[], PartialAnswer] | None = None,
    ) -> Run[Any]:
        """Return a run that lives only as long as it is read, and begins when it is opened.

        Args:
            events: Of the run.
            make_answer: As `Run` takes it.
        """
        source = LiveEvents(events)
        return Run(source, decide=self.decide, cancel=self.cancel, make_answer=make_answer)

    def begin(
        self, command: AgentCommand, *, run_id: str | None = None, outlives_caller: bool = False
    ) -> Run[Any]:
        """Return a run that begins in this process when it is opened.

        When the last who holds it leaves, it is cancelled, unless it is durable, waits for a
        person, or is to outlive its caller. A known id of the same command is that run.

        Args:
            command: What is asked. A tenant and a user that it leaves out are those of the key, if
                the key is for one.
            run_id: Of the run; None makes one.
            outlives_caller: Whether it goes on when it is not held any more.

        Raises:
            UnknownAgentError: There is no such agent. As all the others, it is raised by the
                opening of the run.
            RunConflictError: There is a run of this id with another command.
            FormError: A durable run cannot keep what the command has.
        """
        return self._open_later(self._begin(command, run_id, outlives_caller=outlives_caller))

    def get(self, run_id: str, *, after: int = 0) -> Run[Any]:
        """Return a run that goes on, waits or has ended.

        Args:
            run_id: The id of the run; if there is no such run, opening or reading it raises an
                `UnknownRunError`.
            after: The last `seq` that the reader has; 0 has none.
        """
        return self._open_later(self._attach(run_id), run_id=run_id, after=after)

    async def submit(
        self,
        command: AgentCommand,
        *,
        deps: object = None,
        run_id: str | None = None,
        queue: str | None = None,
        not_before: datetime | None = None,
    ) -> str:
        """Have a command run, here or by a worker; return its id. Raises as `begin` and a store."""
        if not_before is not None and not_before.tzinfo is None:
            raise ValueError("not_before has no time zone; write datetime.now(UTC) + …")
        command = self._permit(command)
        kept_id, _ = await self._place(run_id)
        deps = await self._deps_for(command) if deps is None else deps
        await self._store.submit(
            command, run_id=kept_id, deps=deps, queue=queue, not_before=not_before
        )
        return self._ids.known_as(kept_id)

    def fork(
        self,
        run_id: str,
        *,
        after: str,
        deps: object = None,
        change: Callable[[AgentCommand], AgentCommand] = leave_conversation,
    ) -> Run[Any]:
        """Return a new run with recorded steps of another one, which begins when it is opened.

        Nothing that was done before is done again, and the other run stays as it is. The new one is
        cancelled when the last who holds it leaves, unless it is durable or waits for a person.

        Args:
            run_id: The id of the run.
            after: The key of the last step that is taken over, such as `model/2`; `tool/1` takes
                over `tool/0`, too, and no later call.
            deps: As for `execute`; None are those of the run, as far as they are kept.
            change: Makes the command of the new run from that of the other one.

        Raises:
            UnknownRunError: There is no such run. As all the others, it is raised by the opening.
            ForkError: The run has no such step, or its steps are in an earlier layout.
            ConfigurationError: The store does not record runs.
        """
        return self._open_later(self._fork(run_id, after=after, deps=deps, change=change))

    async def find(self, run_id: str) -> RunSummary:
        """Return what is known of a run, with its result or what it has so far; does not wait."""
        found = await self._require(run_id)
        kept = None if found.result is None else make_kept(found.result)
        return self._ids.summary(replace(found, result=kept))

    async def search(self, query: RunQuery) -> RunPage:
        """Return a page of the newest runs that a query wants, of those that the caller may see.

        Raises:
            NotPermittedError: The key has no right to see records.
            ConfigurationError: The store cannot list runs.
        """
        caller = self._caller
        if caller is None:
            return await self._store.search(query)
        check_records(caller)
        if caller.tenant_id is not None:
            if query.tenant_id not in {None, caller.tenant_id}:
                return RunPage()
            query = replace(query, tenant_id=caller.tenant_id)
        page = await self._store.search(replace(query, sees=partial(may_see, caller=caller)))
        return replace(page, runs=tuple(map(self._ids.summary, page.runs)))

    async def record(self, run_id: str) -> UnmaskedRecord:
        """Return a run with what its steps have recorded.

        Raises:
            NotPermittedError: The key has no right to see records.
            ConfigurationError: The store does not record runs.
        """
        if self._caller is not None:
            check_records(self._caller)
        found = await self._require(run_id)
        recording = await self._store.recording(found.run_id)
        return UnmaskedRecord(
            summary=self._ids.summary(found),
            recording=replace(recording, run_id=self._ids.known_as(found.run_id)),
            history=await self._store.history(found.run_id),
        )

    async def cancel(self, run_id: str) -> None:
        """End a run, wherever it is."""
        await self._store.cancel(await self._kept_id(run_id))

    async def forget(self, run_id: str) -> None:
        """Remove what is kept of a run that has ended.

        Raises:
            ConfigurationError: The store cannot.
        """
        await self._store.forget(await self._kept_id(run_id))

    async def decide(
        self, run_id: str, key: str, answer: Approve | Answer | Deny, *, by: str | Caller = ""
    ) -> Request | None:
        """Let a waiting call go on, or not, unless the tool cannot be called so; or answer it.

        This is the one way by which decisions come to the store, and it checks the right.

        Args:
            run_id: The id of the run.
            key: Of the call.
            answer: What was decided.
            by: By whom, unless the runs are those of a caller.

        Returns:
            The request, if another person has to approve it, too; else None.

        Raises:
            DecisionRightError: The caller has no right to decide about this call.
            DecisionError: The call does not wait for it.
            InvalidDecisionError: The tool does not take the arguments, the answer does not fit the
                question, or the request takes another class of decisions.
        """
        caller = self._caller or self._check_name(by)
        found = await self._require(run_id, sees=_sees_requests)
        request = _request_in(found, key)
        if request is None:
            if not isinstance(answer, Answer):  # users answer without the right
                check_any_right(caller)
            if not _is_id(key):
                raise DecisionError("it was not asked for", run_id=run_id, key=key)
        else:
            check_right(request, caller)
            known = self._ids.request(request)
            check_class(known, answer)
            await self._check(known, answer, found.agent)
        decision = Decision(
            answer=answer,
            by=caller.name,
            at=datetime.now(UTC),
            arguments_hash=_NOT_ASKED if request is None else request.arguments_hash,
        )
        await self._store.decide(found.run_id, key, decision)
        if request is None or request.people == 1 or isinstance(answer, Deny):
            return None
        left = _request_in(await self._store.find(found.run_id), key)
        return None if left is None else self._ids.request(left)

    async def end_logins(self, service: str, *, user_id: str | None, tenant_id: str | None) -> int:
        """Let all runs go on that wait for a login of a user at a service; return how many.

        Args:
            service: The name of the service.
            user_id: Who has logged in; None is all users of the tenant, who share the credential.
            tenant_id: Of the user, if any.
        """
        ended, tenant_id = 0, tenant_of(tenant_id)
        filters = {} if user_id is None else {"user_id": user_id}
        for request in await find_requests(self._store, filters):
            is_it = isinstance(request, LoginRequest) and request.service == service
            if not is_it or tenant_of(request.tenant_id) != tenant_id:
                continue
            decision = Decision(
                answer=Answer(),
                by=user_id or request.user_id,
                at=datetime.now(UTC),
                arguments_hash=request.arguments_hash,
            )
            try:
                await self._store.decide(request.run_id, request.key, decision)
            except (DecisionError, UnknownRunError):  # it has ended, or was denied meanwhile
                continue
            ended += 1
        return ended

    def may_decide(self, request: Request) -> bool:
        """Return whether the key of the caller has the right to decide about a call that waits."""
        return self._caller is None or has_right(request, self._caller)

    async def running_in(
        self, session_id: str, *, user_id: str | None = None, tenant_id: str | None = None
    ) -> str | None:
        """Return the id of the newest run of a conversation that has no end yet; None if none is.

        Args:
            session_id: The conversation.
            user_id: Whose it is; None is the user of the key.
            tenant_id: In which tenant; None is that of the key.

        Raises:
            NotPermittedError: The key is not for the tenant or the user.
        """
        if (caller := self._caller) is not None:
            user_id, tenant_id = user_for(user_id, caller), tenant_for(tenant_id, caller)
        found = await self._store.running_in(session_id, user_id=user_id, tenant_id=tenant_id)
        return None if found is None else self._ids.known_as(found)

    async def waiting(self, **filters: str | None) -> Sequence[Request]:
        """Return what people have to decide, oldest first.

        A key with the right to decide about the runs of others gets their requests, too, also if
        it is bound to users.

        Args:
            filters: Fields of `Request` and the values they must have, as `user_id="ann"`;
                None is any.
        """
        given = {name: value for name, value in filters.items() if value is not None}
        caller = self._caller
        if caller is None:
            return await find_requests(self._store, given)
        if caller.tenant_id is not None:
            given["tenant_id"] = caller.tenant_id
        sees = partial(_sees_requests, caller=caller)
        found = await find_requests(self._store, given, sees=sees)
        visible = [
            each for each in found if isinstance(each, ApprovalRequest) or may_answer(each, caller)
        ]
        return [*map(self._ids.request, visible)]

    def cancel_held(self) -> None:
        """Cancel what would end with its readers, and let these read the end."""
        for hold in self._holds.values():
            if hold.ends_unread and hold.ending is None:
                hold.ending = asyncio.create_task(
                    self._cancel_if_it_goes_on(hold.run_id), name="arc-held-run"
                )

    async def _require(
        self, run_id: str, *, sees: Callable[[RunSummary, Caller], bool] = may_see
    ) -> RunSummary:
        """Return a run as it is kept, unless there is none or the caller may not see it."""
        if self._caller is None:
            _check_id(run_id)
            return await self._store.find(run_id)
        for each in self._ids.candidates(run_id):
            found = await self._look_for(each)
            if found is not None and sees(found, self._caller):
                return found
        raise UnknownRunError(run_id)

    async def _kept_id(self, run_id: str) -> str:
        if self._caller is not None:
            return (await self._require(run_id)).run_id
        _check_id(run_id)
        return run_id

    def _permit(self, command: AgentCommand) -> AgentCommand:
        if self._agent is not None:
            command = command.model_copy(update={"agent": self._agent})
        return command if self._caller is None else permit(command, self._caller, self._agents)

    async def _deps_for(self, command: AgentCommand) -> object | None:
        """Make what the program hands to a run of the caller."""
        if self._make_deps is None or self._caller is None:
            return None
        return await self._make_deps(self._caller, command)

    def _check_name(self, by: str | Caller) -> Caller:
        caller = by if isinstance(by, Caller) else self._find_caller(by) or Caller(name=by)
        if not caller.name.strip():
            raise ValueError("by is empty; write who has decided")
        if not caller.name.isprintable():
            raise ValueError("by is not printable; write who has decided")
        return caller

    async def _place(self, run_id: str | None) -> tuple[str, bool]:
        """Return the id under which a run is kept, or is to be, and whether it is new."""
        if run_id is None:
            return str(uuid4()), True
        if self._caller is None:
            if not _is_id(run_id):
                raise ValueError(
                    "run_id cannot be the id of a run; "
                    f"write 1 to {_MAX_ID_CHARS} printable characters"
                )
            return run_id, True
        candidates = self._ids.candidates(run_id)
        for each in candidates:
            found = await self._look_for(each)
            if found is not None and may_see(found, self._caller):
                return each, False
            if found is not None and each == candidates[0]:
                raise UnknownRunError(run_id)
        return self._ids.choose(run_id), True

    async def _look_for(self, run_id: str) -> RunSummary | None:
        if not run_id.isprintable():  # which no database is asked for
            return None
        try:
            return await self._store.find(run_id)
        except UnknownRunError:
            return None

    def _open_later(
        self, holding: AbstractAsyncContextManager[Hold], *, run_id: str = "", after: int = 0
    ) -> Run[Any]:
        source = ResumableEvents(
            holding, store=self._store, ids=self._ids, run_id=run_id, after=after
        )
        return Run(source, decide=self.decide, cancel=self.cancel)

    @asynccontextmanager
    async def _begin(
        self, command: AgentCommand, run_id: str | None, *, outlives_caller: bool
    ) -> AsyncIterator[Hold]:
        command = self._permit(command)
        kept_id, is_new = await self._place(run_id)
        deps = await self._deps_for(command)
        is_durable = Capability.KEEPS in self._store.capabilities
        async with self._hold(kept_id) as hold:
            hold.ends_unread |= is_new and not (outlives_caller or is_durable)
            await self._store.begin(command, run_id=kept_id, deps=deps)
            yield hold

    @asynccontextmanager
    async def _fork(
        self,
        run_id: str,
        *,
        after: str,
        deps: object,
        change: Callable[[AgentCommand], AgentCommand],
    ) -> AsyncIterator[Hold]:
        found = await self._store.recording(await self._kept_id(run_id))
        if found.layout != LAYOUT:
            problem = f"its steps are in the layout {found.layout}, and a fork needs {LAYOUT}"
            raise ForkError(problem, run_id=run_id, remedy="fork a run of this version")
        steps = choose_steps(found.steps, after=after, run_id=run_id)
        command, (fork_id, _) = self._permit(change(found.command)), await self._place(None)
        async with self._hold(fork_id) as hold:
            hold.ends_unread |= Capability.KEEPS not in self._store.capabilities
            await self._store.fork(
                found.run_id, fork_id=fork_id, steps=steps, command=command, deps=deps
            )
            yield hold

    @asynccontextmanager
    async def _attach(self, run_id: str) -> AsyncIterator[Hold]:
        self._check_loop()
        async with self._hold(await self._kept_id(run_id)) as hold:
            yield hold

    @asynccontextmanager
    async def _hold(self, run_id: str) -> AsyncIterator[Hold]:
        hold = self._holds.setdefault(run_id, Hold(run_id))
        hold.readers += 1
        try:
            yield hold
        finally:
            hold.readers -= 1
            if not hold.readers:
                del self._holds[run_id]
                if hold.ends_unread:
                    await self._end(run_id)

    async def _end(self, run_id: str) -> None:
        """Cancel a run that goes on without a reader, also if the last one was cancelled."""
        task = asyncio.create_task(self._cancel_if_it_goes_on(run_id), name="arc-unread-run")
        await wait_despite_cancellation(task)

    async def _cancel_if_it_goes_on(self, run_id: str) -> None:
        try:
            if (await self._store.find(run_id)).state in _GOES_ON:
                await self._store.cancel(run_id)
        except UnknownRunError:  # it could not be begun
            return
        except Exception:  # what has ended the reading leaves, and not this
            logger.exception("a run could not be cancelled", run_id=run_id)


def _sees_requests(run: RunSummary, caller: Caller) -> bool:
    return may_see(run, caller) or may_see_requests(run, caller)


def _request_in(found: RunSummary, key: str) -> Request | None:
    """Return the request under a key; None if none waits, which the store explains.

    A call waits as soon as it was asked about, also while other calls of its run go on.
    """
    return next((each for each in found.requests if each.key == key), None)


def _is_id(text: str) -> bool:
    """Return whether every store can keep it, and every terminal show it."""
    return text.isprintable() and 0 < len(text.strip()) <= len(text) <= _MAX_ID_CHARS


def _check_id(run_id: str) -> None:
    if not _is_id(run_id):
        raise UnknownRunError(run_id)
