"""The record of one run in the database, in one attempt at it."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from arc_core import AgentEvent, AgentResult, Decision, Request, RunFinished
from arc_core.errors import FormError
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

_Record = tuple[str, str, "asyncio.Future[bool]"]
_Append = Callable[[Connection], bool]
_Waiting = tuple[str, _Append, Sequence[RecordedPart], "asyncio.Future[bool]"]


class GroupCommit:
    """Writes what the runs of a process have to write, in one transaction for all that wait.

    While one transaction is under way, the next one gathers; what runs tell waits for the same
    moment in all of them.
    """

    def __init__(self, threads: DatabaseThreads) -> None:
        self._threads = threads
        self._waiting: list[_Waiting] = []
        self._writing: asyncio.Task[None] | None = None
        self._soon = set[Callable[[], None]]()

    async def append(self, run_id: str, work: _Append, parts: Sequence[RecordedPart] = ()) -> bool:
        """Write something of a run and the parts it names; whether the attempt still owns it."""
        written: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((run_id, work, parts, written))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        return await written

    def write_soon(self, write: Callable[[], None]) -> None:
        """Have a run write what it has told, at the next moment for all."""
        if not self._soon:
            asyncio.get_running_loop().call_later(_BATCH_S, self._write_soon)
        self._soon.add(write)

    def _write_soon(self) -> None:
        waiting, self._soon = self._soon, set()
        for write in waiting:
            write()

    async def _write_all(self) -> None:
        group: list[_Waiting] = []
        try:
            while self._waiting:
                group, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
                group.sort(key=lambda each: each[0])  # others lock rows in this order, too
                if not await self._write(group):
                    for each in group:  # one of them is refused: the others are not
                        await self._write([each])
        finally:
            self._writing = None
            for *_, written in (*group, *self._waiting):
                written.cancel()  # of those that something unforeseen has left

    async def _write(self, group: Sequence[_Waiting]) -> bool:
        """Write a group; return false if one of several is refused, whose owners still wait."""

        def do(connection: Connection) -> list[bool]:
            done = [work(connection) for _, work, _, _ in group]
            named = {each[0]: each[2] for each, own in zip(group, done, strict=True) if own}
            keep_parts(connection, named)
            return done

        try:
            is_single = len(group) == 1 and not group[0][2]
            done = await self._threads.persist(do, is_single=is_single)
        except (OSError, SQLAlchemyError) as error:
            if len(group) > 1 and not isinstance(error, OSError):
                return False
            for *_, written in group:
                with suppress(asyncio.InvalidStateError):
                    written.set_exception(error)
            return True
        for (*_, written), is_written in zip(group, done, strict=True):
            with suppress(asyncio.InvalidStateError):  # who waited has left
                written.set_result(is_written)
        return True


class RunWriter:
    """The one who writes for an attempt.

    Attributes:
        is_lost: Whether nothing can be written any more: another attempt has the run, or the
            database was away for too long.
        last_seq: The `seq` of the run's own last event that is written.
    """

    def __init__(
        self, threads: DatabaseThreads, taken: Taken, *, wakeups: Wakeups, group: GroupCommit
    ) -> None:
        self.is_lost = False
        self._group = group
        self.last_seq = taken.last_seq
        self._has_died = taken.crashes > 0
        self._run_id, self._attempt_id = taken.run_id, taken.attempt_id
        self._last_batch, self._wakeups = taken.last_batch, wakeups
        self._logger = threads.logger
        self._recorded = RecordedValues()
        for key, text in taken.values.items():
            self._recorded.add(key, text)
        self._events: list[AgentEvent] = []
        self._records: list[_Record] = []
        self._parts: list[RecordedPart] = []
        self._named = set[str]()
        self._writing: asyncio.Task[None] | None = None

    def tell(self, event: AgentEvent) -> None:
        """Have an event written within a moment."""
        self._events.append(event)
        self._write_soon()

    async def record(self, key: str, text: str) -> bool:
        """Write a step, and the events before it; whether the attempt still owns the run."""
        if self.is_lost:
            return False
        written: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._records.append((key, text, written))
        self._write_now()
        return await written

    def keep_parts(self, parts: Sequence[RecordedPart]) -> None:
        """Have parts written with the next step."""
        for part in parts:
            if part.digest not in self._named:
                self._named.add(part.digest)
                self._parts.append(part)

    async def drain(self) -> bool:
        """Write all there is; whether the attempt still owns the run."""
        while (self._events or self._records) and not self.is_lost:
            self._write_now()
            if self._writing is not None:
                await asyncio.shield(self._writing)
        if self._writing is not None:
            await asyncio.shield(self._writing)
        return not self.is_lost

    def last_batch(self, event: AgentEvent) -> Batch:
        """The batch of an event after which nothing is told; all else is written."""
        return self._batch([event], number=self._last_batch + 1)

    def shorten(self, result: str) -> str:
        """The text of a result, or of the step that gave it, whose messages refer to steps."""
        return change_messages(result, self._recorded.refer)

    async def aclose(self) -> None:
        """Write no more; what is under way ends."""
        self.is_lost = True
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.wait([self._writing])

    def _write_soon(self) -> None:
        if self._writing is None and not self.is_lost:
            self._group.write_soon(self._write_now)

    def _write_now(self) -> None:
        has_some = self._events or self._records
        if has_some and self._writing is None and not self.is_lost:
            self._writing = asyncio.create_task(self._write())

    async def _write(self) -> None:
        try:
            await self._write_once()
            while self._records and not self.is_lost:
                await self._write_once()
        finally:
            self._writing = None
            if self._records:
                self._answer(self._records, is_written=False)
                self._records = []
            if self._events:
                self._write_soon()

    async def _write_once(self) -> None:
        events, self._events = self._events, []
        records, self._records = self._records, []
        parts, self._parts = (self._parts, []) if records else ([], self._parts)
        batch: Batch | None = None
        try:
            rows = [(key, self._note(key, text)) for key, text, _ in records]
            if events:
                self._last_batch += 1
                batch = self._batch(events, number=self._last_batch)
            work = partial(
                append,
                run_id=self._run_id,
                attempt_id=self._attempt_id,
                records=rows,
                batch=batch,
                has_died=self._has_died,
            )
            is_written = await self._group.append(self._run_id, work, parts=parts)
        except (OSError, SQLAlchemyError, FormError) as error:
            is_written = False
            self._logger.error(  # noqa: TRY400 -- its text would show what people said
                "run_cannot_be_written", run_id=self._run_id, error_type=type(error).__name__
            )
        except asyncio.CancelledError:
            self._answer(records, is_written=False)
            raise
        self.is_lost = self.is_lost or not is_written
        self._has_died = self._has_died and not (is_written and records)
        if batch is not None and is_written:
            self.last_seq = batch.last
        self._answer(records, is_written=is_written)
        if batch is not None or self.is_lost:
            self._wakeups.wake_readers(self._run_id, None if self.is_lost else self.last_seq)

    def _batch(self, events: list[AgentEvent], *, number: int) -> Batch:
        return make_batch(
            events,
            run_id=self._run_id,
            number=number,
            before=self.last_seq,
            recorded=self._recorded,
        )

    def _note(self, key: str, text: str) -> str:
        """Return the text to write of a step; what comes after it refers to it."""
        written = self.shorten(text) if is_finish(key) else text
        self._recorded.add(key, text)
        return written

    @staticmethod
    def _answer(records: list[_Record], *, is_written: bool) -> None:
        for _, _, written in records:
            if not written.done():
                written.set_result(is_written)


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
