"""Components that fail in an evaluation: it cannot tell, and says which one it was."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from arc_core import (
    AgentResult,
    Case,
    CaseDeps,
    ConfigurationError,
    Expected,
    ExpectedScore,
    Score,
    Scorer,
)
from arc_core.evaluation.sequential import EvalVerdict
from arc_core.testing import evaluate
from tests.arc_core.engine.boundary.misbehaving import Panic
from tests.arc_core.evaluation.agents import CyclingModel, application

JUDGED = Case(
    name="tea",
    prompt="Tea?",
    expect=Expected(scorers=(ExpectedScore(name="polite", at_least=0.5),)),
)


async def _fail() -> Any:
    raise ValueError("password=hunter2")


async def _panic() -> Any:
    raise Panic("password=hunter2")


async def _exit() -> Any:
    raise SystemExit(3)


async def _hang() -> Any:
    await asyncio.Event().wait()


async def _give_nan() -> Any:
    return Score(float("nan"))


async def _give_two() -> Any:
    return Score(2)


async def _give_text() -> Any:
    return "good"


async def _cancel() -> Any:
    raise asyncio.CancelledError


class BrokenScorer(Scorer):
    """Fails in some way."""

    name = "polite"

    def __init__(self, fail: Callable[[], Awaitable[Any]]) -> None:
        self._fail = fail

    async def score(self, case: Case, result: AgentResult[Any]) -> Score:
        score: Score = await self._fail()
        return score


class BrokenDeps(CaseDeps):
    """Fails in some way."""

    name = "shop"

    def __init__(self, fail: Callable[[], Awaitable[Any]]) -> None:
        self._fail = fail

    async def make_case_deps(self, case: Case) -> object:
        return await self._fail()


FAST = {"request_timeout_s": 0.05, "component_timeout_s": 0.05}
RAISING = [(_fail, "raised ValueError"), (_panic, "raised Panic"), (_exit, "raised SystemExit")]
HANGING = (_hang, "did not end in time")


@pytest.mark.parametrize(
    ("fail", "problem"),
    [
        *RAISING,
        HANGING,
        (_give_nan, "gave nan, which is not a number from 0 to 1"),
        (_give_two, "gave 2, which is not a number from 0 to 1"),
        (_give_text, "raised TypeError"),
    ],
)
async def test_a_scorer_that_fails_leaves_no_verdict(
    fail: Callable[[], Awaitable[Any]], problem: str
) -> None:
    """However it fails; what its exception says stays out of the report."""
    app = application(CyclingModel("Yes."), BrokenScorer(fail), concurrency=FAST)
    async with app:
        report = await evaluate(app, [JUDGED])

    [case] = report.cases
    assert case.verdict is EvalVerdict.CANNOT_TELL
    assert case.why == f"the scorer polite (BrokenScorer) {problem}"
    assert "hunter2" not in report.to_json()


@pytest.mark.parametrize(("fail", "problem"), [*RAISING, HANGING])
async def test_deps_that_fail_leave_no_verdict(
    fail: Callable[[], Awaitable[Any]], problem: str
) -> None:
    """The agent is not asked then."""
    model = CyclingModel("Yes.")
    case = Case(name="tea", prompt="Tea?", deps="shop")
    async with application(model, BrokenDeps(fail), concurrency=FAST) as app:
        report = await evaluate(app, [case])

    assert report.cases[0].why == f"the deps shop (BrokenDeps) {problem}"
    assert model.calls == 0


async def test_an_evaluation_can_be_cancelled() -> None:
    """While a scorer is asked."""
    scoring = asyncio.Event()

    async def hang() -> Any:
        scoring.set()
        await asyncio.Event().wait()

    async with application(CyclingModel("Yes."), BrokenScorer(hang)) as app:
        task = asyncio.create_task(evaluate(app, [JUDGED]))
        await scoring.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"agent": "defualt"}, "the agent 'defualt', which does not exist"),
        ({"deps": "shpo"}, "the deps 'shpo', which does not exist"),
        ({"expect": {"scorers": [{"name": "polit", "at_least": 1}]}}, "write 'polite'"),
        ({"expect": {"matches": "(?=x)"}}, "cannot match"),
    ],
)
async def test_names_are_checked_before_the_first_trial(
    changes: dict[str, Any], problem: str
) -> None:
    """With the nearest name that there is."""
    model = CyclingModel("Yes.")
    case = Case.model_validate({"name": "tea", "prompt": "Tea?", **changes})
    app = application(model, BrokenScorer(_fail), BrokenDeps(_fail))
    async with app:
        with pytest.raises(ConfigurationError) as caught:
            await evaluate(app, [case])

    assert problem in str(caught.value)
    assert model.calls == 0


async def test_two_scorers_of_one_name_are_refused() -> None:
    """It would not be clear which one has judged."""
    app = application(CyclingModel("Yes."), BrokenScorer(_fail), BrokenScorer(_hang))
    async with app:
        with pytest.raises(ConfigurationError, match="two components are the scorer 'polite'"):
            await evaluate(app, [JUDGED])
