"""Simulated experiments end early, and are rarely wrong."""

from benchmarks.sequential_trials import (
    REQUIRED,
    find_fixed_trials,
    get_exact_error,
    get_fixed_power,
    simulate,
    summarize,
)


def test_experiments_take_fewer_trials_than_a_fixed_design_of_the_same_power() -> None:
    """At most 60 % of them, and at most 5 % of the verdicts are wrong."""
    figures = summarize(simulate(240, seed=29))

    assert figures.wrong <= 0.05
    assert figures.share <= 0.6


def test_at_the_required_rate_a_verdict_is_rare() -> None:
    """By the exact probability; simulated ones are near it."""
    experiments = simulate(300, seed=29, rates=(REQUIRED,))

    assert get_exact_error() <= 0.05
    assert sum(each.is_wrong for each in experiments) <= 0.09 * len(experiments)


def test_the_fixed_design_is_the_smallest() -> None:
    """One trial less has less than the power."""
    trials = find_fixed_trials(0.9)

    assert get_fixed_power(trials) >= 0.9 > get_fixed_power(trials - 1)
