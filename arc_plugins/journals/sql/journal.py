"""The record of one run in the database, in one attempt at it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TypeVar

from sqlalchemy import Connection

from arc_core import AgentEvent, AgentResult, Decision, Request, RunFinished
from arc_core.runs.journal import (
    Form,
    NumberedEvent,
    Place,
    RecordedPart,
    RunJournal,
    RunSuspended,
    StepWork,
)
from arc_plugins.journals.sql import approval_store
from arc_plugins.journals.sql.database import DatabaseThreads
from arc_plugins.journals.sql.event_store import find_last_seqs, make_batch
from arc_plugins.journals.sql.references import (
    FINISH_KEY,
    RecordedValues,
    Records,
    change_messages,
    is_finish,
    keep_parts,
    read_records,
)
from arc_plugins.journals.sql.run_store import Batch, Taken, append, owns
from arc_plugins.journals.sql.session import Wakeups
from arc_plugins.journals.sql.tables import WRAPPED_KEY

_BATCH_S = 0.05
_AT_ONCE = 50

_Work = tuple[Callable[[Connection], bool], Sequence[RecordedPart]]


@dataclass(eq=False, slots=True)
class UnwrittenRows:
    """The rows that a run adds in one transaction.

    Attributes:
        events: Told before the steps ended, or within a moment.
        records: The keys and the texts of steps.
        parts: Those that the steps name.
        waiting: Those who wait until it is written; false says that it could not be.
    """

    events: list[AgentEvent] = field(default_factory=list)
    records: list[tuple[str, str]] = field(default_factory=list)
    parts: list[RecordedPart] = field(default_factory=list)
    waiting: "list[asyncio.Future[bool]]" = field(default_factory=list)

    def settle(self, *, is_written: bool) -> None:
        """Answer those who wait for it."""
        for each in self.waiting:
            if not each.done():
                each.set_result(is_written)

    def wait(self) -> "asyncio.Future[bool]":
        """Return what becomes true once it is written, or false if it could not be."""
        written: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.waiting.append(written)
        return written


class RunWriter:
    """Gathers the changes of a run in one attempt.

    Attributes:
        is_lost: Whether nothing can be written any more: another attempt has the run, or the
            database was away for too long.
        last_seq: The `seq` of the run's own last event that is written.
    """

    def __init__(self, group: "GroupCommit", taken: Taken, *, wakeups: Wakeups) -> None:
        self.is_lost = False
        self.last_seq = taken.last_seq
        self.run_id, self._attempt_id = taken.run_id, taken.attempt_id
        self._has_died = taken.crashes > 0
        self._last_batch, self._group, self._wakeups = taken.last_batch, group, wakeups
        self._recorded = RecordedValues()
        for key, text in taken.values.items():
            self._recorded.add(key, text)
        self._named = set[str]()
        self._next = UnwrittenRows()
        self._under_way: UnwrittenRows | None = None
        self._next_seq = self.last_seq

    def tell(self, event: AgentEvent) -> None:
        """Have an event written within a moment."""
        if not self.is_lost:
            self._next.events.append(event)
            self._group.write_soon(self)

    async def record(self, key: str, text: str) -> bool:
        """Write a step, and the events before it; whether the attempt still owns the run."""
        if self.is_lost:
            return False
        self._next.records.append((key, text))
        written = self._next.wait()  # before it is taken, which an eager task does at once
        self._group.write(self)
        return await written

    def keep_parts(self, parts: Sequence[RecordedPart]) -> None:
        """Have parts written with the next step."""
        for part in parts:
            if part.digest not in self._named:
                self._named.add(part.digest)
                self._next.parts.append(part)

    async def drain(self) -> bool:
        """Write all there is; whether the attempt still owns the run."""
        while (change := self._next if self.has_rows else self._under_way) and not self.is_lost:
            written = change.wait()
            if change is self._next:
                self._group.write(self)
            await written
        return not self.is_lost

    def last_batch(self, event: AgentEvent) -> Batch:
        """The batch of an event after which nothing is told; all else is written."""
        return self._batch([event], number=self._last_batch + 1)

    def shorten(self, result: str) -> str:
        """The text of a result, or of the step that gave it, whose messages refer to steps."""
        return change_messages(result, self._recorded.refer)

    def close(self) -> None:
        """Write no more, and let no one wait; what is under way ends."""
        self.is_lost = True
        for change in (self._under_way, self._next):
            if change is not None:
                change.settle(is_written=False)

    @property
    def has_rows(self) -> bool:
        """True if it can write something now; parts alone wait for their step."""
        return bool(self._next.events or self._next.records) and not self.is_lost

    def take(self) -> _Work:
        """Return what writes all there is, and the parts that it names.

        What comes after it gathers until it is settled.

        Raises:
            Exception: An event cannot be written as JSON, or what is in it raises.
        """
        change = self._under_way = self._next
        self._next = UnwrittenRows()
        if not change.records:
            change.parts, self._next.parts = [], change.parts
        rows = [(key, self._note(key, text)) for key, text in change.records]
        batch: Batch | None = None
        if change.events:
            self._last_batch += 1
            batch = self._batch(change.events, number=self._last_batch)
            self._next_seq = batch.last
        work = partial(
            append,
            run_id=self.run_id,
            attempt_id=self._attempt_id,
            records=rows,
            batch=batch,
            has_died=self._has_died,
        )
        return work, change.parts

    def settle(self, *, is_written: bool) -> None:
        """Answer those who wait for what was taken."""
        change, self._under_way = self._under_way, None
        assert change is not None
        change.settle(is_written=is_written)
        if not is_written:
            self.close()
        elif change.records:
            self._has_died = False
        if is_written and change.events:
            self.last_seq = self._next_seq
            self._wakeups.wake_readers(self.run_id, self.last_seq)
        if self.is_lost:
            self._wakeups.wake_readers(self.run_id)

    def _batch(self, events: list[AgentEvent], *, number: int) -> Batch:
        return make_batch(
            events, run_id=self.run_id, number=number, before=self.last_seq, recorded=self._recorded
        )

    def _note(self, key: str, text: str) -> str:
        """Return the text to write of a step; what comes after it refers to it."""
        written = self.shorten(text) if is_finish(key) else text
        self._recorded.add(key, text)
        return written


class GroupCommit:
    """Writes the changes of the runs of a process, in one transaction for all that wait.

    While one transaction is under way, the next one gathers; what runs tell waits for the same
    moment in all of them.
    """

    def __init__(self, threads: DatabaseThreads) -> None:
        self._threads = threads
        self._waiting: dict[RunWriter, None] = {}
        self._soon: set[RunWriter] = set()
        self._writing: asyncio.Task[None] | None = None

    def write(self, writer: RunWriter) -> None:
        """Have a run write in the next transaction."""
        self._waiting[writer] = None
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all(), name="arc-journal-writes")
            self._writing.add_done_callback(self._end)

    def write_soon(self, writer: RunWriter) -> None:
        """Have a run write what it has told, at the next moment for all."""
        if not self._soon:
            asyncio.get_running_loop().call_later(_BATCH_S, self._write_soon)
        self._soon.add(writer)

    def _write_soon(self) -> None:
        soon, self._soon = self._soon, set()
        for writer in soon:
            if writer.has_rows:
                self.write(writer)

    async def _write_all(self) -> None:
        taken: dict[RunWriter, _Work] = {}
        try:
            while self._waiting:
                taken = self._take()
                if taken and not await self._write(taken):
                    for writer, its in taken.items():  # one is refused: the others are not
                        await self._write({writer: its})
                taken = {}
        finally:
            for writer in taken:  # what its cancellation has left
                writer.close()

    def _end(self, writing: asyncio.Task[None]) -> None:
        """Answer those that wait for a task that was cancelled, maybe before it began."""
        while writing is self._writing and self._waiting:
            self._waiting.popitem()[0].close()

    def _take(self) -> dict[RunWriter, _Work]:
        """Take from those that wait longest, in the order in which others lock rows."""
        taken: dict[RunWriter, _Work] = {}
        waiting = list(islice(self._waiting, _AT_ONCE))
        for writer in sorted(waiting, key=lambda each: each.run_id):
            del self._waiting[writer]
            if writer.has_rows:
                try:
                    taken[writer] = writer.take()
                except Exception as error:  # noqa: BLE001 -- the others are written
                    self._fail(writer, error)
        return taken

    async def _write(self, taken: Mapping[RunWriter, _Work]) -> bool:
        """Write for some runs; return false if one of several is refused, which still wait."""

        def do(connection: Connection) -> list[bool]:
            done = [work(connection) for work, _ in taken.values()]
            owned = zip(taken.items(), done, strict=True)
            keep_parts(connection, {w.run_id: parts for (w, (_, parts)), own in owned if own})
            return done

        is_single = len(taken) == 1 and not any(parts for _, parts in taken.values())
        try:
            done = await self._threads.persist(do, is_single=is_single)
        except Exception as error:  # noqa: BLE001 -- each run is told, whatever it is
            if len(taken) > 1 and not isinstance(error, OSError):
                return False
            for writer in taken:
                self._fail(writer, error)
            return True
        for writer, is_written in zip(taken, done, strict=True):
            writer.settle(is_written=is_written)
        return True

    def _fail(self, writer: RunWriter, error: Exception) -> None:
        self._threads.logger.error(
            "run_cannot_be_written", run_id=writer.run_id, error_type=type(error).__name__
        )  # its text would show what people said
        writer.settle(is_written=False)


T = TypeVar("T")


class DurableRunJournal(RunJournal):
    """Steps by their names: whatever order they end in, each gets what it gave itself.

    Attributes:
        finish_text: What the step `finish` has recorded; None if it has not ended.
        so_far: What the run has as it begins to wait; None if it does not.
        last_event: The end of the run, if it was published; it is written with the result, so that
            who reads it finds the result.
        writer: Of this attempt.
        task: Does the attempt; None if it has not begun, or could not.
        is_stopped: Whether the run is to end.
    """

    finds_again = True

    def __init__(self, threads: DatabaseThreads, writer: RunWriter, taken: Taken) -> None:
        recorded = taken.values
        self.run_id, self.attempt_id, self.deps = taken.run_id, taken.attempt_id, None
        self.last_seq, self.digest_key = taken.last_seq, threads.digest_key
        self.is_closing, self.is_cancelled = False, taken.is_cancelling
        self.deaths, self.is_wrapped = taken.crashes, WRAPPED_KEY in recorded
        self.finish_text = Records(recorded).text(FINISH_KEY) if FINISH_KEY in recorded else None
        self.so_far: AgentResult | None = None
        self.last_event: RunFinished | None = None
        self.writer, self.is_stopped = writer, taken.is_cancelling
        self.task: asyncio.Task[AgentResult] | None = None
        self._threads, self._recorded = threads, recorded
        self._last_seqs: dict[str, int] | None = None

    async def get_last_seq(self, run_id: str) -> int:
        """Return the last `seq` of earlier attempts; read once, and only if there are events."""
        if self._last_seqs is None:
            read = partial(find_last_seqs, run_id=self.run_id)
            self._last_seqs = await self._threads.persist(read) if self.last_seq else {}
        return self._last_seqs.get(run_id, 0)

    async def step(
        self, key: str, work: StepWork[T], *, form: Form[T], place: Place | None = None
    ) -> T:
        """Return the record under the key, else what the work gives, once it is recorded."""
        recorded = self._recorded.get(key)
        if recorded is not None:
            return form.read(Records(self._recorded).text(key))
        if self.is_closing or self.writer.is_lost:
            raise RunSuspended
        if is_finish(key) and not await self._is_owner():
            raise RunSuspended
        value = await work()
        text = form.write(value)
        if not await self.writer.record(key, text):
            raise RunSuspended
        if key == FINISH_KEY:
            self.finish_text = text
        return value

    async def find_again(self, key: str, *, form: Form[T]) -> T | None:
        """Return what a step has given; read from the database if this attempt has recorded it."""
        records = Records(self._recorded)
        if key not in self._recorded:
            read = partial(read_records, run_id=self.run_id, keys=[key])
            records = await self._threads.persist(read)
        return form.read(records.text(key)) if records.has(key) else None

    async def _is_owner(self) -> bool:
        """Return true if no other attempt has the run, since hooks are told of its end but once."""
        owned = partial(owns, run_id=self.run_id, attempt_id=self.attempt_id)
        return await self._threads.persist(owned, is_single=True)

    async def decision(self, key: str, request: Request) -> Decision:
        """Return the decision of a person; the run is suspended until there is one."""
        if not await self.writer.drain():
            raise RunSuspended

        found = await self._threads.persist(
            lambda connection: approval_store.ask(
                connection, request, run_id=self.run_id, key=key, attempt_id=self.attempt_id
            )
        )
        if isinstance(found, Decision):
            return found
        raise RunSuspended(() if found is None else (found,))

    def keep_parts(self, parts: Sequence[RecordedPart]) -> None:
        """Have them written with the next step."""
        self.writer.keep_parts(parts)

    def keep_so_far(self, result: AgentResult) -> None:
        """Have it written when the run is handed back."""
        self.so_far = result

    async def publish(self, event: NumberedEvent) -> None:
        """Keep an event within a moment."""
        if isinstance(event, RunFinished) and event.run_id == self.run_id:
            self.last_event = event
        else:
            self.writer.tell(event)
