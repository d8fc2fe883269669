"""The suite for approval policies passes for good ones, and finds those that break the contract."""

from typing import Any

import pytest

from arc_core import ApprovalPolicy, Ask, Deny, PolicyResult, Run, ToolCallContext
from arc_core.testing.conformance.tools.approval_policy import ApprovalPolicyConformance
from arc_core.testing.fakes import EveryCallPolicy


class ByAmount(ApprovalPolicy):
    """A good policy: large sums wait, and what is not a sum is denied."""

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        amount = call.arguments.get("amount", 0)
        if not isinstance(amount, int):
            return Deny("The amount is not a number.")
        return Ask(f"pays {amount}") if amount > 100 else Run()


class Down(ByAmount):
    """Cannot do its work."""

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        raise ConnectionError


class TestByAmount(ApprovalPolicyConformance):
    """A good policy passes."""

    def make_policy(self) -> ApprovalPolicy:
        return ByAmount()

    def make_failing_policy(self) -> ApprovalPolicy:
        return Down()


class TestEveryCall(ApprovalPolicyConformance):
    """One that never asks passes, too."""

    def make_policy(self) -> ApprovalPolicy:
        return EveryCallPolicy()


class SuiteFor(ApprovalPolicyConformance):
    """The suite for any policy."""

    __test__ = False

    def __init__(self, policy: type[ApprovalPolicy]) -> None:
        self._policy = policy

    def make_policy(self) -> ApprovalPolicy:
        return self._policy()

    def make_failing_policy(self) -> ApprovalPolicy:
        return self._policy()


class Inheriting(EveryCallPolicy):
    """Inherits what was said of another decide."""

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        return Deny("no")


class Worded(ByAmount):
    """Means no, and says it in a word."""

    never_asks: Any = "no"


class Promising(ByAmount):
    """Asks, though it says that it does not."""

    never_asks = True

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        return await super().decide(call)


class Sloppy(ByAmount):
    """Relies on what a model writes."""

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        return Ask() if call.arguments["amount"] > 100 else Run()


class Boolean(ByAmount):
    """Answers with a boolean."""

    async def decide(self, call: ToolCallContext) -> Any:
        return True


class Careless(ByAmount):
    """Lets run what it could not check."""

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        return Run()


class Changing(ByAmount):
    """Puts the arguments right."""

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        call.arguments["amount"] = 1  # type: ignore[index]
        return Run()


PROMISE = "test_it_runs_every_call_if_it_says_that_it_never_asks"


@pytest.mark.parametrize(
    ("policy", "test"),
    [
        (Inheriting, PROMISE),
        (Worded, PROMISE),
        (Promising, PROMISE),
        (Sloppy, "test_it_decides_on_any_call"),
        (Boolean, "test_it_decides_on_any_call"),
        (Careless, "test_it_fails_closed"),
        (Changing, "test_it_leaves_the_arguments_alone"),
    ],
)
async def test_a_policy_that_breaks_the_contract_is_found(
    policy: type[ApprovalPolicy], test: str
) -> None:
    """By the test that says what it breaks."""
    with pytest.raises((AssertionError, KeyError, TypeError)):
        await getattr(SuiteFor(policy), test)()
