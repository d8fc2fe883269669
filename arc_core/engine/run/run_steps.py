"""The recorder of a run that a journal keeps, and of one that may get a journal."""

from collections.abc import Awaitable, Callable, Container, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, TypeVar
from uuid import NAMESPACE_OID, uuid5

from arc_core.agents.agent import DEFAULT_AGENT
from arc_core.approvals import ApprovalRequest, Decision
from arc_core.command import AgentCommand
from arc_core.engine.journal.metadata import RunMetadata
from arc_core.engine.journal.metadata_changes import Change, set_to
from arc_core.engine.journal.recorder import (
    EarlierCall,
    RecordedCall,
    RunRecorder,
    begun_key,
    doing_step,
)
from arc_core.engine.journal.records import Record, StopStep, ToolAttempt
from arc_core.engine.journal.step_forms import (
    BEGUN,
    CALLED,
    ENTERED,
    FINISHED,
    IN_CHARGE,
    JUDGED,
    RecordForm,
)
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.events import AgentEvent, RunFinished, TurnRestarted
from arc_core.log import get_logger
from arc_core.result import AgentResult
from arc_core.runs.journal import Place, RunJournal, RunSuspended

FINISH = "finish"
"""The key of the last step of a run."""

_TOOL = "tool/"

logger = get_logger("runs")

T = TypeVar("T")


@dataclass(slots=True)
class _Note:
    """One step that was taken, and its record."""

    key: str
    record: Any
    form: RecordForm[Any]


class NoteRecorder(RunRecorder):
    """Notes the steps of a run that its caller waits for, until a call of it may have to wait.

    Most runs ask no person, and to record their steps would cost them more than a third of their
    time. So the run gets a journal, with all its steps, before the first turn that calls a tool
    about which a person may be asked.

    Args:
        run: Whose steps they are.
        open_journal: Opens its journal.
    """

    def __init__(self, run: ActiveRun, open_journal: Callable[[], RunJournal]) -> None:
        self._run, self._open = run, open_journal
        self._notes: list[_Note] = []

    async def step(
        self,
        key: str,
        work: Callable[[], Awaitable[T]],
        form: RecordForm[Any],
        *,
        pack: Callable[[T], Any] | None = None,
        restore: Callable[[Any], Awaitable[T]] | None = None,
        place: Place | None = None,
    ) -> T:
        """Take a step, and note it once it has ended."""
        value = await work()
        self._notes.append(_Note(key, value if pack is None else pack(value), form))
        return value

    async def begin_turn(self, calls: Sequence[RecordedCall], may_ask: Callable[[], bool]) -> None:
        """Give the run a journal in which all its steps are, if a call may have to wait."""
        if not may_ask():
            return
        recorder = JournalRecorder(self._run, self._open())
        await recorder.take_over(self._notes)
        recorder.begin()
        await recorder.begin_turn(calls, may_ask)

    def add_below(self, below: ActiveRun, step: str, place: str) -> None:
        """Remember a run that this one has started in a step."""
        self._run.below.runs.setdefault(step, []).append(below)


class JournalRecorder(RunRecorder):
    """Takes the steps of a run, or of one that it has started, in one life.

    Args:
        run: Whose steps they are.
        journal: Records them.
        prefix: Before the keys of a run that another one has started, as `tool/3/`.
    """

    is_kept = True

    def __init__(self, run: ActiveRun, journal: RunJournal, *, prefix: str = "") -> None:
        self.journal, self.prefix = journal, prefix
        metadata = run.metadata
        if not isinstance(metadata, RunMetadata):
            metadata = RunMetadata(metadata)
        self.metadata: RunMetadata = metadata
        self._run = run
        self._restored = set[str]()
        self._is_live = False
        self._is_cut = False
        self._goes_on = False
        self._earlier_changes: tuple[Change, ...] = ()

    def begin(self) -> None:
        """Take the steps of the run from now on."""
        self._run.record(self, self.metadata)

    async def take_over(self, notes: Iterable[_Note]) -> None:
        """Record the steps that the run has taken before it had a journal, in their order."""
        self._earlier_changes = self.metadata.changes_since(self._run.command.metadata)
        for note in notes:

            async def get_record(made: Any = note.record) -> Any:
                return made

            await self.step(note.key, get_record, note.form)

    @property
    def is_ending(self) -> bool:  # type: ignore[override]
        """True if this life only ends a run that was cancelled while no process had it."""
        return self.journal.is_cancelled and not self.journal.lets_go

    def goes_on_after(self, end: BaseException) -> bool:
        """Return True if the run goes on in another life; see `RunRecorder`."""
        return not self.is_ending if isinstance(end, RunSuspended) else self.journal.lets_go

    async def find(self, key: str, form: RecordForm[Any]) -> object | None:
        """Return what a step gave in an earlier life, or None; nothing is restored."""
        recorded = await self._find(key, form)
        return None if recorded is None else recorded.value

    async def begin_attempt(self, key: str) -> bool:
        """Note that something is begun; False if an earlier life may have done it."""
        life = self.journal.life

        async def begin() -> ToolAttempt:
            return ToolAttempt(life=life)

        return (await self.step(key, begin, BEGUN)).life == life

    async def begin_turn(self, calls: Sequence[RecordedCall], may_ask: Callable[[], bool]) -> None:
        """Keep places for the calls of a turn, and restore what earlier lives have recorded."""
        for call in calls:
            call.place = self.journal.reserve(f"{self.prefix}tool/{call.index}")
        if self._is_live:
            return
        forms = dict[str, RecordForm[Any]]()
        for call in calls:
            index = call.index
            forms |= {f"approve/{index}": JUDGED, begun_key(index): BEGUN, f"tool/{index}": CALLED}
        found = await self._restore_all(forms)
        for call in calls:
            call.earlier = await self._find_call(call.index, found)

    async def _find_call(self, index: int, found: Container[str]) -> EarlierCall:
        if f"tool/{index}" in found:
            return EarlierCall(is_made=True)
        times_begun = int(begun_key(index) in found)
        while times_begun and await self.find(begun_key(index, times_begun + 1), BEGUN) is not None:
            times_begun += 1
        return EarlierCall(
            is_judged=f"approve/{index}" in found,
            is_told=await self._has_begun_below(index),
            times_begun=times_begun,
        )

    async def _has_begun_below(self, index: int) -> bool:
        """Return whether the run of a tool call goes on that an earlier life has begun.

        Readers know of the call then, as each step brings all earlier events to them.
        """
        if not self._goes_on:
            return False
        places: dict[str, RecordForm[Any]] = {"asked": BEGUN, "begin": IN_CHARGE, "enter": ENTERED}
        for place, form in places.items():
            if await self._find(f"tool/{index}/{place}", form) is not None:
                return True
        return False

    async def await_decision(self, key: str, request: ApprovalRequest) -> Decision:
        """Return the decision of people about a call.

        Raises:
            RunSuspended: They have not decided yet.
        """
        return await self.journal.decision(key, request)

    def place_below(
        self, command: AgentCommand, step: str, call_index: int | None
    ) -> tuple[str, str]:
        """Return the place of a run that this one starts, and its id, the same in every life.

        A component may ask something else when it is called again, or in another order; so a run
        is known by what is asked. What is done between steps has no other life.
        """
        if call_index is not None:
            return step, self._id_below(str(call_index))
        asked = "\0".join((command.agent or DEFAULT_AGENT, command.user_prompt))
        question = f"{step}/{sha256(asked.encode()).hexdigest()[:8]}"
        self._run.below.questions[question] += 1
        place = f"{question}-{self._run.below.questions[question]}"
        if not step.startswith(_TOOL):
            place = f"below/{place}" if step else f"below/{self.journal.life}{place}"
        return place, self._id_below(place)

    def _id_below(self, place: str) -> str:
        return str(uuid5(NAMESPACE_OID, f"{self._run.run_id}/{place}"))

    def add_below(self, below: ActiveRun, step: str, place: str) -> None:
        """Record the steps of a run that this one has started in a step, below its own."""
        JournalRecorder(below, self.journal, prefix=f"{self.prefix}{place}/").begin()
        self._run.below.runs.setdefault(step, []).append(below)

    def keep_so_far(self, result: AgentResult) -> None:
        """Keep what a run gives that waits for a person."""
        self.journal.keep_so_far(result)

    async def tell_end(
        self, result: AgentResult, emit: Callable[[AgentEvent], Awaitable[None]]
    ) -> None:
        """Tell nothing: the step that finishes the run has told readers."""

    async def finish(
        self,
        result: AgentResult,
        work: Callable[[], Coroutine[Any, Any, AgentResult]],
        leave: Callable[[], Awaitable[None]],
    ) -> AgentResult:
        """Do what there is to do at the end of a run as a step, or leave it if that was done."""
        run, has_begun, has_ended = self._run, False, False
        run.deadline = None  # it has left; what the record tells of the time cannot move it

        async def finish() -> AgentResult:
            nonlocal has_begun, has_ended
            has_begun = True
            finished = await work()
            if run.channel is None or run.caller is not None or run.channel.tells_end(finished):
                await run.emit(RunFinished(finished))
            has_ended = True
            return finished

        try:
            finished = await self.step(FINISH, finish, FINISHED)
            if not has_ended and run.caller is not None and run.has_own_reader:
                await run.emit(RunFinished(finished))
        finally:
            if not has_begun:  # it was done in an earlier life, or is done elsewhere
                await leave()
        return replace(finished, messages=result.messages)

    async def step(
        self,
        key: str,
        work: Callable[[], Awaitable[T]],
        form: RecordForm[Any],
        *,
        pack: Callable[[T], Any] | None = None,
        restore: Callable[[Any], Awaitable[T]] | None = None,
        place: Place | None = None,
    ) -> T:
        """Take a step, once over all lives of the run; see `RunRecorder.step`."""
        run, done, made = self._run, list[Record[Any]](), list[T]()

        async def record() -> Record[Any]:
            await self._go_live(key)
            if self._is_cut and key.startswith("model/"):  # readers may know of this turn
                await run.emit(TurnRestarted(int(key.removeprefix("model/"))))
            with self.metadata.changing() as step, doing_step(run, key):
                try:
                    made.append(await work())
                    value: Any = made[0] if pack is None else pack(made[0])
                except RunStoppedError as error:
                    value = StopStep(
                        code=error.code, message=error.message, retry_after_s=error.retry_after_s
                    )
            done.append(await self._make_record(value, changes=step.made))
            return done[0]

        recorded = await self.journal.step(self.prefix + key, record, form=form, place=place)
        if not done:
            self._restore(recorded)
            if key not in self._restored:
                self.metadata.restore(_list_changes([recorded]))
        if isinstance(stop := recorded.value, StopStep):
            raise RunStoppedError(stop.code, stop.message, retry_after_s=stop.retry_after_s)
        if done:
            return made[0]
        given: Any = recorded.value
        return given if restore is None else await restore(given)

    async def _make_record(self, value: Any, *, changes: Sequence[Change]) -> Record[Any]:
        """Return what is recorded of a step that has ended, once its events are published."""
        run = self._run
        earlier, self._earlier_changes = self._earlier_changes, ()
        if run.channel is not None:
            await run.channel.flush()
        return Record(
            value=value,
            active_s=run.active_s,
            told=run.last_seq,
            changes=(*earlier, *changes),
        )

    async def _restore_all(self, forms: Mapping[str, RecordForm[Any]]) -> Mapping[str, Any]:
        """Restore what steps that run at the same time have changed, before one of them begins.

        Args:
            forms: Of the steps, by their keys.

        Returns:
            What those gave that were done in an earlier life; nothing in the first one.
        """
        found: dict[str, Record[Any]] = {}
        for key, form in forms.items():
            recorded = await self._find(key, form)
            if recorded is not None:
                found[key] = recorded
        self.metadata.restore(_list_changes(found.values()))
        self._restored.update(found)
        return found

    async def _find(self, key: str, form: RecordForm[Any]) -> Record[Any] | None:
        """Return the record of a step; None if there is none."""

        async def refuse() -> Record[Any]:
            raise _NotRecordedError

        try:
            return await self.journal.step(self.prefix + key, refuse, form=form)
        except (_NotRecordedError, RunSuspended):
            return None

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

    def _restore(self, recorded: Record[Any]) -> None:
        run = self._run
        if not self._goes_on and not self.prefix:
            logger.info("run goes on", life=self.journal.life)
        self._goes_on = True
        run.last_seq = max(run.last_seq, recorded.told)
        run.go_on_after(recorded.active_s)


class _NotRecordedError(Exception):
    """A step was looked for, and is not to be done."""


def _list_changes(records: Iterable[Record[Any]]) -> Sequence[Change]:
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
