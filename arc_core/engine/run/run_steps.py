"""The steps of one run: each is done once, and read from the journal in every later life."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar
from uuid import NAMESPACE_OID, uuid5

from arc_core.engine.answer import GuardedAnswer
from arc_core.engine.journal.journal_channel import JournalChannel
from arc_core.engine.journal.metadata import RunMetadata
from arc_core.engine.journal.metadata_changes import Change, set_to
from arc_core.engine.journal.records import ModelStep, Record, StopStep
from arc_core.engine.journal.step_forms import ASKED, BEGUN, ENTERED, IN_CHARGE, RecordForm
from arc_core.engine.journal.step_notes import StepNote
from arc_core.engine.journal.steps import doing_step
from arc_core.engine.model_calls.recorded_model_calls import asked_of
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.events import TurnRestarted
from arc_core.log import get_logger
from arc_core.runs.journal import Place, RunJournal, RunSuspended

__all__ = ["FINISH", "RunSteps"]

FINISH = "finish"
"""The key of the last step of a run."""

logger = get_logger("runs")

T = TypeVar("T")


class RunSteps:
    """The steps of a run, or of one that it has started, in one life.

    Args:
        run: Whose steps they are.
        journal: Records them.
        prefix: Before the keys of a run that another one has started, as `tool/3/`.
    """

    def __init__(self, run: ActiveRun, journal: RunJournal, *, prefix: str = "") -> None:
        self.journal, self.prefix = journal, prefix
        metadata = run.metadata
        if not isinstance(metadata, RunMetadata):
            metadata = RunMetadata(metadata)
        self.metadata: RunMetadata = metadata
        self._run = run
        self._restored = set[str]()
        self._model_calls = 0
        self._is_live = False
        self._is_cut = False
        self._goes_on = False
        self._earlier_changes: tuple[Change, ...] = ()

    @classmethod
    async def begun_late(
        cls, run: ActiveRun, journal: RunJournal, notes: Sequence[StepNote[Any]]
    ) -> "RunSteps":
        """The steps of a run that has taken some before it had a journal.

        Args:
            run: Whose steps they are.
            journal: Records them, and first those that are noted.
            notes: What was taken, in its order.
        """
        steps = cls(run, journal)
        steps._earlier_changes = steps.metadata.changes_since(run.command.metadata)
        for note in notes:
            await steps.take(note.key, partial(_make, note), form=note.form)
            steps._model_calls += note.key.startswith("model/")
        return steps

    @property
    def is_live(self) -> bool:
        """True if a step was done in this attempt."""
        return self._is_live

    async def find(self, key: str, form: RecordForm[T]) -> T | StopStep | None:
        """Return what a step gave in an earlier attempt, or None; nothing is restored."""
        recorded = await self._find(key, form)
        return None if recorded is None else recorded.value

    def id_below(self, place: str) -> str:
        """The id of a run that is started in a place of this one, in every life."""
        return str(uuid5(NAMESPACE_OID, f"{self._run.run_id}/{place}"))

    def reserve(self, key: str) -> Place:
        """Keep a place for a step that runs at the same time as others."""
        return self.journal.reserve(self.prefix + key)

    async def take(
        self,
        key: str,
        work: Callable[[], Awaitable[T]],
        *,
        form: RecordForm[T],
        place: Place | None = None,
    ) -> tuple[T, bool]:
        """Take a step; return what it gives, and whether an earlier attempt has done it.

        Args:
            key: Names the step.
            work: Does it.
            form: Of what it gives.
            place: If it runs at the same time as others.

        Raises:
            RunStoppedError: The step ends the run, in this life or in an earlier one.
            RunSuspended: The run is not to go on here.
            Exception: What the work raises.
        """
        run, done = self._run, list[Record[T]]()

        async def record() -> Record[T]:
            await self._go_live(key)
            with self.metadata.changing() as step, doing_step(run, key):
                try:
                    value: T | StopStep = await work()
                except RunStoppedError as stop:
                    value = StopStep(
                        code=stop.code, message=stop.message, retry_after_s=stop.retry_after_s
                    )
            done.append(await self._make_record(value, changes=step.made))
            return done[0]

        recorded = await self.journal.step(self.prefix + key, record, form=form, place=place)
        if not done:
            self._restore(recorded)
            if key not in self._restored:
                self.metadata.restore(_changes_of([recorded]))
        if isinstance(recorded.value, StopStep):
            stopped = recorded.value
            raise RunStoppedError(
                stopped.code, stopped.message, retry_after_s=stopped.retry_after_s
            )
        return recorded.value, not done

    async def _make_record(self, value: T | StopStep, *, changes: Sequence[Change]) -> Record[T]:
        """Return what is recorded of a step that has ended, once its events are published."""
        run = self._run
        earlier, self._earlier_changes = self._earlier_changes, ()
        if isinstance(run.channel, JournalChannel):
            await run.channel.flush()
        return Record(
            value=value,
            active_s=run.active_s,
            told=run.last_seq,
            changes=(*earlier, *changes),
        )

    async def restore(self, forms: Mapping[str, RecordForm[Any]]) -> Mapping[str, Any]:
        """Restore what steps that run at the same time have changed, before one of them begins.

        Args:
            forms: Of the steps, by their keys.

        Returns:
            What those gave that were done in an earlier life; nothing in the first one.
        """
        if self._is_live:
            return {}
        found: dict[str, Record[Any]] = {}
        for key, form in forms.items():
            recorded = await self._find(key, form)
            if recorded is not None:
                found[key] = recorded
        self.metadata.restore(_changes_of(found.values()))
        self._restored.update(found)
        return {key: each.value for key, each in found.items()}

    async def _find(self, key: str, form: RecordForm[T]) -> Record[T] | None:
        """Return the record of a step; None if there is none."""

        async def refuse() -> Record[T]:
            raise _NotRecordedError

        try:
            return await self.journal.step(self.prefix + key, refuse, form=form)
        except (_NotRecordedError, RunSuspended):
            return None

    async def has_begun_below(self, index: int) -> bool:
        """Return whether the run of a tool call goes on that an earlier life has begun.

        Readers know of the call then, as each step brings all earlier events to them.
        """
        if not self._goes_on:
            return False
        return await self._find(f"tool/{index}/asked", BEGUN) is not None or (
            await self._find(f"tool/{index}/begin", IN_CHARGE) is not None
            or await self._find(f"tool/{index}/enter", ENTERED) is not None
        )

    async def ask_model(
        self, work: Callable[[], Awaitable[GuardedAnswer]], *, streams: bool
    ) -> GuardedAnswer:
        """Return the answer of the model, asked in this attempt or in an earlier one.

        Args:
            work: Asks it, and notes in the run who was asked and what it cost.
            streams: Whether the text is handed out.
        """
        run = self._run
        self._model_calls += 1
        turn = self._model_calls

        async def ask() -> ModelStep:
            await self._restart_turn(turn)
            before = run.cost if run.is_cost_known else None
            said = await work()
            cost = _difference(run.cost if run.is_cost_known else None, before)
            return asked_of(run, said, cost=cost)

        asked, was_done = await self.take(f"model/{turn}", ask, form=ASKED)
        shown = asked.shown or asked.response.message
        if was_done:
            run.model_name, run.vendor_model = asked.model, asked.vendor_model
            run.provider, run.repeatable = asked.provider, run.repeatable and asked.repeatable
            run.add_cost(asked.cost)
            if streams and shown.content:
                await _hand_out_again(run, shown.content)
        return GuardedAnswer(
            message=asked.response.message,
            visible=replace(asked.response, message=shown),
            checked=asked.checked,
        )

    async def _go_live(self, key: str) -> None:
        """Begin a step that is not recorded: the first of this life may have been begun before.

        Raises:
            RunSuspended: The run was cancelled, and only its end is still to be done.
            RunStoppedError: It is given up, since its processes die.
        """
        run, journal = self._run, self.journal
        if journal.is_cancelled and key != FINISH:
            raise RunSuspended
        if key != FINISH and (deaths := journal.given_up_after):
            raise RunStoppedError(
                AgentErrorCode.UNKNOWN,
                f"The run was given up: its process died {deaths} times at {self.prefix}{key}.",
            )
        if self._is_live:
            self._is_cut = False
            return
        told = await journal.told_by(run.run_id) if self.prefix else journal.told
        self._is_live, self._is_cut = True, told > run.last_seq
        run.last_seq = max(run.last_seq, told)

    async def _restart_turn(self, turn: int) -> None:
        """Tell readers that a turn begins again of which an earlier life may have told them."""
        if self._is_cut:
            await self._run.emit(TurnRestarted(turn))

    def _restore(self, recorded: Record[Any]) -> None:
        run = self._run
        if not self._goes_on and not self.prefix:
            logger.info("run goes on", life=self.journal.life)
        self._goes_on = True
        run.last_seq = max(run.last_seq, recorded.told)
        run.go_on_after(recorded.active_s)


async def _hand_out_again(run: ActiveRun, text: str) -> None:
    """Remember what readers got in an earlier life; one of a component is there for this one."""
    if run.caller is None or not run.has_own_reader:
        run.handed_out.append(text)
    elif (room := run.hand_out(text)) is not None:
        await room


class _NotRecordedError(Exception):
    """A step was looked for, and is not to be done."""


async def _make(note: StepNote[T]) -> T:
    return note.make()


def _changes_of(records: Iterable[Record[Any]]) -> Sequence[Change]:
    """The changes of several steps in the order in which they were made.

    Earlier versions have recorded values at the end of a step, and no order: there, what ended last
    counts.
    """
    records = sorted(records, key=lambda each: each.active_s)
    changes = list[Change]()
    for each in records:
        changes += [set_to(value, (key,)) for key, value in each.changed.items()]
        changes += [Change(path=(key,), is_removed=True) for key in each.removed]
    numbered = [change for each in records for change in each.changes]
    return [*changes, *sorted(numbered, key=lambda change: change.number)]


def _difference(now: Decimal | None, before: Decimal | None) -> Decimal | None:
    return now if now is None or before is None else now - before
