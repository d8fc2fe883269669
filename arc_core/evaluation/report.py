"""The report of an evaluation, and its comparison with an earlier one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from arc_core.errors import ConfigurationError
from arc_core.evaluation.sequential import EvalVerdict


class _Part(BaseModel):
    """A part of a report."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class GivenScore(_Part):
    """A score that a scorer gave.

    Attributes:
        value: From 0 to 1.
        why: For people.
    """

    value: float
    why: str = ""


class Trial(_Part):
    """One run of a case.

    Attributes:
        case: The name of the case.
        problems: How it differs from what is expected; empty if it passes.
        scores: What scorers gave, by their names.
        run_id: Of the run.
        turns: Answers of the model.
        cost: None if it is not known.
        duration_ms: Of the run.
    """

    case: str
    problems: tuple[str, ...] = ()
    scores: Mapping[str, GivenScore] = {}
    run_id: str = ""
    turns: int = 0
    cost: Decimal | None = None
    duration_ms: float = 0.0

    @property
    def passed(self) -> bool:
        """True if the run is as expected."""
        return not self.problems


class CaseReport(_Part):
    """The outcome of a case, or of a set of cases that are judged together.

    Attributes:
        name: Of the case or the set.
        verdict: About the pass rate.
        why: The reason for which there is no verdict; empty if there is one.
        required: The pass rate that is required.
        confidence: Of the verdict and the interval.
        passed: Trials that passed.
        trials: All of them.
        max_trials: After how many it would have ended.
        low: Of the interval in which the pass rate lies.
        high: Of the same interval.
        cost: Of all trials, as far as it is known.
        failed: The first trials that did not pass.
    """

    name: str
    verdict: EvalVerdict
    why: str = ""
    required: float
    confidence: float
    passed: int
    trials: int
    max_trials: int
    low: float
    high: float
    cost: Decimal = Decimal(0)
    failed: tuple[Trial, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems of these trials, each once."""
        return tuple(dict.fromkeys(each for trial in self.failed for each in trial.problems))


class EvalReport(_Part):
    """The report of an evaluation.

    Attributes:
        v: The version of the form.
        type: Tells it from other files of JSON.
        cases: In the order in which they were given.
    """

    v: Literal[1] = 1
    type: Literal["evaluation"] = "evaluation"
    cases: tuple[CaseReport, ...]

    @property
    def verdict(self) -> EvalVerdict:
        """The verdict about all cases: the worst of theirs."""
        found = {each.verdict for each in self.cases}
        if EvalVerdict.FAILS in found:
            return EvalVerdict.FAILS
        is_open = EvalVerdict.CANNOT_TELL in found or not found
        return EvalVerdict.CANNOT_TELL if is_open else EvalVerdict.PASSES

    @property
    def passes(self) -> bool:
        """True if all cases pass."""
        return self.verdict is EvalVerdict.PASSES

    @property
    def cost(self) -> Decimal:
        """Of all trials, as far as it is known."""
        return sum((each.cost for each in self.cases), Decimal(0))

    def __str__(self) -> str:
        return "\n".join(line for each in self.cases for line in _describe(each))

    def to_json(self) -> str:
        """Return the JSON form, which `from_json` reads."""
        return self.model_dump_json(indent=2)

    @classmethod
    def from_json(cls, text: str | bytes, *, name: str) -> "EvalReport":
        """Return the report of a text.

        Args:
            text: That of a file.
            name: Of the file, for errors.

        Raises:
            ConfigurationError: It is not a report.
        """
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"])) or "its beginning"
            raise ConfigurationError(
                f"{name} is not a report of an evaluation",
                evidence=[f"{place}: {first['msg']}"],
                remedy="write one with arc eval --json > FILE",
            ) from None


def _describe(case: CaseReport) -> Iterator[str]:
    why = f": {case.why}" if case.why else ""
    yield (
        f"{case.name}: {case.verdict}, {case.passed} of {case.trials} trials "
        f"({case.low:.0%} to {case.high:.0%}, required {case.required:g}){why}"
    )
    yield from (f"  {problem}" for problem in case.problems)


class RateChange(StrEnum):
    """The difference between two reports on a case."""

    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    NOT_CLEAR = "no clear difference"
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseChange:
    """A case in two reports.

    Attributes:
        name: Of the case.
        change: A regression or an improvement only if the intervals part.
        before: The share of trials that passed; None if there were none.
        after: The same, now.
    """

    name: str
    change: RateChange
    before: float | None = None
    after: float | None = None


def compare(before: EvalReport, after: EvalReport) -> tuple[CaseChange, ...]:
    """Compare a report with an earlier one, case by case."""
    old, new = ({each.name: each for each in report.cases} for report in (before, after))
    return tuple(
        CaseChange(
            name=name,
            change=_compare_case(old.get(name), new.get(name)),
            before=_get_share(old.get(name)),
            after=_get_share(new.get(name)),
        )
        for name in dict.fromkeys((*new, *old))
    )


def _compare_case(old: CaseReport | None, new: CaseReport | None) -> RateChange:
    if old is None or new is None:
        return RateChange.NEW if old is None else RateChange.GONE
    if new.high < old.low:
        return RateChange.REGRESSION
    return RateChange.IMPROVEMENT if new.low > old.high else RateChange.NOT_CLEAR


def _get_share(case: CaseReport | None) -> float | None:
    return case.passed / case.trials if case is not None and case.trials else None
