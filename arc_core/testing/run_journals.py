"""Journals for tests of what runs are made of: a run is suspended and taken up again by hand."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar
from uuid import uuid4

from arc_core.command import AgentCommand
from arc_core.errors import UnknownRunError
from arc_core.requests import Decision, Request
from arc_core.result import AgentResult
from arc_core.runs.journal import (
    Form,
    NumberedEvent,
    Place,
    RunBody,
    RunJournal,
    RunSuspended,
    StepWork,
)
from arc_core.runs.requests import select_requests
from arc_core.runs.store import Capability, RunState, RunStore, RunSummary

T = TypeVar("T")
_SINCE = datetime(2026, 1, 1, tzinfo=UTC)


class DictRunJournal(RunJournal):
    """The record of one run, as the JSON texts that a database would have.

    Attributes:
        command: What is asked.
        texts: By key, in the order in which the steps ended.
        decisions: By key.
        asked: What people have to decide, by key.
        published: The events of all lives.
        suspend_before: The key of the step before which the process is to end, if any.
        given_up_after: How often its process has died, if the next attempt only ends it.
    """

    def __init__(self, command: AgentCommand, *, run_id: str, deps: Any = None) -> None:
        self.command, self.run_id, self.deps = command, run_id, deps
        self.attempt_id, self.last_seq = str(uuid4()), 0
        self.is_closing = self.is_cancelled = False
        self.texts: dict[str, str] = {}
        self.decisions: dict[str, Decision] = {}
        self.asked: dict[str, Request] = {}
        self.published: list[NumberedEvent] = []
        self.last_seqs: dict[str, int] = {}
        self.suspend_before: str | None = None
        self.given_up_after = 0

    def begin_life(self) -> None:
        """Another process takes the run up."""
        self.attempt_id, self.suspend_before = str(uuid4()), None
        self.last_seqs = {}
        for event in self.published:
            self.last_seqs[event.run_id] = event.seq
        self.last_seq = self.last_seqs.get(self.run_id, 0)

    async def get_last_seq(self, run_id: str) -> int:
        """The number up to which the lives before have published it."""
        return self.last_seqs.get(run_id, 0)

    async def step(
        self, key: str, work: StepWork[T], *, form: Form[T], place: Place | None = None
    ) -> T:
        """Return the record of the step, or the result of the work."""
        if key in self.texts:
            return form.read(self.texts[key])
        if key == self.suspend_before:
            raise RunSuspended
        value = await work()
        self.texts[key] = form.write(value)
        return value

    async def decision(self, key: str, request: Request) -> Decision:
        """Return the decision."""
        if key in self.decisions:
            return self.decisions[key]
        self.asked.setdefault(key, request)
        raise RunSuspended([self.asked[key]])

    async def publish(self, event: NumberedEvent) -> None:
        """Keep an event."""
        self.published.append(event)


class DictRunJournals(RunStore):
    """Keeps every run for ever, and takes one up again only when it is told to.

    Attributes:
        records: Of runs, by their ids.
        body: The engine's, once that has started.
    """

    capabilities = frozenset[Capability]()

    def __init__(self) -> None:
        self.records: dict[str, DictRunJournal] = {}
        self.results: dict[str, AgentResult] = {}
        self.body: RunBody | None = None

    async def start(self, body: RunBody) -> None:
        """Remember how runs are run."""
        self.body = body

    async def aclose(self) -> None:
        """Nothing to let go."""

    def open(self, command: AgentCommand, *, run_id: str, deps: Any = None) -> DictRunJournal:
        """The record of a run."""
        self.records[run_id] = DictRunJournal(command, run_id=run_id, deps=deps)
        return self.records[run_id]

    async def take_up(self, run_id: str) -> AgentResult:
        """Run it from the first step that is not recorded.

        Raises:
            RunSuspended: It is suspended again.
        """
        assert self.body is not None
        journal = self.records[run_id]
        journal.begin_life()
        self.results[run_id] = await self.body(journal.command, journal)
        return self.results[run_id]

    async def submit(
        self,
        command: AgentCommand,
        *,
        run_id: str,
        deps: Any = None,
        queue: str | None = None,
        not_before: datetime | None = None,
    ) -> None:
        """Keep a run; `take_up` runs it."""
        self.open(command, run_id=run_id, deps=deps)

    async def find(self, run_id: str) -> RunSummary:
        """A run that has ended, waits, or goes on."""
        result = self.results.get(run_id)
        run = None if result else self._find(run_id)
        asked = {} if run is None else run.asked
        state = RunState.FINISHED if result else RunState.WAITING if asked else RunState.RUNNING
        open_ones = (each for key, each in asked.items() if run and key not in run.decisions)
        return RunSummary(
            run_id=run_id,
            state=state,
            since=_SINCE,
            requests=tuple(open_ones),
            error_code=None if result is None else result.error_code,
            result=result,
        )

    async def list(
        self,
        *,
        state: RunState | None = None,
        limit: int | None = 50,
        requests: Mapping[str, str] | None = None,
    ) -> Sequence[RunSummary]:
        """The runs that are there, or that ask, with the requests that are wanted."""
        found = [await self.find(run_id) for run_id in self.records]
        if requests is not None:
            wanted = [select_requests(each.requests, requests) for each in found]
            pairs = zip(found, wanted, strict=True)
            found = [replace(run, requests=asked) for run, asked in pairs if asked]
        return [each for each in found if state in {None, each.state}][:limit]

    async def events(self, run_id: str, *, after: int = 0) -> AsyncGenerator[NumberedEvent]:
        """Those that there are."""
        for event in self._find(run_id).published:
            if event.seq > after:
                yield event

    async def decide(self, run_id: str, key: str, decision: Decision) -> None:
        """Note a decision, or an approval that is not the last."""
        run = self._find(run_id)
        taken = run.asked[key].take(decision) if key in run.asked else decision
        if isinstance(taken, Request):
            run.asked[key] = taken
        else:
            run.decisions[key] = taken

    async def cancel(self, run_id: str) -> None:
        """Forget a run."""
        self.records.pop(run_id, None)

    def _find(self, run_id: str) -> DictRunJournal:
        if run_id not in self.records:
            raise UnknownRunError(run_id)
        return self.records[run_id]
