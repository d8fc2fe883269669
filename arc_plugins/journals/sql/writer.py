"""Writes what one attempt records and tells, in the order in which it did.

What comes while a transaction is under way is written together by the next one. Events wait for up
to 50 ms for others; a step takes those before it along.
"""

import asyncio
from functools import partial

from sqlalchemy.exc import SQLAlchemyError

from arc_core import AgentEvent
from arc_core.errors import FormError
from arc_plugins.journals.sql.event_batches import batch_of
from arc_plugins.journals.sql.references import RecordedValues, change_messages, is_finish
from arc_plugins.journals.sql.run_store import Batch, Taken, append
from arc_plugins.journals.sql.threads import DatabaseThreads
from arc_plugins.journals.sql.wakeups import Wakeups

__all__ = ["RunWriter"]

_BATCH_S = 0.05

_Record = tuple[str, str, "asyncio.Future[bool]"]


class RunWriter:
    """The one who writes for an attempt.

    Attributes:
        is_lost: Whether nothing can be written any more: another attempt has the run, or the
            database was away for too long.
        told: The `seq` of the run's own last event that is written.
    """

    def __init__(
        self,
        threads: DatabaseThreads,
        *,
        run_id: str,
        life: str,
        taken: Taken,
        wakeups: Wakeups,
    ) -> None:
        self.is_lost = False
        self.told = taken.told
        self._has_died = taken.crashes > 0
        self._threads, self._run_id, self._life = threads, run_id, life
        self._last_batch, self._wakeups = taken.last_batch, wakeups
        self._logger = threads.logger
        self._recorded = RecordedValues()
        for key, text in taken.values.items():
            self._recorded.add(key, text)
        self._events: list[AgentEvent] = []
        self._records: list[_Record] = []
        self._timer: asyncio.TimerHandle | None = None
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
        if self._timer is not None:
            self._timer.cancel()
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.wait([self._writing])

    def _write_soon(self) -> None:
        if self._timer is None and self._writing is None and not self.is_lost:
            self._timer = asyncio.get_running_loop().call_later(_BATCH_S, self._write_now)

    def _write_now(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._writing is None and not self.is_lost:
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
        batches: list[Batch] = []
        try:
            rows = [(key, self._note(key, text)) for key, text, _ in records]
            batches = self._batches(events)
            work = partial(
                append,
                run_id=self._run_id,
                life=self._life,
                records=rows,
                batches=batches,
                has_died=self._has_died,
            )
            is_written = await self._threads.persist(work)
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
        if batches and is_written:
            self.told = batches[-1].last
        self._answer(records, is_written=is_written)
        if batches or self.is_lost:
            self._wakeups.wake_readers(self._run_id)

    def _batches(self, events: list[AgentEvent]) -> list[Batch]:
        if not events:
            return []
        self._last_batch += 1
        return [self._batch(events, number=self._last_batch)]

    def _batch(self, events: list[AgentEvent], *, number: int) -> Batch:
        return batch_of(
            events, run_id=self._run_id, number=number, told=self.told, recorded=self._recorded
        )

    def _note(self, key: str, text: str) -> str:
        """What is written of a step; what comes after it refers to it."""
        written = self.shorten(text) if is_finish(key) else text
        self._recorded.add(key, text)
        return written

    @staticmethod
    def _answer(records: list[_Record], *, is_written: bool) -> None:
        for _, _, written in records:
            if not written.done():
                written.set_result(is_written)
