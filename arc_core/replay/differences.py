"""The outcome of a replay: the same, or the first difference, by its name."""

from dataclasses import dataclass
from enum import StrEnum


class ReplayVerdict(StrEnum):
    """The verdict about one recording."""

    SAME = "same"
    """All that can be compared is equal."""

    DIFFERENT = "different"
    """A request would be another one, or a recorded answer has no place any more."""

    NOTHING_TO_COMPARE = "nothing to compare"
    """The recording names no parts of requests: it is of the layout arc-1."""

    ANSWERED = "answered"
    """With `live`: the model has answered."""

    UNRECORDED = "unrecorded"
    """With `live`: the model calls what the recording has no result of."""

    FAILED = "failed"
    """With `live`: the run has ended without an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first difference between a recorded run and the same run today.

    Attributes:
        turn: From 1; that of a run below counts its own turns.
        part: Of the request or of the run: `system prompt`, `tool`, `guard` and so on.
        name: Of what differs within the part, such as a tool; empty if the part is all.
        problem: What is different, in words.
        package: The distribution that has brought it; empty if the program or a setting has.
        version_before: Of the package when the run was recorded; empty if it is not known.
        version_now: Of the package today; empty if it is not there.
        diff: Of texts, as `diff -u` prints it; empty if there are none to compare.
        place: Of a run that another one has started, as `tool/3/`; else empty.
    """

    turn: int
    part: str
    problem: str
    name: str = ""
    package: str = ""
    version_before: str = ""
    version_now: str = ""
    diff: str = ""
    place: str = ""

    def __str__(self) -> str:
        """The difference as one line, without the diff of its texts."""
        named = f" `{self.name}`" if self.name else ""
        below = f", below {self.place.rstrip('/')}" if self.place else ""
        versions = self._name_versions()
        return f"turn {self.turn}{below}: {self.part}{named}{versions}: {self.problem}"

    def _name_versions(self) -> str:
        if not self.package:
            return ""
        before, now = self.version_before, self.version_now
        change = before if before == now else f"{before or '?'} → {now or 'gone'}"
        return f" ({self.package} {change})" if change else f" ({self.package})"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOutcome:
    """The outcome of the replay of one recording.

    Attributes:
        run_id: Of the run that was recorded.
        verdict: What it came to.
        difference: The first one; None unless the verdict is `different`.
        notes: Differences of the wiring alone, and what could not be compared.
        turns: Requests that were compared, of runs below, too.
        answer: With `live`: what the model has answered, which call is not recorded, or why there
            is no answer; else None.
    """

    run_id: str
    verdict: ReplayVerdict
    difference: Difference | None = None
    notes: tuple[str, ...] = ()
    turns: int = 0
    answer: str | None = None

    def __str__(self) -> str:
        """The outcome as one line."""
        said = self.verdict.value if self.difference is None else str(self.difference)
        more = f": {self.answer}" if self.answer else ""
        return f"{self.run_id}: {said}{more}"
