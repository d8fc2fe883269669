"""Trials until a verdict, and wrong verdicts: `python -m benchmarks.sequential_trials`.

1 000 experiments with agents of known pass rates are simulated, against a required rate of 0.8 and
with at most 200 trials. They are compared with the fixed design of the same power: the smallest
number of trials after which an ordinary Wilson interval, looked at once, gives the right verdict as
often, on average over the rates; that power is computed exactly. At the required rate itself each
verdict counts as wrong; the last line has the exact probability of that beside the simulated one.
"""

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from statistics import NormalDist, fmean

from arc_core.evaluation.sequential import EvalVerdict, SequentialTest

REQUIRED = 0.8
RATES = (0.99, 0.95, 0.9, 0.7, 0.6, 0.4)
MAX_TRIALS = 200
TEST = SequentialTest(REQUIRED, MAX_TRIALS)


@dataclass(frozen=True)
class Experiment:
    """The end of one simulated experiment."""

    rate: float
    verdict: EvalVerdict
    trials: int

    @property
    def is_right(self) -> bool:
        """Whether the verdict is that of the known rate."""
        return self.verdict is (EvalVerdict.PASSES if self.rate > REQUIRED else EvalVerdict.FAILS)

    @property
    def is_wrong(self) -> bool:
        """Whether it is a verdict, and not that of the known rate."""
        has_verdict = self.verdict is not EvalVerdict.CANNOT_TELL
        return has_verdict and (self.rate == REQUIRED or not self.is_right)


@dataclass(frozen=True)
class Figures:
    """Figures of many experiments.

    Attributes:
        wrong: The share of wrong verdicts.
        power: The share of right ones.
        trials: The mean number of trials.
        fixed_trials: Those of the fixed design of the same power.
    """

    wrong: float
    power: float
    trials: float
    fixed_trials: int

    @property
    def share(self) -> float:
        """The trials, as a share of those of the fixed design."""
        return self.trials / self.fixed_trials


def experiment(rate: float, random: Random) -> Experiment:
    """Try an agent of a known rate until the verdict is clear."""
    passed = trials = 0
    verdict = EvalVerdict.CANNOT_TELL
    while verdict is EvalVerdict.CANNOT_TELL and trials < MAX_TRIALS:
        passed += random.random() < rate
        trials += 1
        verdict = TEST.judge(passed, trials)
    return Experiment(rate, verdict, trials)


def simulate(experiments: int, seed: int, rates: tuple[float, ...] = RATES) -> list[Experiment]:
    """As many experiments at each of the rates, as far as that goes."""
    random = Random(seed)
    return [experiment(rates[number % len(rates)], random) for number in range(experiments)]


def summarize(experiments: list[Experiment]) -> Figures:
    """The figures of experiments."""
    power = fmean(each.is_right for each in experiments)
    return Figures(
        wrong=fmean(each.is_wrong for each in experiments),
        power=power,
        trials=fmean(each.trials for each in experiments),
        fixed_trials=find_fixed_trials(power),
    )


def find_fixed_trials(power: float) -> int:
    """The fewest trials of a fixed design that has a power, at most `MAX_TRIALS`."""
    found = (n for n in range(1, MAX_TRIALS + 1) if get_fixed_power(n) >= power)
    return next(found, MAX_TRIALS)


def get_fixed_power(trials: int) -> float:
    """The exact probability of the right verdict of a fixed design, on average over the rates."""
    half = NormalDist().inv_cdf(0.975) * math.sqrt(trials * REQUIRED * (1 - REQUIRED))
    low, high = trials * REQUIRED - half, trials * REQUIRED + half
    return fmean(
        sum(
            weight
            for passed, weight in enumerate(_binomial(trials, rate))
            if (passed > high if rate > REQUIRED else passed < low)
        )
        for rate in RATES
    )


def get_exact_error() -> float:
    """The exact probability of a verdict about an agent at the required rate."""
    weights, error = {0: 1.0}, 0.0
    for trials in range(1, MAX_TRIALS + 1):
        after: dict[int, float] = defaultdict(float)
        for passed, weight in weights.items():
            after[passed] += weight * (1 - REQUIRED)
            after[passed + 1] += weight * REQUIRED
        weights = {n: w for n, w in after.items() if _is_open(n, trials)}
        error += sum(after.values()) - sum(weights.values())
    return error


def _is_open(passed: int, trials: int) -> bool:
    return TEST.judge(passed, trials) is EvalVerdict.CANNOT_TELL


def _binomial(trials: int, rate: float) -> Iterator[float]:
    for passed in range(trials + 1):
        yield math.comb(trials, passed) * rate**passed * (1 - rate) ** (trials - passed)


def main() -> None:
    """Simulate, and print a row for each rate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=1_000, help="(1 000)")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    experiments = simulate(asked.experiments, asked.seed)
    at_required = simulate(asked.experiments, asked.seed, (REQUIRED,))
    print(f"{'rate':>5} {'right':>6} {'wrong':>6} {'open':>6} {'trials':>7}")
    for rate in (*RATES, REQUIRED):
        own = [each for each in (*experiments, *at_required) if each.rate == rate]
        count = Counter("wrong" if e.is_wrong else "right" if e.is_right else "open" for e in own)
        shares = " ".join(f"{count[name] / len(own):6.1%}" for name in ("right", "wrong", "open"))
        print(f"{rate:5} {shares} {fmean(each.trials for each in own):7.1f}")
    figures = summarize(experiments)
    print(
        f"{len(experiments)} experiments: {figures.wrong:.1%} wrong, power {figures.power:.1%}, "
        f"{figures.trials:.1f} trials; fixed design {figures.fixed_trials}: {figures.share:.0%}"
    )
    wrong = fmean(each.is_wrong for each in at_required)
    print(f"at the required rate: {wrong:.1%} wrong, exactly {get_exact_error():.2%}")


if __name__ == "__main__":
    main()
