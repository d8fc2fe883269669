"""The record of one run in the database, in one attempt at it."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

from arc_core import AgentResult, ApprovalRequest, Decision, RunFinished
from arc_core.interfaces.run_journal import (
    Form,
    KeepsSoFar,
    NumberedEvent,
    Place,
    RunJournal,
    RunSuspended,
)
from arc_plugins.journals.sql import approval_store
from arc_plugins.journals.sql.event_store import told_by_each
from arc_plugins.journals.sql.references import Records
from arc_plugins.journals.sql.run_store import FINISH_KEY, owns
from arc_plugins.journals.sql.threads import DatabaseThreads
from arc_plugins.journals.sql.writer import RunWriter

__all__ = ["DurableRunJournal"]

T = TypeVar("T")


class DurableRunJournal(RunJournal, KeepsSoFar):
    """Steps by their names: whatever order they end in, each gets what it gave itself.

    Attributes:
        finish_text: What the step `finish` has recorded; None if it has not ended.
        so_far: What the run has as it begins to wait; None if it does not.
        last_event: The end of the run, if it was published; it is written with the result, so that
            who reads it finds the result.
    """

    def __init__(
        self,
        threads: DatabaseThreads,
        writer: RunWriter,
        *,
        run_id: str,
        life: str,
        deps: Any,
        recorded: dict[str, str],
    ) -> None:
        self.run_id, self.life, self.deps = run_id, life, deps
        self.told = writer.told
        self.lets_go = self.is_cancelled = False
        self.finish_text = Records(recorded).text(FINISH_KEY) if FINISH_KEY in recorded else None
        self.so_far: AgentResult | None = None
        self.last_event: RunFinished | None = None
        self._threads, self._writer, self._recorded = threads, writer, recorded
        self._places = 0
        self._told_below: dict[str, int] | None = None

    async def told_by(self, run_id: str) -> int:
        """What earlier attempts have told of it; read once, and only if they have told anything."""
        if self._told_below is None:
            read = partial(told_by_each, run_id=self.run_id)
            self._told_below = await self._threads.persist(read) if self.told else {}
        return self._told_below.get(run_id, 0)

    def reserve(self, key: str) -> Place:
        """A place; the name of the step is what decides."""
        self._places += 1
        return Place(key, self._places)

    async def step(
        self,
        key: str,
        work: Callable[[], Awaitable[T]],
        *,
        form: Form[T],
        place: Place | None = None,
    ) -> T:
        """What is recorded under the key; else what the work gives, once it is recorded.

        Raises:
            RunSuspended: The process closes, another attempt has the run, or the database was away
                for minutes.
        """
        recorded = self._recorded.get(key)
        if recorded is not None:
            return form.read(Records(self._recorded).text(key))
        if self.lets_go or self._writer.is_lost:
            raise RunSuspended
        if _ends_a_run(key) and not await self._is_owner():
            raise RunSuspended
        value = await work()
        text = form.write(value)
        if not await self._writer.record(key, text):
            raise RunSuspended
        if key == FINISH_KEY:
            self.finish_text = text
        return value

    async def _is_owner(self) -> bool:
        """Whether no other attempt has the run; what hooks are told of its end stays told."""
        return await self._threads.persist(partial(owns, run_id=self.run_id, life=self.life))

    async def decision(self, key: str, request: ApprovalRequest) -> Decision:
        """What a person has decided.

        Raises:
            RunSuspended: It is not decided yet.
        """
        if not await self._writer.drain():
            raise RunSuspended

        found = await self._threads.persist(
            lambda connection: approval_store.ask(
                connection, request, run_id=self.run_id, key=key, life=self.life
            )
        )
        if isinstance(found, Decision):
            return found
        raise RunSuspended(() if found is None else (found,))

    def keep_so_far(self, result: AgentResult) -> None:
        """Have it written when the run is handed back."""
        self.so_far = result

    async def publish(self, event: NumberedEvent) -> None:
        """Keep an event within a moment."""
        if isinstance(event, RunFinished) and event.run_id == self.run_id:
            self.last_event = event
        else:
            self._writer.tell(event)


def _ends_a_run(key: str) -> bool:
    """Whether it is the last step of the run, or of one below it."""
    return key.rpartition("/")[2] == FINISH_KEY
