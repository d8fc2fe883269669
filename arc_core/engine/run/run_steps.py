"""The recorder of a run that a journal keeps."""

from collections.abc import Awaitable, Callable, Container, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, TypeVar
from uuid import NAMESPACE_OID, uuid5

from arc_core.agents.agent import DEFAULT_AGENT
from arc_core.command import AgentCommand
from arc_core.engine.journal.digests import DigestsByStore, RequestDigests
from arc_core.engine.journal.metadata import Change, RunMetadata, set_to
from arc_core.engine.journal.recorder import (
    EarlierCall,
    RecordedCall,
    RunRecorder,
    Settled,
    StepInProgress,
    begun_key,
    login_key,
    note_key,
    question_key,
)
from arc_core.engine.journal.records import (
    AttemptStart,
    ModelStep,
    QuestionStep,
    Record,
    RequestParts,
    StopStep,
    ToolAttempt,
)
from arc_core.engine.journal.step_forms import (
    BEGUN,
    CALLED,
    ENTERED,
    FINISHED,
    IN_CHARGE,
    JUDGED,
    NOTED,
    QUESTIONED,
    RecordForm,
)
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.events import AgentEvent, RunFinished, TurnRestarted
from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.log import get_logger
from arc_core.requests import Decision, Request
from arc_core.result import AgentResult
from arc_core.runs.journal import Place, RunJournal, RunSuspended, StepWork

FINISH = "finish"
"""The key of the last step of a run."""

_TOOL = "tool/"

logger = get_logger("runs")

T = TypeVar("T")


Note = tuple[str, Any, RecordForm[Any]]
"""The key, the record and the form of a step that was taken before its run had a journal."""


class JournalRecorder(RunRecorder):
    """Takes the steps of a run, or of one that it has started, in one life.

    Args:
        prefix: Before the keys of a run that another one has started, as `tool/3/`.
        untaken: The journal, until the first of all steps has recorded that the attempt begins.
    """

    def __init__(
        self,
        run: ActiveRun,
        journal: RunJournal,
        *,
        digests: DigestsByStore,
        prefix: str = "",
        untaken: list[RunJournal] | None = None,
    ) -> None:
        self.journal, self.prefix, self.has_events = journal, prefix, journal.last_seq > 0
        self._untaken = [journal] if untaken is None else untaken
        self._digests, self._of_store = digests, digests.find(journal.digest_key)
        self._requests = None if self._of_store is None else RequestDigests(self._of_store)
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

    async def take_over(self, notes: Iterable[Note]) -> None:
        """Record the steps that the run has taken before it had a journal, in their order."""
        self._earlier_changes = self.metadata.changes_since(self._run.command.metadata)
        for key, record, form in notes:

            async def get_record(made: Any = record) -> Any:
                return made

            await self.step(key, get_record, form)

    @property
    def is_ending(self) -> bool:  # type: ignore[override]
        """True if this life only ends a run that was cancelled while no process had it."""
        return self.journal.is_cancelled and not self.journal.is_closing

    def goes_on_after(self, end: BaseException) -> bool:
        """Return True if the run goes on in another life; see `RunRecorder`."""
        return not self.is_ending if isinstance(end, RunSuspended) else self.journal.is_closing

    async def find(self, key: str, form: RecordForm[Any]) -> object | None:
        """Return what a step gave in an earlier life, or None; nothing is restored."""
        recorded = await self._find(key, form)
        return None if recorded is None else recorded.value

    @property
    def finds_again(self) -> bool:  # type: ignore[override]
        """True if the journal can be asked for what this life has recorded."""
        return self.journal.finds_again

    @property
    def is_replaying(self) -> bool:  # type: ignore[override]
        """True until the first step that is not recorded."""
        return not self._is_live

    async def find_again(self, key: str, form: RecordForm[Any]) -> object | None:
        """Return what a step gave that has ended, in this life or in an earlier one, or None."""
        recorded = await self.journal.find_again(self.prefix + key, form=form)
        return None if recorded is None else recorded.value

    async def begin_attempt(self, key: str) -> bool:
        """Note that something is begun; False if an earlier life may have done it."""
        attempt_id = self.journal.attempt_id

        async def begin() -> ToolAttempt:
            return ToolAttempt(attempt_id=attempt_id)

        return (await self.step(key, begin, BEGUN)).attempt_id == attempt_id

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
        asked = await self._find_questions(index)
        attempt, begun = 1, list[int]()
        while True:
            key = begun_key(index, attempt)
            is_begun = key in found if attempt == 1 else await self.find(key, BEGUN) is not None
            if not is_begun and attempt not in asked:
                break
            begun += [] if attempt in asked else [attempt]
            attempt += 1
        return EarlierCall(
            is_judged=f"approve/{index}" in found,
            is_told=bool(asked) or await self._has_steps_below(index),
            times_begun=len(begun),
            attempts=attempt - 1,
            last_begun=begun[-1] if begun else 0,
        )

    async def _find_questions(self, index: int) -> set[int]:
        """Return the attempts at a call that have ended with a question or a login."""
        asked = set[int]()
        if not self._goes_on:
            return asked
        for make_key in (question_key, login_key):
            number = 1
            while isinstance(
                found := await self.find(make_key(index, number), QUESTIONED), QuestionStep
            ):
                asked.add(found.attempt)
                number += 1
        return asked

    async def _has_steps_below(self, index: int) -> bool:
        """Return whether an earlier life has begun a run of a tool call, or it has remembered.

        Readers know of the call then, as each step brings all earlier events to them.
        """
        if not self._goes_on:
            return False
        places: dict[str, RecordForm[Any]] = {
            "asked": BEGUN,
            "begin": IN_CHARGE,
            "admit": ENTERED,
            "enter": ENTERED,
        }
        steps = {f"tool/{index}/{place}": form for place, form in places.items()}
        for key, form in {**steps, note_key(index, 1): NOTED}.items():
            if await self._find(key, form) is not None:
                return True
        return False

    async def settle(self, judge: Callable[[], Awaitable[Settled]]) -> Settled:
        """Decide about a call; see `RunRecorder`."""
        return await judge()

    def get_shared_key(self, key: str) -> str:
        """Return a key of this run's own; see `RunRecorder`."""
        return f"{key}/{self._run.run_id}"

    async def await_decision(self, key: str, request: Request) -> Decision:
        """Return the decision of people about a call.

        Readers are told once the journal has the request: a decision that comes at once is taken.
        """
        event = self._run.untold.pop(key, None)
        try:
            return await self.journal.decision(key, request)
        except RunSuspended as suspended:
            if event is not None and suspended.requests:
                await self._run.emit(event)
            raise

    def place_below(
        self, command: AgentCommand, step: str, call_index: int | None
    ) -> tuple[str, str]:
        """Return the place of a run that this one starts, and its id, the same in every life."""
        return find_place(
            self._run, command, step=step, call_index=call_index, attempt_id=self.journal.attempt_id
        )

    def add_below(self, below: ActiveRun, step: str, place: str) -> None:
        """Record the steps of a run that this one has started in a step, below its own."""
        prefix = f"{self.prefix}{place}/"
        JournalRecorder(
            below, self.journal, digests=self._digests, prefix=prefix, untaken=self._untaken
        ).begin()
        self._run.below.runs.setdefault(step, []).append(below)

    def name_wiring(self) -> str:
        """Return the digest of the components that take part."""
        if self._of_store is None:
            return ""
        self.journal.keep_parts((self._of_store.wiring,))
        return self._of_store.wiring.digest

    def name_request(
        self, request: ChatRequest, *, history: int, encode: Callable[[ChatRequest], bytes]
    ) -> RequestParts | None:
        """Return the parts of what the model is asked."""
        if self._requests is None:
            return None
        named, parts = self._requests.name(request, history=history, encode=encode)
        self.journal.keep_parts(parts)
        return named

    def keep_so_far(self, result: AgentResult) -> None:
        """Keep what a run gives that waits for a person."""
        self.journal.keep_so_far(result)

    async def tell_end(
        self, result: AgentResult, emit: Callable[[AgentEvent], Awaitable[None]]
    ) -> None:
        """Tell of the end of a run that no other one has started; see `finish`."""
        if self._run.caller is None:
            await emit(RunFinished(result))

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
            if run.caller is not None:  # it may be told of once only
                await run.emit(RunFinished(finished))
            elif run.channel is not None:
                run.channel.note_end(finished)
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
        self, key: str, work: StepWork[T], form: RecordForm[Any], *, place: Place | None = None
    ) -> T:
        """Take a step, once over all lives of the run; see `RunRecorder.step`."""
        run, done, made = self._run, list[Record[Any]](), list[T]()

        async def record() -> Record[Any]:
            started_at = datetime.now(UTC)
            await self._go_live(key)
            if self._is_cut and key.startswith("model/"):  # readers may know of this turn
                await run.emit(TurnRestarted(int(key.removeprefix("model/"))))
            with self.metadata.changing() as step, StepInProgress(run, key):
                try:
                    made.append(await work())
                    value: Any = made[0] if form.pack is None else form.pack(made[0])
                except RunStoppedError as error:
                    value = StopStep(
                        code=error.code, message=error.message, retry_after_s=error.retry_after_s
                    )
            done.append(await self._make_record(value, changes=step.made, started_at=started_at))
            return done[0]

        recorded = await self.journal.step(self.prefix + key, record, form=form, place=place)
        if not done:
            self._restore(recorded)
            if key not in self._restored:
                self.metadata.restore(list_changes([recorded]))
        if isinstance(stop := recorded.value, StopStep):
            raise RunStoppedError(stop.code, stop.message, retry_after_s=stop.retry_after_s)
        if done:
            return made[0]
        value: Any = recorded.value
        given: T = value if form.restore is None else await form.restore(value)
        return given

    async def _make_record(
        self, value: Any, *, changes: Sequence[Change], started_at: datetime
    ) -> Record[Any]:
        """Return what is recorded of a step that has ended, once its events are published."""
        run = self._run
        earlier, self._earlier_changes = self._earlier_changes, ()
        if run.channel is not None:
            await run.channel.flush()
        return Record(
            value=value,
            started_at=started_at,
            ended_at=datetime.now(UTC),
            attempt=_make_start(self._untaken.pop()) if self._untaken else None,
            active_s=run.duration_ms / 1000,
            last_seq=run.last_seq,
            changes=(*earlier, *changes),
        )

    async def _restore_all(self, forms: Mapping[str, RecordForm[Any]]) -> Mapping[str, Any]:
        """Restore what steps that run at the same time have changed, before one of them begins.

        These are steps of an earlier life, whose records are returned by their keys.
        """
        found: dict[str, Record[Any]] = {}
        for key, form in forms.items():
            recorded = await self._find(key, form)
            if recorded is not None:
                found[key] = recorded
        self.metadata.restore(list_changes(found.values()))
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
        last_seq = await journal.get_last_seq(run.run_id) if self.prefix else journal.last_seq
        self._is_live, self._is_cut = True, last_seq > run.last_seq
        run.last_seq = max(run.last_seq, last_seq)

    def _restore(self, recorded: Record[Any]) -> None:
        run, value = self._run, recorded.value
        if self._requests is not None and isinstance(value, ModelStep):
            self._requests.go_on_after(value.request)
        if not self._goes_on and not self.prefix:
            logger.info("run goes on", life=self.journal.attempt_id)
        self._goes_on = True
        run.last_seq = max(run.last_seq, recorded.last_seq)
        run.go_on_after(recorded.active_s)


def find_place(
    run: ActiveRun,
    command: AgentCommand,
    *,
    step: str,
    call_index: int | None,
    attempt_id: str = "",
) -> tuple[str, str]:
    """Return the place of a run that another one starts, and its id, the same in every life.

    A component may ask something else when it is called again, or in another order; so a run is
    known by what is asked. What is done between steps has no other life.
    """
    if call_index is not None:
        return step, _id_below(run, str(call_index))
    asked = "\0".join((command.agent or DEFAULT_AGENT, command.user_prompt))
    question = f"{step}/{sha256(asked.encode()).hexdigest()[:8]}"
    run.below.questions[question] += 1
    place = f"{question}-{run.below.questions[question]}"
    if not step.startswith(_TOOL):
        place = f"below/{place}" if step else f"below/{attempt_id}{place}"
    return place, _id_below(run, place)


def _id_below(run: ActiveRun, place: str) -> str:
    return str(uuid5(NAMESPACE_OID, f"{run.run_id}/{place}"))


def _make_start(journal: RunJournal) -> AttemptStart:
    return AttemptStart(attempt_id=journal.attempt_id, worker=journal.worker, deaths=journal.deaths)


class _NotRecordedError(Exception):
    """A step was looked for, and is not to be done."""


def list_changes(records: Iterable[Record[Any]]) -> Sequence[Change]:
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
