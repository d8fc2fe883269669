"""The runs of an application, for callers with a key."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any
from uuid import uuid4

from arc_autoconfig.runs.decision_rights import has_right
from arc_autoconfig.runs.kept_runs import KeptRuns
from arc_autoconfig.server.permissions import (
    may_see,
    may_see_requests,
    permit,
    tenant_for,
    user_for,
)
from arc_autoconfig.server.run_ids import RunIds, TenantRun
from arc_core.approvals import ApprovalRequest, Approve, Deny
from arc_core.command import AgentCommand
from arc_core.errors import ConfigurationError, UnknownRunError
from arc_core.events import AgentEvent, RunFinished
from arc_core.interfaces.serving.deps_factory import DepsFactory, DepsRequest
from arc_core.interfaces.serving.served_application import Caller, ServedRun, ServedRuns
from arc_core.log import get_logger
from arc_core.result import AgentResult
from arc_core.runs.store import Capability, RunState, RunStore, RunSummary, Waiting
from arc_core.timing.cancellation import wait_despite_cancellation

__all__ = ["ApplicationRuns"]

logger = get_logger("server")

_NEEDS_A_WORKER = (
    "This server does not work on runs that are submitted; the run begins when a worker takes it."
)
_GOES_ON = frozenset({RunState.QUEUED, RunState.RUNNING})


class ApplicationRuns(ServedRuns):
    """Runs through the journals of an application, so that each can be read by its id.

    Args:
        journals: Keep the runs.
        kept: Reads them, and checks decisions.
        agents: The names that can be asked.
        deps: Makes what runs are handed of their callers; None hands over nothing.
        deps_timeout_s: How long making it may take.

    Raises:
        ConfigurationError: The journals cannot say whose a run is.
    """

    def __init__(
        self,
        journals: RunStore,
        *,
        kept: KeptRuns,
        agents: Sequence[str],
        deps: DepsFactory | None = None,
        deps_timeout_s: float | None = None,
    ) -> None:
        if Capability.LISTS not in journals.capabilities:
            raise ConfigurationError(
                f"{type(journals).__qualname__} cannot serve runs",
                evidence=[
                    "it cannot find a run, which tells whose it is: it lacks Capability.LISTS"
                ],
                remedy="choose a store of runs that can, as Arc's own are",
            )
        self._journals, self._kept = journals, kept
        self._is_durable = Capability.KEEPS in journals.capabilities
        self._agents = agents
        self._deps, self._deps_timeout_s = deps, deps_timeout_s
        self._held: dict[str, _HeldRun] = {}
        self.submitting_note = ""
        if journals.leaves_runs_to_workers:
            self.submitting_note = _NEEDS_A_WORKER
            logger.warning(
                "runs that are submitted to this server stay queued until a worker takes them",
                remedy="start `arc worker`, or set durable.work = true",
            )

    @asynccontextmanager
    async def begin(
        self,
        command: AgentCommand,
        *,
        caller: Caller,
        run_id: str | None = None,
        outlives_caller: bool = False,
    ) -> AsyncIterator[ServedRun]:
        """Have a command run in this process, and hold the run."""
        command = permit(command, caller, self._agents)
        kept_id, is_new = await self._find_place(run_id, caller)
        deps = await self._make_deps(command, caller)
        async with self._hold(kept_id) as run:
            run.ends_unread |= is_new and not (outlives_caller or self._is_durable)
            await self._journals.begin(command, run_id=kept_id, deps=deps)
            yield _as_known(run, caller)

    @asynccontextmanager
    async def attach(self, run_id: str, *, caller: Caller) -> AsyncIterator[ServedRun]:
        """Hold a run that goes on, waits or has ended."""
        found = await self._require(run_id, caller)
        async with self._hold(found.run_id) as run:
            yield _as_known(run, caller)

    async def submit(
        self,
        command: AgentCommand,
        *,
        caller: Caller,
        run_id: str | None = None,
        queue: str | None = None,
        not_before: datetime | None = None,
    ) -> str:
        """Have a command run, here or by a worker; its id."""
        command = permit(command, caller, self._agents)
        kept_id, _ = await self._find_place(run_id, caller)
        deps = await self._make_deps(command, caller)
        await self._kept.submit(
            command, deps=deps, run_id=kept_id, queue=queue, not_before=not_before
        )
        return RunIds(caller.tenant_id).known_as(kept_id)

    async def find(self, run_id: str, *, caller: Caller) -> RunSummary:
        """What is known of a run."""
        return RunIds(caller.tenant_id).summary(await self._require(run_id, caller))

    async def result(self, run_id: str, *, caller: Caller) -> AgentResult[Any] | Waiting:
        """The end of a run, or where it is; does not wait."""
        found = await self._kept.result((await self._require(run_id, caller)).run_id)
        ids = RunIds(caller.tenant_id)
        return ids.summary(found) if isinstance(found, Waiting) else ids.result(found)

    async def cancel(self, run_id: str, *, caller: Caller) -> None:
        """End a run, wherever it is."""
        await self._kept.cancel((await self._require(run_id, caller)).run_id)

    async def forget(self, run_id: str, *, caller: Caller) -> None:
        """Remove what is kept of a run that has ended."""
        found = await self._require(run_id, caller)
        await self._journals.forget(found.run_id)

    async def decide(
        self, run_id: str, key: str, answer: Approve | Deny, *, caller: Caller
    ) -> ApprovalRequest | None:
        """Let a waiting tool call go on, or not."""
        found = await self._require(run_id, caller, sees=_sees_requests)
        request = await self._kept.decide(found.run_id, key, answer, by=caller)
        return None if request is None else RunIds(caller.tenant_id).request(request)

    def may_decide(self, request: ApprovalRequest, *, caller: Caller) -> bool:
        """Return whether the key of a caller has the right to decide about a call that waits."""
        return has_right(request, caller)

    async def running_in(
        self,
        session_id: str,
        *,
        caller: Caller,
        user_id: str | None = None,
        tenant_id: str | None = None,
    ) -> str | None:
        """The id of the newest run of a conversation that has no end yet; None if there is none."""
        found = await self._journals.running_in(
            session_id,
            user_id=user_for(user_id, caller),
            tenant_id=tenant_for(tenant_id, caller),
        )
        return None if found is None else RunIds(caller.tenant_id).known_as(found)

    async def waiting(
        self, *, caller: Caller, user_id: str | None = None
    ) -> Sequence[ApprovalRequest]:
        """What people have to decide, oldest first."""
        filters = {"tenant_id": caller.tenant_id, "user_id": user_id}
        given = {name: value for name, value in filters.items() if value is not None}
        found = await self._kept.waiting(**given)
        ids = RunIds(caller.tenant_id)
        return [ids.request(each) for each in found if await self._is_seen(each.run_id, caller)]

    def cancel_held(self) -> None:
        """Cancel what would end with its readers, and let these read the end."""
        for run in self._held.values():
            if run.ends_unread and run.ending is None:
                run.ending = asyncio.create_task(
                    self._cancel_if_it_goes_on(run.run_id), name="arc-held-run"
                )

    async def _make_deps(self, command: AgentCommand, caller: Caller) -> object | None:
        """What the program hands to a run of a caller."""
        if self._deps is None:
            return None
        request = DepsRequest(caller=caller, command=command)
        async with asyncio.timeout(self._deps_timeout_s):
            return await self._deps.make_deps(request)

    async def _is_seen(self, run_id: str, caller: Caller) -> bool:
        """Return whether a caller sees what waits in a run, which may have ended meanwhile."""
        found = await self._find(run_id)
        return found is not None and _sees_requests(found, caller)

    async def _find_place(self, run_id: str | None, caller: Caller) -> tuple[str, bool]:
        """Return the id under which a run is kept, or is to be, and whether it is new.

        Raises:
            UnknownRunError: The id is taken, by a run that the caller may not see.
            ConfigurationError: It cannot be the id of a run.
        """
        if run_id is None:
            return str(uuid4()), True
        ids = RunIds(caller.tenant_id)
        own = ids.candidates(run_id)[0]
        for each in ids.candidates(run_id):
            found = await self._find(each)
            if found is not None and may_see(found, caller):
                return each, False
            if found is not None and each == own:
                raise UnknownRunError(run_id)
        return ids.choose(run_id), True

    async def _require(
        self, run_id: str, caller: Caller, *, sees: Callable[[RunSummary, Caller], bool] = may_see
    ) -> RunSummary:
        """Return a run as it is kept.

        Raises:
            UnknownRunError: There is none, or the caller may not see it.
        """
        for each in RunIds(caller.tenant_id).candidates(run_id):
            found = await self._find(each)
            if found is not None and sees(found, caller):
                return found
        raise UnknownRunError(run_id)

    async def _find(self, run_id: str) -> RunSummary | None:
        if not run_id.isprintable():  # which no database is asked for
            return None
        try:
            return await self._journals.find(run_id)
        except UnknownRunError:
            return None

    @asynccontextmanager
    async def _hold(self, run_id: str) -> AsyncIterator["_HeldRun"]:
        run = self._held.setdefault(run_id, _HeldRun(run_id, self._kept))
        run.readers += 1
        try:
            yield run
        finally:
            run.readers -= 1
            if not run.readers:
                del self._held[run_id]
                if run.ends_unread:
                    await self._end(run_id)

    async def _end(self, run_id: str) -> None:
        """Cancel a run that goes on without a reader, also if the last one was cancelled."""
        task = asyncio.create_task(self._cancel_if_it_goes_on(run_id), name="arc-unread-run")
        await wait_despite_cancellation(task)

    async def _cancel_if_it_goes_on(self, run_id: str) -> None:
        try:
            found = await self._journals.result(run_id)
            if isinstance(found, Waiting) and found.state in _GOES_ON:
                await self._journals.cancel(run_id)
        except UnknownRunError:  # it could not be begun
            return
        except Exception:  # what has ended the reading leaves, and not this
            logger.exception("a run could not be cancelled", run_id=run_id)


def _sees_requests(run: RunSummary, caller: Caller) -> bool:
    return may_see(run, caller) or may_see_requests(run, caller)


def _as_known(run: ServedRun, caller: Caller) -> ServedRun:
    """Return a run as its callers know it."""
    ids = RunIds(caller.tenant_id)
    return run if ids.known_as(run.run_id) == run.run_id else TenantRun(run, ids)


class _HeldRun(ServedRun):
    """One run, for all who hold it in this process."""

    def __init__(self, run_id: str, kept: KeptRuns) -> None:
        self.run_id, self.readers = run_id, 0
        self.ends_unread = False
        self.ending: asyncio.Task[None] | None = None
        self._kept = kept

    def events(self, *, after: int = 0) -> AsyncGenerator[AgentEvent]:
        return self._kept.events(self.run_id, after=after, tell_end=self._note_end)

    def _note_end(self, result: AgentResult[Any]) -> None:
        if result.waiting:  # a decision may come before the reader has left
            self.ends_unread = False

    async def result(self) -> AgentResult[Any]:
        found: AgentResult[Any] | None = None
        async for event in self.events():
            if isinstance(event, RunFinished) and event.run_id == self.run_id:
                found = event.result
        assert found is not None, "the last event of a run is its end"
        return found
