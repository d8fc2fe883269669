"""Reports of evaluations: read again, and compared."""

from typing import Any

import pytest

from arc_core import ConfigurationError
from arc_core.evaluation.report import CaseReport, EvalReport, RateChange, Trial, compare
from arc_core.evaluation.sequential import EvalVerdict


def case(name: str, low: float, high: float, **changes: Any) -> CaseReport:
    """A case whose pass rate lies between two rates."""
    values: dict[str, Any] = {
        "name": name, "verdict": EvalVerdict.PASSES, "required": 0.9, "confidence": 0.95,
        "passed": 9, "trials": 10, "max_trials": 100, "low": low, "high": high,
    }  # fmt: skip
    return CaseReport(**{**values, **changes})


def test_only_intervals_that_part_are_a_difference() -> None:
    """Chance moves the figures of a case that has not changed."""
    before = EvalReport(cases=(case("a", 0.8, 0.9), case("b", 0.5, 0.7), case("gone", 0, 1)))
    after = EvalReport(cases=(case("a", 0.5, 0.79), case("b", 0.6, 0.9), case("new", 0, 1)))

    changes = {each.name: each.change for each in compare(before, after)}

    assert changes == {
        "a": RateChange.REGRESSION,
        "b": RateChange.NOT_CLEAR,
        "new": RateChange.NEW,
        "gone": RateChange.GONE,
    }
    assert compare(after, before)[0].change is RateChange.IMPROVEMENT


def test_the_worst_verdict_counts() -> None:
    """A failure more than a case that cannot tell."""
    verdicts = [EvalVerdict.PASSES, EvalVerdict.CANNOT_TELL, EvalVerdict.FAILS]

    found = [
        EvalReport(cases=tuple(case(each, 0, 1, verdict=each) for each in verdicts[:count])).verdict
        for count in (1, 2, 3)
    ]

    assert found == verdicts


def test_a_report_reads_as_lines_with_each_problem_once() -> None:
    """A test shows it by `str(report)`."""
    failed = tuple(Trial(case="a", problems=("it is wrong",)) for _ in range(3))
    report = EvalReport(
        cases=(case("a", 0, 0.85, passed=0, trials=3, verdict=EvalVerdict.FAILS, failed=failed),)
    )

    assert str(report) == ("a: fails, 0 of 3 trials (0% to 85%, required 0.9)\n  it is wrong")


def test_a_report_is_read_again() -> None:
    """As it was written."""
    failed = (Trial(case="a", problems=("it is wrong",), run_id="1"),)
    report = EvalReport(cases=(case("a", 0.1, 0.2, failed=failed),))

    assert EvalReport.from_json(report.to_json(), name="report.json") == report


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"v": 2, "cases": []}', "\x00"])
def test_what_is_not_a_report_is_refused(text: str) -> None:
    """With the name of the file."""
    with pytest.raises(ConfigurationError, match=r"report\.json is not a report"):
        EvalReport.from_json(text, name="report.json")
