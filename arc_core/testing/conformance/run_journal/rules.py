"""The members that an author fills in, small bodies of runs, and the waits of the suite."""

import asyncio
import json
from abc import abstractmethod
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core.command import AgentCommand
from arc_core.error_base import AgentErrorCode
from arc_core.events import AgentEvent, RunFinished, TextDelta
from arc_core.forms import from_json, to_json
from arc_core.messages import Message
from arc_core.requests import Answer, ApprovalRequest, Approve, Decision, Deny, QuestionRequest
from arc_core.result import AgentResult
from arc_core.runs.journal import Place, RunBody, RunJournal, RunSuspended
from arc_core.runs.store import Capability, RunState, RunStore, Waiting
from arc_core.testing.conformance.components import AsyncSuite, check_names

_AT_MOST_S = 60.0
_LOOK_EVERY_S = 0.01


class RunJournalRules(AsyncSuite):
    """The members that an author's class has for the tests.

    Attributes:
        outlives_process: Whether runs go on in other journals, as after the end of a process;
            `reopen` makes these. What cannot be written down is refused then.
        jittered_runs: With how many runs the order of parallel steps is tried.
        max_journal_bytes: What a run of 100 turns of 5 KB may take.
    """

    outlives_process = False
    jittered_runs = 1_000
    max_journal_bytes = 1_200_000

    @abstractmethod
    def make_journals(self) -> RunStore:
        """New journals, not started, in which there is no run."""

    def make_capable(self, capability: Capability, lack: str) -> RunStore:
        """New journals that have a capability; the test is skipped if they do not."""
        journals = self.make_journals()
        check_names(journals, RunStore)
        if capability not in journals.capabilities:
            name = f"Capability.{capability.name}"
            pytest.skip(f"{type(journals).__name__} {lack}: it lacks {name}")
        return journals

    def skip_unless_kept(self) -> None:
        """Skip a test of what only journals can do that outlive their process."""
        if not self.outlives_process:
            pytest.skip("runs end with the process: outlives_process is False")

    def reopen(self) -> RunStore:
        """Other journals, not started, over what the closed ones of `make_journals` have kept."""
        raise NotImplementedError("say how journals are opened again: override reopen()")

    async def kept_bytes(self, journals: RunStore) -> int | None:
        """Return the bytes of all runs in the database; None if they cannot be counted."""
        return None


@asynccontextmanager
async def taking_runs(journals: RunStore, body: RunBody) -> AsyncIterator[RunStore]:
    """Start journals with a body, and close them again."""
    await journals.start(body)
    try:
        yield journals
    finally:
        await journals.aclose()


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something is so, at most a minute."""
    async with asyncio.timeout(_AT_MOST_S):
        while not await is_so():  # noqa: ASYNC110 -- another process may make it so
            await asyncio.sleep(_LOOK_EVERY_S)


async def rest_of(journals: RunStore, run_id: str) -> AgentResult | Waiting:
    """Return the state of a run once it has ended, or waits for a person."""

    async def rests() -> bool:
        found = (await journals.find(run_id)).outcome
        return not isinstance(found, Waiting) or found.state is RunState.WAITING

    await until(rests)
    return (await journals.find(run_id)).outcome


async def end_of(journals: RunStore, run_id: str) -> AgentResult:
    """The end of a run."""

    async def has_ended() -> bool:
        return not isinstance((await journals.find(run_id)).outcome, Waiting)

    await until(has_ended)
    found = (await journals.find(run_id)).outcome
    assert isinstance(found, AgentResult)
    return found


async def run_to_rest(
    journals: RunStore, run_id: str, given: AgentCommand | None = None, **options: Any
) -> AgentResult | Waiting:
    """Submit a run, and return its state once it has ended, or waits for a person."""
    await journals.submit(given or command(), run_id=run_id, **options)
    return await rest_of(journals, run_id)


async def run_to_end(
    journals: RunStore, run_id: str, given: AgentCommand | None = None, **options: Any
) -> AgentResult:
    """Submit a run, and return its end."""
    await journals.submit(given or command(), run_id=run_id, **options)
    return await end_of(journals, run_id)


async def decide_to_end(
    journals: RunStore, run_id: str, decision: Decision | None = None, *, key: str = "approve/0"
) -> AgentResult:
    """Decide what a run asks for, by an approval if nothing else is said, and return its end."""
    await journals.decide(run_id, key, decision or by("ann"))
    return await end_of(journals, run_id)


async def run_with_approval(journals: RunStore, key: str = "approve/0") -> AgentResult:
    """Run something that asks once, and return its end after the approval."""
    waiting = await run_to_rest(journals, "r")
    assert isinstance(waiting, Waiting), f"the run has not waited: {waiting!r}"
    return await decide_to_end(journals, "r", key=key)


async def read(journals: RunStore, run_id: str, *, after: int = 0) -> list[AgentEvent]:
    """The events of a run, to the end or until it waits for a person."""
    events = journals.events(run_id, after=after)
    async with asyncio.timeout(_AT_MOST_S), aclosing(events):
        return [event async for event in events]


def by(name: str, answer: Approve | Answer | Deny | None = None) -> Decision:
    """Return a decision; an approval if nothing else is said."""
    return Decision(answer=answer or Approve(), by=name, at=datetime.now(UTC))


def command(prompt: str = "pay") -> AgentCommand:
    """The command of a run."""
    return AgentCommand(user_prompt=prompt, user_id="ann", metadata={"order": 7})


def request(
    journal: RunJournal,
    key: str = "approve/0",
    *,
    kind: type[ApprovalRequest | QuestionRequest] = ApprovalRequest,
    **fields: Any,
) -> ApprovalRequest | QuestionRequest:
    """The request to a person."""
    asked: dict[str, Any] = {"tool": "pay", "since": datetime.now(UTC), **fields}
    return kind(run_id=journal.run_id, key=key, **asked)


class _JsonForm:
    """Any value that JSON can carry."""

    def write(self, value: Any) -> str:
        return json.dumps(value)

    def read(self, text: str) -> Any:
        return json.loads(text)


class _ResultForm:
    """The end of a run."""

    def write(self, value: AgentResult) -> str:
        return to_json(value)

    def read(self, text: str) -> AgentResult:
        return from_json(text, AgentResult)


JSON = _JsonForm()
RESULT = _ResultForm()


Wait = Callable[[], Awaitable[Any]]


class Attempt:
    """One attempt at a run, with what a body does most; counts work that is really done, by key."""

    def __init__(self, journal: RunJournal, counts: Counter[str]) -> None:
        self.journal, self.run_id = journal, journal.run_id
        self._counts, self._seq = counts, 0

    @property
    def next_seq(self) -> int:
        """Of the next event of the run."""
        return self._seq + 1

    async def do(
        self, key: str, value: Any = None, *, during: Wait | None = None, place: Place | None = None
    ) -> Any:
        """A step that gives a value, or its key, once it has waited for something."""

        async def work() -> Any:
            self._counts[key] += 1
            if during is not None:
                await during()
            return key if value is None else value

        return await self.journal.step(key, work, form=JSON, place=place)

    async def ask(self, key: str = "approve/0", **fields: Any) -> Decision:
        """Return the decision of a person."""
        return await self.journal.decision(key, request(self.journal, key, **fields))

    async def tell(self, text: str) -> None:
        """The next event, unless an earlier attempt has told it."""
        await self.publish(TextDelta(text, run_id=self.run_id, seq=self.next_seq))

    async def publish(self, event: AgentEvent) -> None:
        """An event of this run, unless an earlier attempt has told it, or of one below it."""
        if event.run_id == self.run_id:
            self._seq = event.seq
            if event.seq <= self.journal.last_seq:
                return
        await self.journal.publish(event)

    async def finish(
        self, content: str = "done", *, messages: tuple[Message, ...] = ()
    ) -> AgentResult:
        """The last step, which tells the last event."""
        result = AgentResult(success=True, content=content, run_id=self.run_id, messages=messages)
        return await self._finish(result)

    async def end_cancelled(self) -> AgentResult:
        """The last step of a run that was cancelled, the only one of its attempt."""
        self._seq, code = self.journal.last_seq, AgentErrorCode.CANCELLED
        return await self._finish(AgentResult(success=False, error_code=code, run_id=self.run_id))

    async def _finish(self, result: AgentResult) -> AgentResult:
        async def work() -> AgentResult:
            self._counts["finish"] += 1
            await self.publish(RunFinished(result, run_id=self.run_id, seq=self.next_seq))
            return result

        return await self.journal.step("finish", work, form=RESULT)


Acts = Callable[[Attempt, AgentCommand], Awaitable[AgentResult | None]]


class NotingBody:
    """A body that notes its attempts and what they really do, and finishes what `acts` does not."""

    def __init__(self, acts: Acts) -> None:
        self._acts = acts
        self.counts: Counter[str] = Counter()
        self.lives: list[str] = []
        self.last_seqs: list[int] = []
        self.left: list[BaseException] = []
        self.deps: list[Any] = []
        self.journals: list[RunJournal] = []

    async def __call__(self, command: AgentCommand, journal: RunJournal) -> AgentResult:
        """One attempt."""
        self.lives.append(journal.attempt_id)
        self.last_seqs.append(journal.last_seq)
        self.deps.append(journal.deps)
        self.journals.append(journal)
        attempt = Attempt(journal, self.counts)
        try:
            if journal.is_cancelled:
                return await attempt.end_cancelled()
            return await self._acts(attempt, command) or await attempt.finish()
        except (asyncio.CancelledError, RunSuspended) as leaving:
            self.left.append(leaving)
            raise


async def finish(attempt: Attempt, _: AgentCommand) -> None:
    """Do nothing but finish."""


async def ask_and_finish(attempt: Attempt, _: AgentCommand) -> None:
    """Tell, work, ask a person, and work again."""
    await attempt.tell("one")
    await attempt.do("model/1")
    await attempt.ask()
    await attempt.do("tool/0")


async def jitter(steps: int) -> None:
    """Let others go first, this many times."""
    for _ in range(steps):
        await asyncio.sleep(0)


async def at_once(calls: Mapping[str, Coroutine[Any, Any, Any]]) -> dict[str, Any]:
    """Return the results of calls that are made at the same time; all of them end."""
    tasks = {name: asyncio.ensure_future(call) for name, call in calls.items()}
    try:
        await asyncio.wait(tasks.values())
    finally:
        for task in tasks.values():
            task.cancel()
    return {name: task.result() for name, task in tasks.items()}
