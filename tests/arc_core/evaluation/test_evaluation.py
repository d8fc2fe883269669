"""Evaluations: trials go on until the verdict is clear, within a budget."""

import asyncio
from decimal import Decimal
from typing import Any

import pytest

from arc_core import (
    AgentResult,
    AssistantMessage,
    Case,
    CaseDeps,
    ConfigurationError,
    Expected,
    ExpectedScore,
    Inject,
    Score,
    Scorer,
    ToolCall,
    tool,
)
from arc_core.evaluation.case_files import CaseSet
from arc_core.evaluation.sequential import EvalVerdict
from arc_core.testing import evaluate
from tests.arc_core.evaluation.agents import CyclingModel, application

TEA = Case(name="tea", prompt="Do we have tea?", expect=Expected(contains=("Yes",)))


async def test_a_good_agent_passes_before_the_last_trial() -> None:
    """About half of the trials show that nine in ten are right."""
    model = CyclingModel("Yes, 3 packets.")
    async with application(model) as app:
        report = await evaluate(app, [TEA], trials=100)

    [case] = report.cases
    assert report.passes, report
    assert (case.passed, case.trials) == (48, 48)
    assert model.calls == 48
    assert case.low > 0.9


async def test_a_bad_agent_fails_after_a_few_trials() -> None:
    """And the report says what was wrong."""
    async with application(CyclingModel("No.")) as app:
        report = await evaluate(app, [TEA], trials=100)

    [case] = report.cases
    assert case.verdict is EvalVerdict.FAILS
    assert case.trials == 3
    assert "the answer does not contain 'Yes': 'No.'" in str(report)


async def test_too_few_trials_cannot_tell() -> None:
    """Which is not a failure, and the report says what to do."""
    async with application(CyclingModel("Yes.")) as app:
        report = await evaluate(app, [TEA], trials=10)

    assert report.verdict is EvalVerdict.CANNOT_TELL
    assert "allow more trials, or require less" in str(report)


async def test_trials_run_side_by_side_within_the_limit() -> None:
    """Of several cases, too; never more than `concurrency.max_concurrent_requests`."""

    async def wait(_: object) -> str:
        await asyncio.sleep(0)
        return "Yes."

    model = CyclingModel(wait)
    cases = [TEA.model_copy(update={"name": f"tea {number}"}) for number in range(4)]
    async with application(model, concurrency={"max_concurrent_requests": 3}) as app:
        report = await evaluate(app, cases, trials=50)

    assert report.passes, report
    assert model.together == 3


async def test_a_set_is_judged_together() -> None:
    """Each of its cases has as many trials as every other."""
    asked: list[str] = []

    async def answer(request: Any) -> str:
        asked.append(request.messages[-1].content)
        return "Yes."

    cases = tuple(Case(name=each, prompt=each, expect=TEA.expect) for each in ("a", "b", "c"))
    async with application(CyclingModel(answer)) as app:
        report = await evaluate(app, [CaseSet(name="shop", judge="together", cases=cases)])

    assert report.passes, report
    assert [each.name for each in report.cases] == ["shop"]
    assert asked.count("a") == asked.count("b") == asked.count("c")


async def test_a_budget_ends_the_trials() -> None:
    """No more than the budget is spent, and the report says why there is no verdict."""
    model = CyclingModel("Yes.")
    async with application(model, price="0.01") as app:
        report = await evaluate(app, [TEA], budget=Decimal("0.2"))

    assert report.verdict is EvalVerdict.CANNOT_TELL
    assert 10 <= model.calls <= 20
    assert report.cost == model.calls * Decimal("0.01") <= Decimal("0.2")
    assert "budget" in report.cases[0].why


async def test_a_budget_that_is_too_small_for_one_trial_is_refused() -> None:
    """Since it can tell nothing."""
    async with application(CyclingModel("Yes."), price="0.01") as app:
        with pytest.raises(ConfigurationError, match=r"0\.001 is too small for one trial"):
            await evaluate(app, [TEA], budget=Decimal("0.001"))


async def test_a_budget_needs_prices() -> None:
    """Else it could not be kept."""
    async with application(CyclingModel("Yes.")) as app:
        with pytest.raises(ConfigurationError, match="cost of a run is not known"):
            await evaluate(app, [TEA], budget=Decimal(1))


async def test_answers_of_the_cache_are_refused() -> None:
    """None of them would be a trial of its own."""
    async with application(CyclingModel("Yes."), cache={"enabled": True}, temperature=0) as app:
        with pytest.raises(ConfigurationError, match=r"cache\.enabled = false"):
            await evaluate(app, [TEA])


class LengthScorer(Scorer):
    """Likes short answers."""

    name = "short"

    async def score(self, case: Case, result: AgentResult[Any]) -> Score:
        length = len(result.content or "")
        return Score(1 / max(length, 1), f"it has {length} characters")


async def test_a_scorer_decides() -> None:
    """A score below the least one is a failure, with the reason that the scorer gives."""
    expect = Expected(scorers=(ExpectedScore(name="short", at_least=0.25),))
    short = Case(name="short", prompt="Hi", expect=expect)

    async with application(CyclingModel("Yes."), LengthScorer()) as app:
        good = await evaluate(app, [short])
    async with application(CyclingModel("Certainly."), LengthScorer()) as app:
        bad = await evaluate(app, [short])

    assert good.passes, good
    assert bad.verdict is EvalVerdict.FAILS
    assert "gave 0.1, and 0.25 is required: it has 10 characters" in str(bad)


class Shelf:
    """What tools of a run get."""

    def __init__(self) -> None:
        self.packets = 1


class ShelfDeps(CaseDeps):
    """A shelf of its own for each trial."""

    name = "one packet"

    async def make_case_deps(self, case: Case) -> Shelf:
        return Shelf()


@tool
async def take(shelf: Inject[Shelf]) -> str:
    """Take a packet."""
    shelf.packets -= 1
    return f"{shelf.packets} left"


async def test_each_trial_has_deps_of_its_own() -> None:
    """What one has done, no other sees."""

    async def answer(request: Any) -> Any:
        last = request.messages[-1]
        if hasattr(last, "results"):
            return str(last.results[0].content)
        return AssistantMessage("", (ToolCall("1", "take", "{}"),))

    case = Case(name="take", prompt="Take one", deps="one packet", expect=Expected(equals="0 left"))
    async with application(CyclingModel(answer), take, ShelfDeps(), deps=Shelf) as app:
        report = await evaluate(app, [case])

    assert report.passes, report


async def test_two_cases_of_one_name_are_refused() -> None:
    """A report names each case once."""
    async with application(CyclingModel("Yes.")) as app:
        with pytest.raises(ConfigurationError, match="two cases are called 'tea'"):
            await evaluate(app, [TEA, TEA])


@pytest.mark.parametrize("trials", [0, -1, 1_001])
async def test_there_are_1_to_1000_trials(trials: int) -> None:
    """Before any model is asked."""
    model = CyclingModel("Yes.")
    async with application(model) as app:
        with pytest.raises(ValueError, match="give it 1 to"):
            await evaluate(app, [TEA], trials=trials)

    assert model.calls == 0
