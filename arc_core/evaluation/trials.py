"""One trial: the run of a case, what scorers give it, and how it differs from what is expected."""

import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from pydantic_core import to_jsonable_python

from arc_core.cases import Case, Expected, ExpectedScore, ExpectedTools
from arc_core.command import AgentCommand
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.errors import AgentErrorCode, ConfigurationError
from arc_core.evaluation.preparation import (
    CannotJudgeError,
    EvaluationParts,
    describe_failure,
    make_deps,
)
from arc_core.evaluation.report import GivenScore, Trial
from arc_core.interfaces.evaluation.scorer import Score
from arc_core.limits import Limits
from arc_core.messages import AssistantMessage, ToolOutcome, ToolResultMessage
from arc_core.result import AgentResult
from arc_core.tools.json_schema_validation.patterns import TooMuchWorkError, bounded_work, is_found

_MAX_SHOWN_CHARS = 160
_MAX_PATTERN_STEPS = 1_000_000
_NOT_CALLED = frozenset(
    {
        ToolOutcome.NOT_FOUND,
        ToolOutcome.BLOCKED,
        ToolOutcome.DENIED,
        ToolOutcome.LIMIT_REACHED,
        ToolOutcome.INVALID_ARGUMENTS,
    }
)


def find_problems(expected: Expected, result: AgentResult) -> tuple[str, ...]:
    """Return how a run differs from what is expected; empty if it does not."""
    return (
        *_check_end(expected, result),
        *_check_answer(expected, result),
        *_check_output(expected, result),
        *_check_tools(expected.tools, result),
        *_check_bounds(expected, result),
    )


def count_turns(result: AgentResult) -> int:
    """Return how often the model has answered in a run."""
    return sum(isinstance(each, AssistantMessage) for each in result.messages)


def _check_end(expected: Expected, result: AgentResult) -> Iterator[str]:
    end = "success" if result.success else "waiting" if result.waiting else result.error_code
    if end != expected.result:
        why = f": {_show(result.error_message)}" if result.error_message else ""
        yield f"the run ended with {end} instead of {expected.result}{why}"


def _check_answer(expected: Expected, result: AgentResult) -> Iterator[str]:
    answer = result.content or ""
    for text in expected.contains:
        if text not in answer:
            yield f"the answer does not contain {text!r}: {_show(answer)}"
    if expected.equals is not None and answer.strip() != expected.equals.strip():
        yield f"the answer is not {_show(expected.equals)}: {_show(answer)}"
    for pattern in expected.matches:
        try:
            with bounded_work(_MAX_PATTERN_STEPS):
                matches = is_found(pattern, answer)
        except TooMuchWorkError:
            yield f"the answer is too long to be matched with {pattern!r}"
        else:
            if not matches:
                yield f"the answer does not match {pattern!r}: {_show(answer)}"


def _check_output(expected: Expected, result: AgentResult) -> Iterator[str]:
    if expected.output is None:
        return
    if not result.has_output:
        yield "the answer is not structured, and so has no output"
        return
    yield from _compare(expected.output, to_jsonable_python(result.output), "output")


def _compare(expected: object, found: object, place: str) -> Iterator[str]:
    """Compare fields that are named; of lists and scalars all of it."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key, value in expected.items():
            if key in found:
                yield from _compare(value, found[key], f"{place}.{key}")
            else:
                yield f"{place} has no field {key!r}"
    elif expected != found or isinstance(expected, bool) != isinstance(found, bool):
        yield f"{place} is {_show(repr(found), quoted=False)} instead of {expected!r}"


def _check_tools(expected: ExpectedTools, result: AgentResult) -> Iterator[str]:
    asked = [
        call.name
        for message in result.messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    ]
    called = [
        each.name
        for message in result.messages
        if isinstance(message, ToolResultMessage)
        for each in message.results
        if each.outcome not in _NOT_CALLED
    ]
    names = ", ".join(called) or "none"
    for name in expected.called:
        if name not in called:
            yield f"the tool {name!r} was not called; called: {names}"
    if not _is_in_order(expected.in_order, called):
        yield f"tools were not called in the order {', '.join(expected.in_order)}; called: {names}"
    for name in expected.never:
        if name in asked:
            yield f"the model asked for the tool {name!r}"


def _is_in_order(wanted: Sequence[str], called: Sequence[str]) -> bool:
    rest = iter(called)
    return all(name in rest for name in wanted)


def _check_bounds(expected: Expected, result: AgentResult) -> Iterator[str]:
    turns = count_turns(result)
    if expected.max_turns is not None and turns > expected.max_turns:
        yield f"the model answered {turns} times, and {expected.max_turns} are allowed"
    if expected.max_cost is None:
        return
    cost = Decimal(0) if result.model is None else result.cost
    if cost is None:
        yield "the cost is not known: give the model a price"
    elif cost > expected.max_cost:
        yield f"the run cost {cost}, and {expected.max_cost} is allowed"


def _show(text: str | None, *, quoted: bool = True) -> str:
    """Return the beginning of a text."""
    whole = text or ""
    short = whole if len(whole) <= _MAX_SHOWN_CHARS else f"{whole[:_MAX_SHOWN_CHARS]}…"
    return repr(short) if quoted else short


class OverBudgetError(Exception):
    """A run was ended by its share of the budget."""

    def __init__(self, cost: Decimal) -> None:
        super().__init__(cost)
        self.cost = cost


class TrialRunner:
    """Runs trials."""

    def __init__(
        self,
        execute: Callable[..., Awaitable[AgentResult[Any]]],
        parts: EvaluationParts,
        *,
        settings: Any,
    ) -> None:
        self._execute, self._parts = execute, parts
        self._boundary = Boundary(settings=settings)

    async def run(self, case: Case, *, max_cost: Decimal | None = None) -> Trial:
        """Run a case once.

        Raises:
            CannotJudgeError: Its deps or a scorer failed.
            OverBudgetError: It would have cost more than `max_cost`.
            ConfigurationError: Trials cannot be independent, or their costs cannot be bounded.
        """
        command = _with_limit(case.command, max_cost)
        maker = None if case.deps is None else self._parts.deps[case.deps]
        deps = None if maker is None else await make_deps(maker, case, self._boundary)
        result = await self._execute(command, deps=deps)
        _check_independent(result)
        if max_cost is not None:
            _check_spending(result, max_cost)
        scores = {each.name: await self._score(case, result, each) for each in case.expect.scorers}
        return Trial(
            case=case.name,
            problems=(*find_problems(case.expect, result), *_find_low_scores(case, scores)),
            scores=scores,
            run_id=result.run_id,
            turns=count_turns(result),
            cost=_get_cost(result),
            duration_ms=result.duration_ms,
        )

    async def _score(self, case: Case, result: AgentResult, wanted: ExpectedScore) -> GivenScore:
        scorer = self._parts.scorers[wanted.name]
        score = await self._boundary.call(
            policies.SCORER, scorer, lambda: scorer.score(case, result)
        )
        if isinstance(score, Failed):
            raise CannotJudgeError(describe_failure(f"the scorer {wanted.name}", scorer, score))
        if not _is_score(score):
            raise CannotJudgeError(
                f"the scorer {wanted.name} ({type(scorer).__qualname__}) gave {score.value!r}, "
                "which is not a number from 0 to 1"
            )
        return GivenScore(value=score.value, why=str(score.why))


def _is_score(score: Score) -> bool:
    value: object = score.value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(score.value) and 0 <= score.value <= 1


def _with_limit(command: AgentCommand, max_cost: Decimal | None) -> AgentCommand:
    if max_cost is None:
        return command
    return command.model_copy(update={"limits": Limits(max_cost=max_cost)})


def _check_independent(result: AgentResult) -> None:
    if result.cache_hit:
        raise ConfigurationError(
            "an answer came from the response cache, so that trials would not be independent",
            remedy="set cache.enabled = false for evaluations",
        )


def _check_spending(result: AgentResult, max_cost: Decimal) -> None:
    cost = _get_cost(result)
    is_over = cost is not None and cost > max_cost
    if is_over or result.error_code is AgentErrorCode.LIMIT_REACHED:
        raise OverBudgetError(max_cost if cost is None else cost)
    if cost is None or result.error_code is AgentErrorCode.INVALID_INPUT:
        raise ConfigurationError(
            "a budget cannot be kept, since the cost of a run is not known",
            evidence=[result.error_message] if result.error_message else [],
            remedy="give the model a price, as docs/chat-models.md says, or leave out --budget",
        )


def _get_cost(result: AgentResult) -> Decimal | None:
    """Return the cost of a run, which is 0 if no model was asked; None if it is not known."""
    return Decimal(0) if result.model is None and result.cost is None else result.cost


def _find_low_scores(case: Case, scores: dict[str, GivenScore]) -> list[str]:
    return [
        f"the scorer {each.name} gave {scores[each.name].value:g}, and {each.at_least:g} is "
        f"required: {scores[each.name].why or 'it says no reason'}"
        for each in case.expect.scorers
        if scores[each.name].value < each.at_least
    ]
