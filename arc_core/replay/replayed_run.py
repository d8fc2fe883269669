"""One recording while it is replayed, and what was found so far."""

from typing import Any

from arc_core.engine.journal.digests import StoreDigests
from arc_core.engine.journal.records import EntryStep, Record
from arc_core.engine.journal.step_forms import ENTERED, RecordForm
from arc_core.errors import FormError
from arc_core.replay.differences import Difference, read_changes
from arc_core.replay.part_comparison import EqualParts, PartComparison, add_versions
from arc_core.replay.silent_components import RecordedSession, SilentComponents
from arc_core.result import AgentResult
from arc_core.runs.journal import Recording, RunSuspended


class ReplayedRun:
    """A recording, what it is compared with, and the first difference.

    Attributes:
        flaw: Of the recording, for which it cannot be replayed.
        unrecorded: With a model that is asked again, its first call that has no recorded result.
        result: With such a model, what came of the run.
        notes: What could not be compared.
    """

    def __init__(
        self,
        recording: Recording,
        *,
        digests: StoreDigests,
        components: SilentComponents,
        equal: EqualParts,
        forwards_prompt: bool,
        deps: Any = None,
    ) -> None:
        self.recording, self.digests, self.deps = recording, digests, deps
        self.forwards_prompt = forwards_prompt
        self.difference: Difference | None = None
        self.flaw: FormError | None = None
        self.unrecorded, self.result = "", AgentResult(success=False)
        self.turns, self.notes = 0, dict[str, None]()
        self._has_impure_guards = components.has_impure_guards
        self._has_guards = bool(components.all.guards)
        self.session: RecordedSession = components.session
        self._records: dict[str, Record[Any]] = {}
        wiring = recording.parts.get(self._find_wiring(), "null")
        self.wiring = read_changes(wiring, digests.wiring.text)
        self.comparison = PartComparison(
            recording, digests=digests, wiring=self.wiring, equal=equal, agents=components.agents
        )

    def _find_wiring(self) -> str:
        try:
            entered = self.read("enter", ENTERED)
        except RunSuspended:
            return ""
        return entered.value.wiring if entered and isinstance(entered.value, EntryStep) else ""

    def read(self, name: str, form: RecordForm[Any]) -> Record[Any] | None:
        """Return what is recorded of a step; None if nothing is.

        Raises:
            RunSuspended: It was edited; `flaw` says how.
        """
        if name in self._records:
            return self._records[name]
        text = self.recording.steps.get(name)
        if text is None:
            return None
        try:
            self._records[name] = record = form.read(text)
            return record
        except FormError as error:
            self.refuse(name, error.problem, place=error.place)
            raise RunSuspended from None

    def refuse(self, name: str, problem: str, *, place: str = "$") -> None:
        """Note why the recording cannot be replayed."""
        where = place.replace("$", f"run {self.recording.run_id}, $.steps[{name!r}]", 1)
        self.flaw = self.flaw or FormError(problem, place=where, remedy="export the run again")

    def find(self, turn: int, part: str, problem: str, **facts: str) -> None:
        """Note a difference with the facts that its class names, if it is the first one."""
        found = Difference(turn=turn, part=part, problem=problem, **facts)
        self.difference = self.difference or add_versions(found, self.wiring)

    def compares_guards(self) -> bool:
        """Return whether what guards say today can be compared.

        Between guards that are not asked again, others get what these have made of a prompt. That
        is not recorded; then they are asked only if one of them has changed.
        """
        if not self._has_guards:
            return False
        return not self._has_impure_guards or self.wiring.pure_guard is not None
