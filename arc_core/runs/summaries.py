"""Runs as stores tell of them: where each is, and lists of them, a page at a time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from arc_core.error_base import AgentErrorCode
from arc_core.requests import Request
from arc_core.result import AgentResult


class RunState(StrEnum):
    """The state of a run."""

    QUEUED = "queued"
    """No worker has taken it."""

    RUNNING = "running"
    """A worker has it, or had it when its process died."""

    WAITING = "waiting"
    """A person has to decide."""

    HELD = "held"
    """Something it needs to go on is not deployed any more, such as its agent or a tool."""

    INCOMPATIBLE = "incompatible"
    """It was begun by a version of Arc with another layout, and is left as it is."""

    FINISHED = "finished"
    """It has a result, which may be a failure; lists say so, and `result` gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A run that has no result yet.

    Attributes:
        run_id: Its id.
        state: Where it is.
        requests: What people have to decide, oldest first.
        so_far: Its result, as `execute` gives that: of a run that waits the agent, usage, time and
            messages, as far as they are kept, and `waiting`.
        problem: Why it is held; empty if it is not.
    """

    run_id: str
    state: RunState
    requests: tuple[Request, ...] = ()
    problem: str = ""
    so_far: AgentResult = field(default=AgentResult(success=False), compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """A run, as a line of a list.

    Attributes:
        run_id: Its id.
        state: Where it is; `FINISHED` if it has a result.
        agent: Who was asked.
        user_id: For whom; empty if the command has no user.
        tenant_id: The user's company or team, if any.
        queue: Who runs it.
        since: When it was submitted or begun, in UTC.
        finished_at: When it has ended, in UTC; None if it has not.
        error_code: Why it has failed; None if it has an answer or has not ended.
        layout: In which layout its steps are recorded; empty if there is only one.
        requests: What people have to decide, oldest first.
        session_id: The conversation it belongs to, if any.
        last_seq: The highest number of its own events so far; None if that was not asked for.
        problem: Why it is held; empty if it is not.
        cost: Of its model calls, once it has ended or waits; None if it is not known.
        result: Its end, if it has one; else what it had when it began to wait, if it waits and that
            is kept. Lists leave it out.
    """

    run_id: str
    state: RunState
    agent: str = "default"
    user_id: str = ""
    tenant_id: str | None = None
    queue: str = "default"
    since: datetime
    finished_at: datetime | None = None
    error_code: AgentErrorCode | None = None
    layout: str = ""
    requests: tuple[Request, ...] = ()
    session_id: str | None = None
    last_seq: int | None = None
    problem: str = ""
    cost: Decimal | None = None
    result: AgentResult | None = field(default=None, compare=False)

    @property
    def outcome(self) -> AgentResult | Waiting:
        """Its end, or where it is; not of a run of a list."""
        if self.state is RunState.FINISHED and self.result is not None:
            return self.result
        return Waiting(
            run_id=self.run_id,
            state=self.state,
            requests=self.requests,
            problem=self.problem,
            so_far=self.so_far,
        )

    @property
    def so_far(self) -> AgentResult:
        """The result of a run without an end, as `execute` gives it."""
        found = self.result or AgentResult(success=False, run_id=self.run_id)
        return replace(found, waiting=self.requests)


@dataclass(frozen=True, slots=True)
class RunPosition:
    """The place of a run in lists: newest first, and those of the same moment by their ids.

    Attributes:
        since: When the run was submitted or begun, in UTC.
        run_id: Its id, as it is kept.
    """

    since: datetime
    run_id: str

    def is_before(self, run: RunSummary) -> bool:
        """Return whether a run stands behind this place."""
        return run.since < self.since or (run.since == self.since and run.run_id > self.run_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """A part of a list of runs, newest first.

    Attributes:
        runs: As many as were asked for, or fewer.
        next: Behind which place more may stand; None if there are no more.
    """

    runs: tuple[RunSummary, ...] = ()
    next: RunPosition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunQuery:
    """The runs that a list is to have, newest first; a filter that is None lets all pass.

    Attributes:
        state: Where they are.
        has_failed: Whether they have ended without an answer, or with one.
        agent: Who was asked.
        user_id: For whom, as in the command.
        tenant_id: For which tenant.
        since: Begun at this moment or later.
        until: Begun before this moment.
        min_cost: Of their model calls, at least; those whose cost is not known are left out.
        after: Behind which place of the list they stand.
        limit: At most so many.
        sees: Whether a run may be in the list at all, whatever else is asked.
    """

    state: RunState | None = None
    has_failed: bool | None = None
    agent: str | None = None
    user_id: str | None = None
    tenant_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    min_cost: Decimal | None = None
    after: RunPosition | None = None
    limit: int = 50
    sees: Callable[[RunSummary], bool] = field(default=lambda _: True, compare=False, repr=False)

    def is_about(self, run: RunSummary) -> bool:
        """Return whether a run is wanted, as far as its command and its begin tell."""
        return (
            self.agent in {None, run.agent}
            and self.user_id in {None, run.user_id}
            and self.tenant_id in {None, run.tenant_id}
            and (self.since is None or run.since >= self.since)
            and (self.until is None or run.since < self.until)
            and (self.after is None or self.after.is_before(run))
            and self.sees(run)
        )

    def matches(self, run: RunSummary) -> bool:
        """Return whether a run is wanted."""
        is_over, has_failed = run.state is RunState.FINISHED, run.error_code is not None
        return (
            self.state in {None, run.state}
            and (self.has_failed is None or (is_over and self.has_failed is has_failed))
            and (self.min_cost is None or (run.cost is not None and run.cost >= self.min_cost))
            and self.is_about(run)
        )

    def take(self, runs: Iterable[RunSummary]) -> RunPage:
        """Return the page of all runs that there are."""
        found = sorted(filter(self.matches, runs), key=lambda run: run.run_id)
        found.sort(key=lambda run: run.since, reverse=True)
        return self.cut(found)

    def cut(self, found: list[RunSummary]) -> RunPage:
        """Return the page of runs that are wanted, in their order; more than the limit go on."""
        page = tuple(found[: self.limit])
        is_cut = len(found) > self.limit and page
        return RunPage(
            runs=page, next=RunPosition(page[-1].since, page[-1].run_id) if is_cut else None
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRunCounts:
    """The numbers of runs that are kept and have not ended.

    Attributes:
        waiting: Those for which people have to decide, in all processes that share the journals.
        queued: Those that no process has taken, in all processes that share the journals.
        running: Those that this process runs.
        taken_over: How many this process has taken over from one that has died, since the counts
            before.
    """

    waiting: int = 0
    queued: int = 0
    running: int = 0
    taken_over: int = 0
