"""A sequential test of a pass rate: rarely wrong, and done early."""

from itertools import product

import pytest

from arc_core.evaluation.sequential import MAX_TRIALS, EvalVerdict, SequentialTest


def get_error(test: SequentialTest) -> float:
    """The exact probability of a verdict about an agent whose rate is the required one."""
    weights, error = {0: 1.0}, 0.0
    for trials in range(1, test.max_trials + 1):
        after: dict[int, float] = {}
        for passed, weight in weights.items():
            after[passed] = after.get(passed, 0) + weight * (1 - test.required)
            after[passed + 1] = weight * test.required
        weights = {
            passed: weight
            for passed, weight in after.items()
            if test.judge(passed, trials) is EvalVerdict.CANNOT_TELL
        }
        error += sum(after.values()) - sum(weights.values())
    return error


@pytest.mark.parametrize(
    ("required", "max_trials", "confidence"),
    list(product((0.5, 0.8, 0.9, 0.99), (1, 20, 100), (0.8, 0.95))),
)
def test_a_verdict_is_wrong_no_more_often_than_the_confidence_says(
    required: float, max_trials: int, confidence: float
) -> None:
    """Looking after each trial included, at the rate at which it is hardest."""
    test = SequentialTest(required, max_trials, confidence)

    assert get_error(test) <= 1 - confidence + 1e-9


def test_an_agent_that_always_passes_is_done_early() -> None:
    """And one that always fails earlier still, since 0.9 is required."""
    test = SequentialTest(0.9, 100)

    passes = next(n for n in range(101) if test.judge(n, n) is EvalVerdict.PASSES)
    fails = next(n for n in range(101) if test.judge(0, n) is EvalVerdict.FAILS)

    assert (passes, fails) == (48, 3)


def test_few_trials_cannot_tell() -> None:
    """Twenty passes of twenty do not show nine in ten."""
    test = SequentialTest(0.9, 20)

    assert test.judge(20, 20) is EvalVerdict.CANNOT_TELL
    assert not test.can_pass
    assert SequentialTest(0.9, 50).can_pass


@pytest.mark.parametrize("passed", [0, 3, 10, 30])
def test_trials_side_by_side_are_all_needed(passed: int) -> None:
    """No verdict is possible before the last of those that may be run together."""
    test = SequentialTest(0.9, 100)
    more = test.count_until_verdict(passed, 30)

    outcomes = [
        test.judge(passed + good, 30 + taken) for taken in range(1, more) for good in (0, taken)
    ]

    assert set(outcomes) <= {EvalVerdict.CANNOT_TELL}
    assert more >= 1


def test_without_a_verdict_in_reach_all_the_rest_may_be_run() -> None:
    """Of two trials, none can tell."""
    test = SequentialTest(0.5, 2)

    assert test.count_until_verdict(0, 0) == 2
    assert test.count_until_verdict(2, 2) == 0


def test_the_interval_before_any_trial_is_everything() -> None:
    """And it has the observed rate inside afterwards."""
    test = SequentialTest(0.8, 50)

    assert (test.get_interval(0, 0).low, test.get_interval(0, 0).high) == (0, 1)
    assert test.get_interval(8, 10).low < 0.8 < test.get_interval(8, 10).high


@pytest.mark.parametrize(
    "values", [(0.0, 10, 0.95), (1.0, 10, 0.95), (0.9, 0, 0.95), (0.9, 10, 1.0)]
)
def test_what_cannot_be_tested_is_refused(values: tuple[float, int, float]) -> None:
    """An interval never reaches 1, and no trial says nothing."""
    with pytest.raises(ValueError, match="give it"):
        SequentialTest(*values)


def test_the_most_trials_are_bounded() -> None:
    """The factors take longer than anyone waits otherwise."""
    with pytest.raises(ValueError, match="1 to 1,000"):
        SequentialTest(0.9, MAX_TRIALS + 1)
