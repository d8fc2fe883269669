"""Rules of every `Scorer` that evaluations rely on."""

from abc import abstractmethod
from collections.abc import Sequence
from math import isfinite
from typing import Any

import pytest

from arc_core.cases import Case
from arc_core.error_base import AgentErrorCode
from arc_core.interfaces.evaluation.scorer import Score, Scorer
from arc_core.result import AgentResult
from arc_core.testing.conformance.components import (
    AsyncSuite,
    call_together,
    check_cancellation_leaves,
    check_interface,
    running,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_CASE = Case(name="order", prompt="Where is my order 7?")
_AT_ONCE = 20


def _answer(content: str) -> AgentResult[Any]:
    return AgentResult(success=True, content=content)


_FAILURE: AgentResult[Any] = AgentResult(success=False, error_code=AgentErrorCode.UNAVAILABLE)


class ScorerConformance(AsyncSuite):
    """Inherit from it and say how your scorer is made.

    Attributes:
        answers: Texts that get different scores, beside those of the suite.
    """

    answers: Sequence[str] = ()

    @abstractmethod
    def make_scorer(self) -> Scorer:
        """A new scorer, not started."""

    async def test_it_is_a_scorer(self) -> None:
        """It has a name by which cases ask for it, and can be asked."""
        scorer = self.make_scorer()

        check_interface(scorer, Scorer)
        assert isinstance(scorer.name, str), f"name is a text, not {scorer.name!r}"
        assert scorer.name.strip(), "name is empty, and no case can ask for it"

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_any_answer_gets_a_score(self, text: str) -> None:
        """From 0 to 1."""
        async with running(self.make_scorer()) as scorer:
            _check_score(await scorer.score(_CASE, _answer(text)))

    async def test_own_answers_get_scores(self) -> None:
        """Those on which it decides differently."""
        async with running(self.make_scorer()) as scorer:
            for text in ("It is on its way.", *self.answers):
                _check_score(await scorer.score(_CASE, _answer(text)))

    async def test_a_failed_run_gets_a_score(self) -> None:
        """It has no answer."""
        async with running(self.make_scorer()) as scorer:
            _check_score(await scorer.score(_CASE, _FAILURE))

    async def test_trials_are_scored_side_by_side(self) -> None:
        """None gets the score of another one."""
        texts = ["It is on its way.", *self.answers]
        async with running(self.make_scorer()) as scorer:
            alone = [await scorer.score(_CASE, _answer(text)) for text in texts]
            calls = (scorer.score(_CASE, _answer(text)) for text in texts * _AT_ONCE)
            together = [score.value for score in await call_together(calls)]

        assert together == [score.value for score in alone] * _AT_ONCE, "a score is another one's"

    async def test_a_cancellation_leaves_the_scorer(self) -> None:
        """An evaluation that is ended does not wait for it."""
        async with running(self.make_scorer()) as scorer:
            await check_cancellation_leaves(scorer.score(_CASE, _answer("Yes.")))


def _check_score(score: object) -> None:
    assert isinstance(score, Score), f"score returns a Score, not {score!r}"
    is_share = isfinite(score.value) and 0 <= score.value <= 1
    assert is_share, f"the value of a score is from 0 to 1, not {score.value!r}"
    assert isinstance(score.why, str), f"why is a text, not {score.why!r}"
