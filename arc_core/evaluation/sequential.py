"""A test of a pass rate that ends as soon as the verdict is clear.

After each trial stands a Wilson interval; the verdict is clear once it lies above or below the
required rate. An interval that is looked at after each trial must be wider than one that is looked
at once. The width falls with the trials as in the designs of Wang and Tsiatis (Biometrics 43, 1987,
193-199), and each side has the factor with which an agent at the required rate crosses it with
probability (1 - confidence) / 2, within all trials together. That probability is computed exactly,
from the binomial distribution, not simulated.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from statistics import NormalDist

MAX_TRIALS = 1_000
"""The most trials of one test; the factors of more take long to compute."""

_SHAPE = -0.1
"""The exponent with which the width falls: 0 is Pocock's design, -0.5 that of O'Brien and Fleming.

Among -0.5 to 0 it needs about the fewest trials for agents far from the required rate and near it.
"""

_BISECTIONS = 20
_TAIL = 8.0
"""Standard deviations beyond which states have no weight."""


class EvalVerdict(StrEnum):
    """The outcome of an evaluation."""

    PASSES = "passes"
    FAILS = "fails"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class Interval:
    """The interval in which a pass rate lies, from 0 to 1, with the confidence of its test."""

    low: float
    high: float


@dataclass(frozen=True)
class SequentialTest:
    """A test of whether an agent's pass rate is above a required one.

    Attributes:
        required: The rate, above 0 and below 1.
        max_trials: After how many it ends without a verdict, 1 to `MAX_TRIALS`.
        confidence: That no verdict is wrong, above 0 and below 1.
    """

    required: float
    max_trials: int
    confidence: float = 0.95

    def __post_init__(self) -> None:
        for name in ("required", "confidence"):
            value = getattr(self, name)
            if not 0 < value < 1:
                raise ValueError(f"{name} is {value}: give it more than 0 and less than 1")
        if not 1 <= self.max_trials <= MAX_TRIALS:
            raise ValueError(f"max_trials is {self.max_trials}: give it 1 to {MAX_TRIALS:,}")

    def get_interval(self, passed: int, trials: int) -> Interval:
        """Return where the pass rate lies after some trials; looking at each is accounted for."""
        if trials == 0:
            return Interval(0.0, 1.0)
        shape = _get_width(trials, self.max_trials)
        low, _ = _get_wilson(passed, trials, self._factors[0] * shape)
        _, high = _get_wilson(passed, trials, self._factors[1] * shape)
        return Interval(low, high)

    def judge(self, passed: int, trials: int) -> EvalVerdict:
        """Return the verdict after some trials."""
        interval = self.get_interval(passed, trials)
        if interval.low > self.required:
            return EvalVerdict.PASSES
        return EvalVerdict.FAILS if interval.high < self.required else EvalVerdict.CANNOT_TELL

    def count_until_verdict(self, passed: int, trials: int) -> int:
        """Return after how many more trials there can be a verdict, at the earliest.

        As many can be run side by side, and all of them are needed. If no verdict can be reached,
        it is the number of the trials that are left.
        """
        left = self.max_trials - trials
        for more in range(1, left + 1):
            best, worst = passed + more, passed
            verdicts = {self.judge(best, trials + more), self.judge(worst, trials + more)}
            if verdicts != {EvalVerdict.CANNOT_TELL}:
                return more
        return left

    @property
    def can_pass(self) -> bool:
        """True if there are enough trials for an agent that always passes."""
        return self.judge(self.max_trials, self.max_trials) is EvalVerdict.PASSES

    @cached_property
    def _factors(self) -> tuple[float, float]:
        error = (1 - self.confidence) / 2
        return (
            _find_factor(self.required, self.max_trials, error),
            _find_factor(1 - self.required, self.max_trials, error),
        )


def _get_width(trials: int, max_trials: int) -> float:
    width: float = (trials / max_trials) ** _SHAPE
    return width


def _get_wilson(passed: int, trials: int, z: float) -> tuple[float, float]:
    """Return the Wilson interval of a rate: z standard deviations to either side."""
    rate, square = passed / trials, z * z / trials
    centre = rate + square / 2
    half = z * math.sqrt((rate * (1 - rate) + square / 4) / trials)
    return max(0.0, (centre - half) / (1 + square)), min(1.0, (centre + half) / (1 + square))


@lru_cache(maxsize=256)
def _find_factor(rate: float, max_trials: int, error: float) -> float:
    """Return the least factor with which the upper bound is crossed by chance rarely enough."""
    low, high = NormalDist().inv_cdf(1 - error), 20.0
    if _get_crossing(rate, max_trials, low) <= error:
        return low
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if _get_crossing(rate, max_trials, middle) > error:
            low = middle
        else:
            high = middle
    return high


def _get_crossing(rate: float, max_trials: int, factor: float) -> float:
    """Return the probability that the interval of an agent at a rate ever lies above the rate.

    A Wilson interval lies above it if the passes are more than z standard deviations, at that rate,
    above their mean.
    """
    begin, weights, crossed = 0, [1.0], 0.0
    for trials in range(1, max_trials + 1):
        mean, deviation = trials * rate, math.sqrt(trials * rate * (1 - rate))
        bound = mean + factor * _get_width(trials, max_trials) * deviation
        failing = [weight * (1 - rate) for weight in weights]
        passing = [weight * rate for weight in weights]
        weights = [one + other for one, other in zip([*failing, 0.0], [0.0, *passing], strict=True)]
        while weights and begin + len(weights) - 1 > bound:
            crossed += weights.pop()
        while weights and begin < mean - _TAIL * deviation - 1:
            del weights[0]
            begin += 1
    return crossed
