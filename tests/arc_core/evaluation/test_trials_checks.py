"""What a case expects of a run, and how runs differ from it."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest

from arc_core import (
    AgentErrorCode,
    AgentResult,
    AssistantMessage,
    Expected,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.evaluation.trials import find_problems


def calls(*names: str, outcome: ToolOutcome = ToolOutcome.SUCCESS) -> tuple[Any, ...]:
    """The messages of a turn that calls tools."""
    asked = tuple(ToolCall(name, name, "{}") for name in names)
    results = tuple(ToolResult(name, name, "done", outcome) for name in names)
    return AssistantMessage("", asked), ToolResultMessage(results)


@dataclass
class Refund:
    """A structured answer."""

    status: str
    amount: int
    lines: list[str]


RESULT: AgentResult[Any] = AgentResult(
    success=True,
    content="Your order is on its way.\n",
    messages=(
        UserMessage("Where?"),
        *calls("find_order", "track"),
        *calls("refund", outcome=ToolOutcome.DENIED),
        AssistantMessage("Your order is on its way."),
    ),
    output=Refund("paid", 3, ["tea"]),
    has_output=True,
    model="large",
    cost=Decimal("0.02"),
)
FAILED: AgentResult[Any] = AgentResult(
    success=False, error_code=AgentErrorCode.GUARD_REJECTED, error_message="It was rejected."
)

GOOD: list[dict[str, Any]] = [
    {},
    {"contains": "on its way"},
    {"contains": ["order", "way"]},
    {"equals": "Your order is on its way."},
    {"matches": "order .* way"},
    {"output": {"status": "paid"}},
    {"output": {"amount": 3, "lines": ["tea"]}},
    {"tools": {"called": "track"}},
    {"tools": {"in_order": ["find_order", "track"]}},
    {"tools": {"never": "delete"}},
    {"max_cost": "0.02", "max_turns": 3},
]
BAD: list[tuple[dict[str, Any], str]] = [
    ({"contains": "Order"}, "does not contain 'Order'"),
    ({"equals": "Your order"}, "is not 'Your order'"),
    ({"matches": "^way"}, "does not match '^way'"),
    ({"output": {"status": "open"}}, "output.status is 'paid' instead of 'open'"),
    ({"output": {"lines": []}}, "output.lines is ['tea'] instead of []"),
    ({"output": {"when": 1}}, "output has no field 'when'"),
    ({"tools": {"called": "refund"}}, "the tool 'refund' was not called"),
    ({"tools": {"in_order": ["track", "find_order"]}}, "order track, find_order"),
    ({"tools": {"never": "refund"}}, "the model asked for the tool 'refund'"),
    ({"max_cost": 0.01}, "cost 0.02, and 0.01 is allowed"),
    ({"max_turns": 2}, "answered 3 times, and 2 are allowed"),
    ({"result": "GUARD_REJECTED"}, "ended with success instead of GUARD_REJECTED"),
]


@pytest.mark.parametrize("expected", GOOD, ids=str)
def test_what_is_as_expected_passes(expected: dict[str, Any]) -> None:
    """What is left out is not checked."""
    assert find_problems(Expected.model_validate(expected), RESULT) == ()


@pytest.mark.parametrize(("expected", "problem"), BAD, ids=str)
def test_a_difference_is_told(expected: dict[str, Any], problem: str) -> None:
    """With what was found in its place."""
    [found] = find_problems(Expected.model_validate(expected), RESULT)

    assert problem in found


def test_a_failure_may_be_what_is_expected() -> None:
    """A guard that rejects is tested so."""
    rejected = Expected(result=AgentErrorCode.GUARD_REJECTED, max_cost=Decimal(1))

    assert find_problems(rejected, FAILED) == ()
    assert find_problems(Expected(), FAILED) == (
        "the run ended with GUARD_REJECTED instead of success: 'It was rejected.'",
    )


def test_what_cannot_be_checked_is_a_difference() -> None:
    """A text has no fields, and a model without a price has no cost."""
    text: AgentResult[Any] = AgentResult(success=True, content="Hi", model="large")
    expected = Expected(output={"status": "paid"}, max_cost=Decimal(1))

    assert find_problems(expected, text) == (
        "the answer is not structured, and so has no output",
        "the cost is not known: give the model a price",
    )


def test_a_pattern_takes_linear_time() -> None:
    """One that would take others ages ends at once, or is given up."""
    result: AgentResult[Any] = AgentResult(success=True, content="a" * 100_000)

    assert len(find_problems(Expected(matches=("(a+)+b",)), result)) == 1
