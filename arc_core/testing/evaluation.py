"""Evaluation of an agent in a test: each case is tried until its verdict is clear."""

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from arc_core.cases import Case
from arc_core.evaluation.case_files import CaseSet, read_case_sets
from arc_core.evaluation.evaluation import DEFAULT_TRIALS, EvalOptions, EvaluatedApplication
from arc_core.evaluation.evaluation import evaluate as _evaluate
from arc_core.evaluation.report import EvalReport


async def evaluate(
    app: EvaluatedApplication,
    cases: str | Path | Iterable[Case | CaseSet],
    *,
    trials: int = DEFAULT_TRIALS,
    confidence: float = 0.95,
    budget: Decimal | None = None,
) -> EvalReport:
    """Evaluate an agent as `arc eval` does: `assert report.passes, str(report)`.

    Args:
        app: An `Application` that is started.
        cases: A file or a folder of cases, or cases.
        trials: At most so many of each case, 1 to 1 000.
        confidence: Of each verdict.
        budget: At most this is spent, at the prices of the models; None leaves it open.

    Raises:
        ConfigurationError: A file is not one of cases, a case names what does not exist, or the
            budget is too small for one trial.
        ValueError: There are no trials, or no confidence can be as said.
    """
    options = EvalOptions(trials=trials, confidence=confidence, budget=budget)
    chosen = read_case_sets([cases]) if isinstance(cases, str | Path) else cases
    return await _evaluate(app, chosen, options=options)
