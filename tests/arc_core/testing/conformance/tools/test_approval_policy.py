"""The suite for approval policies passes for good ones, and finds those that break the contract."""

from typing import Any

from arc_core import ApprovalPolicy, Ask, Deny, PolicyResult, Run, ToolCallContext
from arc_core.testing.conformance.tools.approval_policy import ApprovalPolicyConformance
from arc_core.testing.fakes import EveryCallPolicy
from tests.arc_core.testing.conformance.suites import Fault, FindsFaults, make_good_suite


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


TestByAmount = make_good_suite(ApprovalPolicyConformance, ByAmount, failing=Down)


TestEveryCall = make_good_suite(ApprovalPolicyConformance, EveryCallPolicy)


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


PROMISE = "it_runs_every_call_if_it_says_that_it_never_asks"
FAULTS = [
    Fault(Inheriting, PROMISE, match="decide is not"),
    Fault(Worded, PROMISE, match="not 'no'"),
    Fault(Promising, PROMISE, match="it never asks"),
    Fault(Sloppy, "it_decides_on_any_call", error=TypeError),
    Fault(Boolean, "it_decides_on_any_call", match="returned True"),
    Fault(Careless, "a_policy_fails_closed", match="could not check"),
    Fault(Changing, "a_policy_leaves_the_arguments_alone", match="changed the tool's arguments"),
]


class TestFaults(FindsFaults):
    """Each of them is found."""

    suite, faults = ApprovalPolicyConformance, FAULTS
