"""Backoff: the pauses before something that has failed is tried again."""

import random
from collections.abc import Callable
from dataclasses import dataclass

_JITTER = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Delays that grow with every attempt, each up to a quarter shorter or longer at random.

    Clients that have failed together would come back together otherwise.
    """

    first_delay_s: float
    max_delay_s: float
    multiplier: float = 2.0
    jitter: Callable[[float, float], float] = random.uniform  # noqa: S311 -- hides nothing

    def delay_s(self, attempt: int) -> float:
        """Seconds to wait after an attempt, counted from 1."""
        delay = self.first_delay_s
        for _ in range(attempt - 1):
            if delay >= self.max_delay_s:
                break
            delay *= self.multiplier
        delay = min(delay, self.max_delay_s)
        return min(delay * (1 + self.jitter(-_JITTER, _JITTER)), self.max_delay_s)
