"""Keeps runs in this process: the default. Runs that wait for people are gone when it ends.

`execute` runs as if there were no journal. What was submitted runs here, too, and the last thousand
ends are kept, with their events, for readers that come later. Pick a journal in a database if runs
must outlive their process, or if several processes share the work.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Capability,
    ConfigurationError,
    Decision,
    DecisionError,
    KeptRunCounts,
    Logger,
    NumberedEvent,
    Recording,
    Request,
    RunBody,
    RunConflictError,
    RunJournal,
    RunState,
    RunStore,
    RunSuspended,
    UnknownRunError,
    find_decision_problem,
    request_context,
)
from arc_core.runs.requests import select_requests
from arc_core.runs.store import RunSummary
from arc_plugins.journals.in_memory.journal import InMemoryRunJournal
from arc_plugins.journals.in_memory.recordings import Recordings
from arc_plugins.journals.in_memory.stored_run import (
    Pace,
    StateCounts,
    StoredRun,
    without_attachments,
)

_BEGIN = "begin"
_MAX_BYTES = 64 * 1024 * 1024
_LEAVE_S = 5.0
"""The seconds after the time for steps in which runs leave."""


def _now() -> datetime:
    return datetime.now(UTC)


class InMemoryRunJournals(RunStore):
    """Runs what is submitted in tasks of this process, and keeps runs that wait.

    Args:
        logger: Told of runs that are lost.
        max_finished: How many finished runs are kept, with their events; the oldest go first, and
            then their ids are unknown. Runs that are not finished are all kept.
        max_bytes: Of all finished runs together; what was attached to the oldest goes first, then
            the oldest runs go. The newest stays.
        handover_timeout_s: How long `aclose` lets steps end before it cancels them, in seconds.
        patience_s: How long a run that was begun waits for slow readers, in seconds.
        held_s: After how long a run is tried again for which something is missing, in seconds.
        clock: The time in UTC.
    """

    capabilities = frozenset((Capability.LISTS, Capability.RECORDS))

    def __init__(
        self,
        *,
        logger: Logger,
        max_finished: int = 1_000,
        max_bytes: int = _MAX_BYTES,
        handover_timeout_s: float = 5.0,
        patience_s: float = 30.0,
        held_s: float = 30.0,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self._logger, self._clock = logger, clock
        self._max_finished, self._max_bytes = max_finished, max_bytes
        self._handover_timeout_s = handover_timeout_s
        self.close_timeout_s = handover_timeout_s + _LEAVE_S
        self._patience_s, self._held_s = patience_s, held_s
        self._body: RunBody | None = None
        self._runs: dict[str, StoredRun] = {}
        self._finished: deque[StoredRun] = deque()
        self._have_attachments: deque[StoredRun] = deque()
        self._bytes = 0
        self._counts = StateCounts()
        self._recordings: Recordings | None = None

    def report_runs(self, record: Callable[[KeptRunCounts], None]) -> None:
        """Tell of runs that were submitted, and of those in place that have asked a person."""
        self._counts.record = record

    def record_runs(self) -> None:
        """Have a record of each run, in place or not: of the last ones, within `max_bytes`."""
        self._recordings = Recordings(logger=self._logger, max_chars=self._max_bytes)
        self.is_recording = True

    async def start(self, body: RunBody) -> None:
        """Take runs from now on."""
        self._body = body

    async def aclose(self) -> None:
        """Let go: runs leave after the steps they are at, and those without an end are lost."""
        self._body = None
        tasks = []
        for run in self._runs.values():
            if run.task is not None and run.journal is not None:
                run.journal.is_closing = True
                tasks.append(run.task)
        try:
            if tasks:
                await asyncio.wait(tasks, timeout=self._handover_timeout_s)
        finally:
            for task in tasks:
                task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._lose_unfinished()

    def _lose_unfinished(self) -> None:
        lost = [run for run in self._runs.values() if run.result is None]
        waiting = sum(bool(run.open_requests) for run in lost)
        for run in lost:
            run.lose()
            del self._runs[run.run_id]
            self._counts.note(run)
        if lost:
            self._logger.warning(
                "runs that were not finished are lost, since they were kept in memory only; "
                "a journal in a database keeps them",
                waiting=waiting,
                others=len(lost) - waiting,
            )

    def open(self, command: AgentCommand, *, run_id: str, deps: Any = None) -> RunJournal:
        """The record of a run that its caller waits for; kept only if it asks a person."""
        return self._make_journal(StoredRun(command, run_id, deps, has_begun_in_place=True))

    def _make_journal(self, run: StoredRun) -> RunJournal:
        recordings = self._recordings
        recording = None if recordings is None else recordings.open(run.run_id, run.command)
        return InMemoryRunJournal(
            run, keep=self._keep, look_after=self._look_after, recording=recording
        )

    async def submit(
        self,
        command: AgentCommand,
        *,
        run_id: str,
        deps: Any = None,
        queue: str | None = None,
        not_before: datetime | None = None,
    ) -> None:
        """Run a command in a task of this process, at once or later; deps stay what they are."""
        self._check(queue)
        if self._is_known(run_id, command):
            return
        delay_s = 0.0 if not_before is None else (not_before - self._clock()).total_seconds()
        run = self._runs[run_id] = StoredRun(command, run_id, deps)
        if delay_s > 0:
            later = asyncio.get_running_loop().call_later(delay_s, self._begin, run)
            run.timers[_BEGIN] = later
            self._counts.note(run)
        else:
            self._begin(run)

    async def begin(
        self, command: AgentCommand, *, run_id: str, deps: Any = None, is_wrapped: bool = False
    ) -> None:
        """Run a command at once, and at the pace of those who read it."""
        self._check(None)
        if not self._is_known(run_id, command):
            pace = Pace(patience_s=self._patience_s)
            run = self._runs[run_id] = StoredRun(command, run_id, deps, is_paced=True, pace=pace)
            self._begin(run)

    def _is_known(self, run_id: str, command: AgentCommand) -> bool:
        known = self._runs.get(run_id)
        if known is None:
            return False
        asked = command if known.result is None else without_attachments(command)
        if known.command != asked:
            raise RunConflictError(run_id)
        return True

    def _check(self, queue: str | None) -> None:
        if queue not in {None, "default"}:
            raise ConfigurationError(
                f"there is no queue {queue!r}",
                evidence=["runs are kept in memory, where `default` is the only queue"],
                remedy="leave the queue out, or use a journal in a database",
            )
        if self._body is None:
            raise ConfigurationError(
                "a run was submitted while the journals of runs were closed",
                remedy="submit while the application is open, as inside `async with app:`",
            )

    async def find(self, run_id: str) -> RunSummary:
        """One run that was submitted or has asked a person, unless its end had to make room."""
        return self._find(run_id).summary

    async def list(
        self,
        *,
        state: RunState | None = None,
        limit: int | None = 50,
        requests: Mapping[str, str] | None = None,
    ) -> Sequence[RunSummary]:
        """The newest runs, newest first."""
        found = (
            replace(run.summary, requests=asked, result=None)
            for run in reversed(self._runs.values())
            if (asked := select_requests(run.open_requests, requests or {})) or requests is None
        )
        return [*islice((each for each in found if state in {None, each.state}), limit)]

    async def running_in(
        self, session_id: str, *, user_id: str | None, tenant_id: str | None
    ) -> str | None:
        """The newest run of a conversation that has no end yet."""
        asked = (session_id, user_id, tenant_id)
        for run in reversed(self._runs.values()):
            command, goes_on = run.command, run.result is None
            if goes_on and (command.session_id, command.user_id, command.tenant_id) == asked:
                return run.run_id
        return None

    async def events(self, run_id: str, *, after: int = 0) -> AsyncGenerator[NumberedEvent]:
        """The events of a run from one on; ends with the run, or when it waits for a person."""
        run = self._find(run_id)
        is_behind = run.last_seq < after and not run.has_begun_in_place
        with run.pace.reading(run.place_after(after)) as reading:
            while True:
                while reading.place < len(run.events):
                    event = run.events[reading.place]
                    reading.take()
                    is_told = event.run_id == run_id and event.seq <= after
                    if not (is_told or is_behind):
                        yield event
                    is_behind = is_behind and not (is_told and event.seq == after)
                if not run.has_more_to_tell:
                    return
                await run.wait_for_news()

    async def decide(self, run_id: str, key: str, decision: Decision) -> None:
        """Let a waiting call go on, or not, at once; keep an approval that is not the last."""
        run = self._find(run_id)
        request = run.requests.get(key)
        if request is not None and request.until is not None and request.until <= self._clock():
            self._expire(run, key)
        problem = find_decision_problem(
            decision,
            request=run.requests.get(key),
            made=run.decisions.get(key),
            has_ended=run.result is not None,
        )
        if problem is not None:
            raise DecisionError(problem, run_id=run_id, key=key)
        taken = run.requests[key].take(decision)
        if isinstance(taken, Request):
            run.requests[key] = taken
        else:
            self._settle(run, key, taken)

    async def cancel(self, run_id: str) -> None:
        """End a run with `CANCELLED`; one that does not go on has ended when this returns."""
        run = self._find(run_id)
        if run.result is not None or run.is_cancelled:
            return
        run.is_cancelled = True
        run.pace.end()
        if run.task is not None:  # after its first step: a task that never begins does not end
            asyncio.get_running_loop().call_soon(run.task.cancel)
            return
        if (attempt := self._begin(run)) is not None:
            await asyncio.wait([attempt])

    async def recording(self, run_id: str) -> Recording:
        """Return the record of a run, if records were asked for and it had not to make room."""
        if self._recordings is None:
            return await super().recording(run_id)
        return self._recordings.find(run_id)

    async def fork(
        self,
        run_id: str,
        *,
        fork_id: str,
        steps: Sequence[str],
        command: AgentCommand,
        deps: Any = None,
    ) -> None:
        """Begin a run with steps of another one, if records were asked for."""
        self._check(None)
        found = await self.recording(run_id)
        if deps is None and run_id in self._runs:
            deps = self._runs[run_id].deps
        recorded = {key: found.steps[key] for key in steps}
        pace = Pace(patience_s=self._patience_s)
        run = StoredRun(command, fork_id, deps, is_paced=True, pace=pace, recorded=recorded)
        if self._recordings is not None:
            self._recordings.fork(fork_id, command, replace(found, steps=recorded))
        self._runs[fork_id] = run
        self._begin(run)

    async def forget(self, run_id: str) -> None:
        """Remove a run that has ended, and its record."""
        run = self._runs.get(run_id)
        if self._recordings is not None and (run is None or run.result is not None):
            self._recordings.remove(run_id)
        if run is None or run.result is None:
            return
        self._bytes -= run.size
        self._finished.remove(run)
        if run in self._have_attachments:
            self._have_attachments.remove(run)
        del self._runs[run_id]

    def _keep(self, run: StoredRun, key: str) -> None:
        """Keep a run that asks, and let the request expire."""
        self._runs[run.run_id] = run
        self._counts.note(run)
        until = run.requests[key].until
        if until is not None:
            left_s = (until - self._clock()).total_seconds()
            loop = asyncio.get_running_loop()
            run.timers[key] = loop.call_later(left_s, self._expire, run, key)

    def _look_after(self, run: StoredRun) -> None:
        """Go on with a run that is decided, or forget one that its caller has ended."""
        if run.is_at_work or run.is_lost or run.result is not None:
            return
        if "finish" in run.steps:
            run.lose()
            del self._runs[run.run_id]
        elif run.is_decided:
            self._begin(run)
        self._counts.note(run)

    def _expire(self, run: StoredRun, key: str) -> None:
        if key not in run.decisions and run.result is None:
            self._settle(run, key, run.requests[key].expire(self._clock()))

    def _settle(self, run: StoredRun, key: str, decision: Decision) -> None:
        timer = run.timers.pop(key, None)
        if timer is not None:
            timer.cancel()
        run.decisions[key] = decision
        run.is_decided = True
        self._look_after(run)

    def _begin(self, run: StoredRun) -> asyncio.Task[None] | None:
        """Begin the next attempt, and have the one before leave at its next step."""
        if self._body is None:
            return None
        if (timer := run.timers.pop(_BEGIN, None)) is not None:
            timer.cancel()
        if run.journal is not None:
            run.journal.is_closing = True
        run.is_decided = False
        run.journal = journal = self._make_journal(run)
        # What else the one who submits or decides has in its context is not the run's.
        context = request_context()
        run.task = asyncio.create_task(self._live(self._body, run, journal), context=context)
        self._counts.note(run)
        return run.task

    async def _live(self, body: RunBody, run: StoredRun, journal: RunJournal) -> None:
        try:
            result = await body(run.command, journal)
        except RunSuspended as suspended:
            self._note_hold(run, "" if suspended.requests else suspended.problem)
            self._leave(run)
            return
        except asyncio.CancelledError:
            self._leave(run)
            raise
        except Exception:  # a body that raises must not leave its run without an end
            self._logger.exception("a run has raised instead of ending", run_id=run.run_id)
            result = run.make_failure(AgentErrorCode.UNKNOWN, "Something went wrong.")
        self._finish(run, result)

    def _note_hold(self, run: StoredRun, problem: str) -> None:
        """Remember what a run lacks that cannot go on, and try again later."""
        if problem and problem != run.problem:
            self._logger.warning("a run is held", run_id=run.run_id, problem=problem)
        run.problem = problem
        if problem and not run.is_cancelled:
            loop = asyncio.get_running_loop()
            run.timers[_BEGIN] = loop.call_later(self._held_s, self._begin, run)

    def _leave(self, run: StoredRun) -> None:
        """An attempt is over that has given no result."""
        run.task = None
        if run.is_cancelled:
            told, cancelled = run.told_end, AgentErrorCode.CANCELLED
            failure = run.make_failure(cancelled, "The request was cancelled.")
            self._finish(run, failure if told is None else told.result)
        elif run.is_decided:
            self._begin(run)
        else:
            self._counts.note(run)
            run.wake_readers()

    def _finish(self, run: StoredRun, result: AgentResult) -> None:
        run.finish(result)
        self._counts.note(run)
        self._finished.append(run)
        self._have_attachments.append(run)
        self._bytes += run.size
        self._make_room()

    def _make_room(self) -> None:
        while self._bytes > self._max_bytes and len(self._have_attachments) > 1:
            run = self._have_attachments.popleft()
            self._bytes -= run.size
            run.drop_attachments()
            self._bytes += run.size
        while len(self._finished) > self._max_finished or (
            self._bytes > self._max_bytes and len(self._finished) > 1
        ):
            run = self._finished.popleft()
            if self._have_attachments[0] is run:  # both are in the order of the ends
                self._have_attachments.popleft()
            self._bytes -= run.size
            del self._runs[run.run_id]

    def _find(self, run_id: str) -> StoredRun:
        try:
            return self._runs[run_id]
        except KeyError:
            raise UnknownRunError(run_id) from None
