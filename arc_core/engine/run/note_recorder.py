"""The recorder of a run that gets a journal once it may have to wait for a person."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from arc_core.command import AgentCommand
from arc_core.engine.journal.digests import DigestsByStore
from arc_core.engine.journal.recorder import RecordedCall, RunRecorder
from arc_core.engine.journal.step_forms import RecordForm
from arc_core.engine.run.run_steps import JournalRecorder, Note, find_place
from arc_core.engine.run_state import ActiveRun
from arc_core.requests import Decision, Request
from arc_core.runs.journal import Place, RunJournal, StepWork

T = TypeVar("T")


class NoteRecorder(RunRecorder):
    """Notes the steps of a run that its caller waits for, until a call of it may have to wait.

    Most runs ask no person, and to record their steps would cost them more than a third of their
    time. So the run gets a journal, with all its steps, before the first turn that calls a tool
    about which a person may be asked, or when a tool asks the user a question.

    Args:
        run: Whose steps they are.
        open_journal: Opens its journal.
        digests: Of what the model is asked.
        above: Of the run that has started it, which gets the journal first; None if a program has.
        prefix: Before the keys of its steps, as `tool/3/`.
    """

    def __init__(
        self,
        run: ActiveRun,
        open_journal: Callable[[], RunJournal],
        *,
        digests: DigestsByStore,
        above: "NoteRecorder | None" = None,
        prefix: str = "",
    ) -> None:
        self._run, self._open_journal, self._digests = run, open_journal, digests
        self._above, self.prefix = above, prefix
        self._notes: list[Note] = []
        self._opened: JournalRecorder | None = None

    async def step(
        self, key: str, work: StepWork[T], form: RecordForm[Any], *, place: Place | None = None
    ) -> T:
        """Take a step, and note it once it has ended; or record it, if the journal is there."""
        value = await work()
        note = Note(key, value if form.pack is None else form.pack(value), form.plain)
        if self._opened is None:
            self._notes.append(note)
        else:
            await self._opened.take_over([note])
        return value

    async def begin_turn(self, calls: Sequence[RecordedCall], may_ask: Callable[[], bool]) -> None:
        """Give the run a journal in which all its steps are, if a call may have to wait."""
        if may_ask():
            await (await self._open()).begin_turn(calls, may_ask)

    async def await_decision(self, key: str, request: Request) -> Decision:
        """Give the run a journal, and return the decision of people about a request."""
        return await (await self._open()).await_decision(key, request)

    def place_below(
        self, command: AgentCommand, step: str, call_index: int | None
    ) -> tuple[str, str]:
        """Return the place of a run that this one starts, and its id, the same in every life."""
        return find_place(self._run, command, step=step, call_index=call_index)

    def add_below(self, below: ActiveRun, step: str, place: str) -> None:
        """Note the steps of a run that this one has started in a step."""
        below.recorder = NoteRecorder(
            below,
            self._get_journal,
            digests=self._digests,
            above=self,
            prefix=f"{self.prefix}{place}/",
        )
        self._run.below.runs.setdefault(step, []).append(below)

    async def _open(self) -> "JournalRecorder":
        """Give the run a journal with the steps that it has taken, after those above it."""
        if self._above is not None:
            await self._above._open()  # noqa: SLF001 -- of its own class
        if self._opened is None:
            self._opened = JournalRecorder(
                self._run, self._open_journal(), digests=self._digests, prefix=self.prefix
            )
            await self._opened.take_over(self._notes)
            self._opened.begin()
        return self._opened

    def _get_journal(self) -> RunJournal:
        assert self._opened is not None, "runs below are opened after it"
        return self._opened.journal
