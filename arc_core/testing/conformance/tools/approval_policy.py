"""Rules of every `ApprovalPolicy` that the engine relies on."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core.engine.boundary.boundary import is_said_beside
from arc_core.interfaces.hook import HookContext, ToolCallContext
from arc_core.interfaces.tools.approval_policy import ApprovalPolicy, Ask, PolicyResult, Run
from arc_core.requests import Deny
from arc_core.testing.conformance.components import (
    AsyncSuite,
    call_together,
    check_cancellation_leaves,
    check_interface,
    require,
    running,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS
from arc_core.testing.conformance.measurements import check_loop_is_free

_CALLS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("pay", {"amount": 7, "to": "Ann"}),
    ("pay", {"amount": 5_000_000, "to": "Ann"}),
    ("pay", {"amount": -1}),
    ("pay", {"amount": "a lot"}),
    ("pay", {"amount": None, "to": {"iban": ["DE00"]}}),
    ("delete_everything", {}),
    ("search", {"query": "weather"}),
)


class ApprovalPolicyConformance(AsyncSuite):
    """Inherit from it and say how your policy is made.

    Attributes:
        calls: Names of tools and arguments on which the policy decides differently, beside those of
            the suite. The arguments are as a model wrote them, and may be anything.
    """

    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()

    @abstractmethod
    def make_policy(self) -> ApprovalPolicy:
        """A new policy, not started."""

    def make_failing_policy(self) -> ApprovalPolicy | None:
        """A policy that cannot do its work, its server down; None if nothing can fail."""
        return None

    async def test_it_is_a_policy(self) -> None:
        """It can be asked, and no method of it is nearly one that is called."""
        check_interface(self.make_policy(), ApprovalPolicy)

    async def test_it_runs_every_call_if_it_says_that_it_never_asks(self) -> None:
        """Such a policy is not asked, so `never_asks` is `True` beside `decide`, or not there."""
        policy = self.make_policy()
        promise: object = getattr(policy, "never_asks", False)
        if promise is False:
            return

        assert promise is True, f"never_asks is True or False, not {promise!r}"
        is_own = is_said_beside(policy, "never_asks", method="decide")
        assert is_own, "never_asks is inherited, and decide is not: say never_asks = False"
        for decision in await self._decide_all():
            assert isinstance(decision, Run), f"it never asks, and decides {decision!r}"

    async def test_it_decides_on_any_call(self) -> None:
        """Every call is made, asked about or denied; what a model wrote does not make it raise."""
        for decision in await self._decide_all():
            _check(decision)

    @pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_a_policy_decides_on_any_text(self, text: str) -> None:
        """In the name of a tool, which the model made up, and in its arguments."""
        async with running(self.make_policy()) as policy:
            for call in (_call(text, {}), _call("pay", {"to": text, text: [text]})):
                _check(await policy.decide(call))

    async def test_a_policy_leaves_the_arguments_alone(self) -> None:
        """They are those that the tool gets."""
        async with running(self.make_policy()) as policy:
            for name, arguments in self._every_call():
                given = dict(deepcopy(arguments))
                await policy.decide(_call(name, given))
                assert given == arguments, "the policy has changed the tool's arguments"

    async def test_calls_do_not_mix(self) -> None:
        """Runs share their policy: many calls at once are decided on as each is alone."""
        alone = await self._decide_all()
        calls = [_call(name, arguments) for name, arguments in self._every_call()]
        async with running(self.make_policy()) as policy:
            together = await call_together(map(policy.decide, calls))

        assert together == alone, "calls of different runs mix"

    async def test_a_policy_leaves_the_loop_to_others(self) -> None:
        """Every run waits while a policy blocks the event loop."""
        async with running(self.make_policy()) as policy:
            await check_loop_is_free(lambda: policy.decide(_call("pay", {"amount": 7})))

    async def test_a_cancelled_decision_is_none(self) -> None:
        """A cancellation leaves the policy; it does not become a decision."""
        async with running(self.make_policy()) as policy:
            await check_cancellation_leaves(policy.decide(_call("pay", {"amount": 7})))

    async def test_a_policy_fails_closed(self) -> None:
        """A policy that cannot do its work raises, asks or denies, and lets no call run."""
        failing = require(self.make_failing_policy(), "make_failing_policy")

        try:
            async with running(failing) as policy:
                decision: object = await policy.decide(_call("pay", {"amount": 7}))
        except Exception:  # noqa: BLE001 -- whatever it raises denies
            return

        assert isinstance(decision, Ask | Deny), "the policy lets run what it could not check"

    def _every_call(self) -> Sequence[tuple[str, Mapping[str, Any]]]:
        return (*_CALLS, *self.calls)

    async def _decide_all(self) -> list[PolicyResult]:
        async with running(self.make_policy()) as policy:
            calls = self._every_call()
            return [await policy.decide(_call(name, arguments)) for name, arguments in calls]


def _check(decision: object) -> None:
    assert isinstance(decision, Run | Ask | Deny), f"decide returned {decision!r}"
    if isinstance(decision, Ask):
        assert isinstance(decision.summary, str), "a summary is a text"
    if isinstance(decision, Deny):
        assert isinstance(decision.reason, str), "a reason is a text"
        assert decision.reason.strip(), "a denial has a reason, which the model reads"


def _call(tool: str, arguments: Mapping[str, Any]) -> ToolCallContext:
    run = HookContext(run_id="run-1", user_id="ann", user_prompt="Hi", started_at=datetime.now(UTC))
    return ToolCallContext(agent_context=run, tool_name=tool, arguments=arguments, call_index=0)
