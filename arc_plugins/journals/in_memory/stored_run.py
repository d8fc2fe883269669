"""Runs in memory, which their attempts share: what is kept, its readers, its counts."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import filterfalse
from operator import attrgetter
from typing import Any

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Attachment,
    Decision,
    KeptRunCounts,
    NumberedEvent,
    Request,
    RunFinished,
    RunJournal,
    RunState,
    ToolCallFinished,
    ToolResultMessage,
)
from arc_core.memory_size import memory_size
from arc_core.messages.attachments import drop_large, replace_attachments
from arc_core.runs.store import RunSummary
from arc_plugins.journals.in_memory.packed_events import PackedEvents

_MAX_BEHIND = 256
_PATIENCE_S = 30.0


class RunReader:
    """One reader of a run, and its place: how many events it has taken."""

    def __init__(self, place: int, pace: "Pace") -> None:
        self.place = place
        self._pace = pace

    def take(self) -> None:
        """Go on by one event."""
        self.place += 1
        if (wakeup := self._pace.wakeup) is not None:
            wakeup.set()


class Pace:
    """Holds up the writer while all readers are far behind, and for no longer than a while.

    Attributes:
        wakeup: Has the writer look again; None if it does not wait.
    """

    def __init__(self, *, max_behind: int = _MAX_BEHIND, patience_s: float = _PATIENCE_S) -> None:
        self.wakeup: asyncio.Event | None = None
        self._max_behind, self._patience_s = max_behind, patience_s
        self._near_until = max_behind
        self._readings: list[RunReader] = []
        self._is_over = False

    @contextmanager
    def reading(self, place: int) -> Iterator[RunReader]:
        """A reader that has taken so many events, while it is there."""
        reading = RunReader(place, self)
        self._readings.append(reading)
        try:
            yield reading
        finally:
            self._readings.remove(reading)
            self.note()

    def note(self) -> None:
        """Have the writer look again."""
        if self.wakeup is not None:
            self.wakeup.set()

    def end(self) -> None:
        """Hold up nothing any more: the run is to end."""
        self._is_over = True
        self.note()

    async def wait(self, told: int) -> None:
        """Wait until a reader is near, of so many events that there are."""
        wakeup = self.wakeup = asyncio.Event()
        try:
            async with asyncio.timeout(self._patience_s):
                while self.is_far(told):
                    wakeup.clear()
                    await wakeup.wait()
        except TimeoutError:
            self._is_over = True
        finally:
            self.wakeup = None

    def is_far(self, told: int) -> bool:
        """Return True if no reader is near, of those that are there."""
        if told <= self._near_until or self._is_over or not self._readings:
            return False
        self._near_until = max(each.place for each in self._readings) + self._max_behind
        return told > self._near_until


def without_attachments(command: AgentCommand) -> AgentCommand:
    """The command with a digest in the place of attached bytes; those of equal ones are equal."""
    if not command.attachments and not command.conversation_history:
        return command
    history = tuple(replace_attachments(each, _digest) for each in command.conversation_history)
    attachments = tuple(map(_digest, command.attachments))
    return command.model_copy(update={"attachments": attachments, "conversation_history": history})


def without_attachments_of_result(result: AgentResult) -> AgentResult:
    """The end of a run with a line of text in the place of attached bytes."""
    messages = tuple(drop_large(each, max_bytes=0) for each in result.messages)
    return replace(result, messages=messages)


def without_attachments_of_event(event: NumberedEvent) -> NumberedEvent:
    """An event with a line of text in the place of attached bytes."""
    match event:
        case RunFinished():
            return replace(event, result=without_attachments_of_result(event.result))
        case ToolCallFinished():
            message = drop_large(ToolResultMessage((event.result,)), max_bytes=0)
            assert isinstance(message, ToolResultMessage)
            return replace(event, result=message.results[0])
    return event


def _digest(attachment: Attachment) -> Attachment:
    data = attachment.data
    return attachment if data is None else replace(attachment, data=sha256(data).digest())


@dataclass(slots=True, eq=False)
class StoredRun:
    """A run, whether it goes on, waits or is over.

    Attributes:
        command: What is asked; of attachments only a digest, once it is over.
        has_begun_in_place: Whether its caller had the first attempt, whose events are not kept.
        is_paced: Whether it waits for those who read it.
        recorded: What steps of the run that it is a fork of have recorded, by their keys.
        events: What it has told, and the runs below it; packed once it is over.
        lives: How many attempts have begun.
        working: How many steps are being done.
        is_decided: Whether there is a decision that no attempt has seen.
        is_lost: Whether it was given up without an end.
        problem: What it lacks to go on; empty if nothing is missing.
        journal: Of the attempt that has it; None if the attempt has asked nothing so far, and its
            caller waits for it.
        task: Does the attempt; None if there is none, or if its caller does it.
        timers: For the begin, and for requests that expire.
        so_far: What it had when it began to wait; None if it has not.
        size: About how many bytes it takes since it is over; 0 before.
        counted_as: The state in which it was counted last; None if it was not, or is over.
    """

    command: AgentCommand
    run_id: str
    deps: Any = None
    since: datetime = field(default_factory=lambda: datetime.now(UTC))
    finished_at: datetime | None = None
    has_begun_in_place: bool = False
    is_paced: bool = False
    steps: dict[str, Any] = field(default_factory=dict)
    recorded: Mapping[str, str] = field(default_factory=dict)
    requests: dict[str, Request] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    events: Sequence[NumberedEvent] = field(default_factory=list)
    lives: int = 0
    working: int = 0
    is_decided: bool = False
    is_cancelled: bool = False
    is_lost: bool = False
    problem: str = ""
    journal: RunJournal | None = None
    task: asyncio.Task[None] | None = None
    timers: dict[str, asyncio.TimerHandle] = field(default_factory=dict)
    so_far: AgentResult | None = None
    result: AgentResult | None = None
    size: int = 0
    counted_as: RunState | None = None
    pace: Pace = field(default_factory=Pace)
    _readers: list[asyncio.Future[None]] = field(default_factory=list)

    @property
    def summary(self) -> RunSummary:
        """A summary of its state, its owner and its end."""
        command, result = self.command, self.result
        state = self.state if result is None else RunState.FINISHED
        known = self.so_far if state is RunState.WAITING else result
        return RunSummary(
            run_id=self.run_id,
            state=state,
            agent=command.agent or "default",
            user_id=command.user_id or "",
            tenant_id=command.tenant_id,
            session_id=command.session_id,
            since=self.since,
            finished_at=self.finished_at,
            error_code=None if result is None else result.error_code,
            requests=self.open_requests,
            last_seq=self.last_seq,
            problem=self.problem if state is RunState.HELD else "",
            cost=None if known is None else known.cost,
            result=known,
        )

    def make_failure(self, code: AgentErrorCode, message: str) -> AgentResult:
        """The end that its attempt has not given."""
        agent = self.command.agent or "default"
        return AgentResult(
            success=False, error_code=code, error_message=message, run_id=self.run_id, agent=agent
        )

    @property
    def is_at_work(self) -> bool:
        """True if an attempt is doing something."""
        return self.task is not None or self.working > 0

    @property
    def open_requests(self) -> tuple[Request, ...]:
        """Return the open requests to people, oldest first."""
        if self.result is not None:
            return ()
        keys = filterfalse(self.decisions.__contains__, self.requests)
        return tuple(sorted(map(self.requests.__getitem__, keys), key=attrgetter("since")))

    @property
    def state(self) -> RunState:
        """Its state, if it is not over."""
        if self.task is not None or self.working > 0:
            return RunState.RUNNING
        if self.problem:
            return RunState.HELD
        is_decided = self.is_decided or self.requests.keys() <= self.decisions.keys()
        return RunState.QUEUED if is_decided else RunState.WAITING

    @property
    def has_more_to_tell(self) -> bool:
        """True if events may come without a person's doing."""
        is_over = self.is_lost or self.result is not None
        return not is_over and self.state in {RunState.RUNNING, RunState.QUEUED}

    @property
    def last_seq(self) -> int:
        """The highest number of its own events; 0 if it has told nothing."""
        for event in reversed(self.events):
            if event.run_id == self.run_id:
                return event.seq
        return 0

    @property
    def told_end(self) -> RunFinished | None:
        """The event of its end; None if it has not told it."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, RunFinished) and last.run_id == self.run_id else None

    def place_after(self, seq: int) -> int:
        """Return the place in `events` for a reader that has those of the run up to this number."""
        own = (
            place
            for place in range(len(self.events), 0, -1)
            if self.events[place - 1].run_id == self.run_id and self.events[place - 1].seq <= seq
        )
        return next(own, 0)

    def publish(self, event: NumberedEvent) -> None:
        """Keep an event, and tell readers; after the end there are none."""
        if self.result is not None:
            return
        assert isinstance(self.events, list), "they are packed only when the run is over"
        self.events.append(event)
        if self._readers:
            self.wake_readers()

    def finish(self, result: AgentResult) -> None:
        """Keep the end in the place of all that was kept for going on."""
        result = replace(result, metadata=dict(result.metadata))  # without what steps note in it
        told = self.told_end
        if told is None:
            self.publish(RunFinished(result, run_id=self.run_id, seq=self.last_seq + 1))
        else:
            self.events = [*self.events[:-1], replace(told, result=result)]
        self.command, self.finished_at = without_attachments(self.command), datetime.now(UTC)
        self._keep_end(result, PackedEvents(self.events))
        self.task = self.journal = self.deps = self.so_far = None
        self.steps.clear()
        self.cancel_timers()
        self.wake_readers()

    def drop_attachments(self) -> None:
        """Keep a line of text in the place of what was attached; only of a run that is over."""
        assert self.result is not None
        assert isinstance(self.events, PackedEvents)
        self.events.change(without_attachments_of_event)
        self._keep_end(without_attachments_of_result(self.result), self.events)

    def _keep_end(self, result: AgentResult, events: PackedEvents) -> None:
        self.result, self.events = result, events
        self.size = memory_size((self.command, result, events.parts))

    def lose(self) -> None:
        """Give it up without an end: its process closes."""
        self.is_lost = True
        self.cancel_timers()
        self.wake_readers()

    def cancel_timers(self) -> None:
        """Nothing happens by itself any more."""
        for timer in self.timers.values():
            timer.cancel()
        self.timers.clear()

    async def wait_for_news(self) -> None:
        """Wait until there is an event, or the run has come to rest."""
        wakeup = asyncio.get_running_loop().create_future()
        self._readers.append(wakeup)
        await wakeup

    def wake_readers(self) -> None:
        """Have those who wait look again."""
        readers, self._readers = self._readers, []
        for reader in readers:
            if not reader.done():
                reader.set_result(None)


class StateCounts:
    """Counts the runs that have not ended, as they go from state to state.

    Attributes:
        record: Is told the counts when one has changed; None if they go nowhere.
    """

    def __init__(self) -> None:
        self.record: Callable[[KeptRunCounts], None] | None = None
        self._by_state = Counter[RunState | None]()

    def note(self, run: StoredRun) -> None:
        """Count a run in the state in which it is now."""
        if self.record is None:
            return
        is_over = run.is_lost or run.result is not None
        state = None if is_over else run.state
        if state is run.counted_as:
            return
        self._by_state[run.counted_as] -= 1
        self._by_state[state] += 1
        run.counted_as = state
        self.record(
            KeptRunCounts(
                waiting=self._by_state[RunState.WAITING],
                queued=self._by_state[RunState.QUEUED],
                running=self._by_state[RunState.RUNNING],
            )
        )
