"""Runs the trials of cases, side by side, until the verdict about each is clear."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from arc_core.agents.agent import Agent
from arc_core.cases import Case
from arc_core.command import AgentCommand
from arc_core.errors import ConfigurationError
from arc_core.evaluation.case_files import CaseSet, read_case_sets
from arc_core.evaluation.preparation import CannotJudgeError, EvaluationParts, find_parts
from arc_core.evaluation.report import CaseReport, EvalReport, Trial
from arc_core.evaluation.sequential import EvalVerdict, SequentialTest
from arc_core.evaluation.trials import OverBudgetError, TrialRunner
from arc_core.result import AgentResult

DEFAULT_TRIALS = 100
"""Of each case, at most; a case that always passes is done after about half of them."""

_KEPT_FAILURES = 5
_SPARE = 4
"""The share of the budget that each of several trials gets, in costs of the dearest one so far."""


class EvaluatedApplication(Protocol):
    """The part of an application that an evaluation needs; an `Application` is one."""

    settings: Any

    async def execute(self, command: AgentCommand, *, deps: object = ...) -> AgentResult[Any]:
        """Run to the end."""
        ...

    async def components(self, kind: Callable[..., Any]) -> Sequence[Any]:
        """Return all components of a contribution."""
        ...

    def agents(self) -> Sequence[Agent[Any]]:
        """Return the agents."""
        ...


@dataclass(slots=True)
class EvalQuestion:
    """Cases with one verdict, and their trials so far.

    Attributes:
        name: Of the case or the set.
        cases: The cases; each is tried as often as the others.
        test: Judges the trials; it ends after `test.max_trials` at the latest.
        trials: In the order of their ends.
        cost: Of the trials, as far as it is known.
        why: The reason for which no verdict is possible; empty if one is.
    """

    name: str
    cases: tuple[Case, ...]
    test: SequentialTest
    trials: list[Trial] = field(default_factory=list)
    cost: Decimal = Decimal(0)
    why: str = ""

    @property
    def passed(self) -> int:
        """The number of the trials that passed."""
        return sum(each.passed for each in self.trials)

    @property
    def verdict(self) -> EvalVerdict:
        """The verdict; there is none before each case has had as many trials as every other."""
        if len(self.trials) % len(self.cases):
            return EvalVerdict.CANNOT_TELL
        return self.test.judge(self.passed, len(self.trials))

    @property
    def is_done(self) -> bool:
        """True if no more trials are run."""
        is_over = len(self.trials) >= self.test.max_trials
        return is_over or bool(self.why) or self.verdict is not EvalVerdict.CANNOT_TELL

    def report(self) -> CaseReport:
        """Return what the trials so far have come to."""
        interval = self.test.get_interval(self.passed, len(self.trials))
        verdict = EvalVerdict.CANNOT_TELL if self.why else self.verdict
        return CaseReport(
            name=self.name,
            verdict=verdict,
            why=self._explain() if verdict is EvalVerdict.CANNOT_TELL else "",
            required=self.test.required,
            confidence=self.test.confidence,
            passed=self.passed,
            trials=len(self.trials),
            max_trials=self.test.max_trials,
            low=interval.low,
            high=interval.high,
            cost=self.cost,
            failed=tuple(each for each in self.trials if not each.passed)[:_KEPT_FAILURES],
        )

    def _explain(self) -> str:
        if self.why:
            return self.why
        if self.test.can_pass:
            return f"{len(self.trials)} trials are too few for a pass rate so near the required one"
        return (
            f"even if all of {self.test.max_trials} trials passed, they could not show a pass rate "
            f"above {self.test.required:g}; allow more trials, or require less"
        )


OnTrial = Callable[[EvalQuestion], None]
"""Takes a question after each of its trials."""


async def evaluate(
    app: EvaluatedApplication,
    cases: str | Path | Iterable[Case | CaseSet],
    *,
    trials: int = DEFAULT_TRIALS,
    confidence: float = 0.95,
    budget: Decimal | None = None,
    on_progress: OnTrial = lambda _: None,
) -> EvalReport:
    """Evaluate an agent as `arc eval` does: `assert report.passes, str(report)`.

    Args:
        app: An `Application` that is started.
        cases: A file or a folder of cases, or cases with a verdict each, and sets of them.
        trials: At most so many of each case, 1 to 1 000.
        confidence: Of each verdict.
        budget: At most this is spent, at the prices of the models; None leaves it open.
        on_progress: Called after each trial.

    Raises:
        ConfigurationError: A file is not one of cases, a case names what does not exist, or the
            budget is too small for one trial.
        ValueError: There are no trials, or no confidence can be as said.
    """
    SequentialTest(0.5, trials, confidence)
    if budget is not None and not (budget.is_finite() and budget > 0):
        raise ValueError(f"budget is {budget}: give it more than 0")
    chosen = read_case_sets([cases]) if isinstance(cases, str | Path) else cases
    questions = _make_questions(chosen, trials, confidence)
    parts = await find_parts(app, [case for each in questions for case in each.cases])
    try:
        await _Evaluation(app, parts, budget=budget, on_progress=on_progress).answer_all(questions)
    except ExceptionGroup as group:  # of trials that went on at once: one error tells it
        raise _get_first(group) from None
    return EvalReport(cases=tuple(each.report() for each in questions))


def _get_first(group: ExceptionGroup) -> Exception:
    first = group.exceptions[0]
    return _get_first(first) if isinstance(first, ExceptionGroup) else first


def _make_questions(
    cases: Iterable[Case | CaseSet], trials: int, confidence: float
) -> list[EvalQuestion]:
    questions = [question for each in cases for question in _divide(each, trials, confidence)]
    if not questions:
        raise ConfigurationError("there are no cases to evaluate", remedy="name one or more")
    names = [each.name for each in questions]
    if twins := {name for name in names if names.count(name) > 1}:
        raise ConfigurationError(
            f"two cases are called {min(twins)!r}", remedy="give each case a name of its own"
        )
    return questions


def _divide(given: Case | CaseSet, trials: int, confidence: float) -> Iterable[EvalQuestion]:
    if isinstance(given, CaseSet) and given.judge == "together":
        trials = max(trials // len(given.cases), 1) * len(given.cases)
        test = SequentialTest(given.required, trials, confidence)
        yield EvalQuestion(given.name, given.cases, test)
        return
    for case in given.cases if isinstance(given, CaseSet) else (given,):
        test = SequentialTest(case.required, trials, confidence)
        yield EvalQuestion(case.name, (case,), test)


class _Evaluation:
    """The trials of an evaluation."""

    def __init__(
        self,
        app: EvaluatedApplication,
        parts: EvaluationParts,
        *,
        budget: Decimal | None,
        on_progress: OnTrial,
    ) -> None:
        self._runner = TrialRunner(app.execute, parts, settings=app.settings)
        self._places = asyncio.Semaphore(app.settings.concurrency.max_concurrent_requests)
        self._budget, self._on_progress = budget, on_progress
        self._spent, self._dearest = Decimal(0), Decimal(0)

    async def answer_all(self, questions: Sequence[EvalQuestion]) -> None:
        """Answer questions side by side; under a budget one after another, so that it is kept."""
        if self._budget is not None:
            for each in questions:
                await self._answer(each)
            if not any(each.trials for each in questions) and self._is_used_up(questions):
                raise ConfigurationError(
                    f"the budget of {self._budget} is too small for one trial",
                    evidence=[f"{self._spent} was spent"],
                    remedy="give --budget more",
                )
            return
        async with asyncio.TaskGroup() as group:
            for each in questions:
                group.create_task(self._answer(each))

    @staticmethod
    def _is_used_up(questions: Sequence[EvalQuestion]) -> bool:
        return any("budget" in each.why for each in questions)

    async def _answer(self, question: EvalQuestion) -> None:
        while not question.is_done:
            count = self._count_at_once(question)
            if count == 0:
                question.why = f"the budget of {self._budget} is used up"
                return
            await self._try_together(question, count)

    def _count_at_once(self, question: EvalQuestion) -> int:
        """Return how many trials are run side by side now; 0 if there is no money left.

        No verdict is possible before the last of them, so that none is run in vain.
        """
        done = len(question.trials)
        count = max(question.test.count_until_verdict(question.passed, done), 1)
        if self._budget is None:
            return count
        left = self._budget - self._spent
        if left <= 0:
            return 0
        affordable = int(left / (_SPARE * self._dearest)) if self._dearest else 1
        return max(min(count, affordable), 1)

    async def _try_together(self, question: EvalQuestion, count: int) -> None:
        budget, done = self._budget, len(question.trials)
        share = None if budget is None else (budget - self._spent) / count
        chosen = [question.cases[(done + n) % len(question.cases)] for n in range(count)]
        async with asyncio.TaskGroup() as group:
            for case in chosen:
                group.create_task(self._try(question, case, share))

    async def _try(self, question: EvalQuestion, case: Case, share: Decimal | None) -> None:
        try:
            async with self._places:
                if question.why:
                    return
                trial = await self._runner.run(case, max_cost=share)
        except CannotJudgeError as error:
            question.why = question.why or str(error)
            return
        except OverBudgetError as error:
            self._spend(question, error.cost)
            question.why = question.why or f"a trial reached its share of the budget, {share}"
            return
        self._spend(question, trial.cost or Decimal(0))
        question.trials.append(trial)
        self._on_progress(question)

    def _spend(self, question: EvalQuestion, cost: Decimal) -> None:
        question.cost += cost
        self._spent += cost
        self._dearest = max(self._dearest, cost)
