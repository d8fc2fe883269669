"""The suite for scorers passes for good ones, and finds those that break the contract."""

import asyncio
from typing import Any

from arc_core import AgentResult, Case, RunFailedError, Score, Scorer
from arc_core.testing.conformance.scorer import ScorerConformance
from tests.arc_core.testing.conformance.suites import Fault, FindsFaults, make_good_suite


class ShortIsBetter(Scorer):
    """A good scorer."""

    name = "short"

    async def score(self, case: Case, result: AgentResult[Any]) -> Score:
        return Score(1 / (1 + len(result.content or "")), "by its length")


TestShortIsBetter = make_good_suite(ScorerConformance, ShortIsBetter)


class Nameless(ShortIsBetter):
    """No case can ask for it."""

    name = " "


class TooMuch(ShortIsBetter):
    """Counts in another way."""

    async def score(self, case: Case, result: AgentResult[Any]) -> Score:
        return Score(len(result.content or ""))


class OnlyAnswers(ShortIsBetter):
    """Knows no runs that have failed."""

    async def score(self, case: Case, result: AgentResult[Any]) -> Score:
        return Score(1 / (1 + len(result.unwrap())))


class Last(ShortIsBetter):
    """Gives the score of whichever trial was asked about last."""

    def __init__(self) -> None:
        self._length = 0

    async def score(self, case: Case, result: AgentResult[Any]) -> Score:
        self._length = len(result.content or "")
        await asyncio.sleep(0)
        return Score(1 / (1 + self._length))


class OfTwo(ScorerConformance):
    """The suite with two answers of their own."""

    answers = ("Yes.", "No, it is not.")


class TestFaults(FindsFaults):
    """Each of them is found."""

    suite = OfTwo
    faults = (
        Fault(Nameless, "it_is_a_scorer", match="no case can ask for it"),
        Fault(TooMuch, "own_answers_get_scores", match="from 0 to 1"),
        Fault(OnlyAnswers, "a_failed_run_gets_a_score", error=RunFailedError),
        Fault(Last, "trials_are_scored_side_by_side", match="another one's"),
    )
