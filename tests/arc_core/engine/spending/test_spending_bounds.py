"""What the engine reads of budgets when it is built."""

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    Amount,
    BudgetRefused,
    ConfigurationError,
    Reserved,
    Spender,
)
from arc_core.defaults.inactive import UnboundedBudgets
from arc_core.testing import ScriptedChatModel, scripted_agent


@pytest.mark.parametrize("name", ["bounds_tokens", "bounds_costs"])
def test_budgets_that_cannot_say_what_they_bound_are_told(name: str) -> None:
    """By their class and the attribute, without the words of the exception."""

    def fail(self: object) -> bool:
        raise RuntimeError("hunter2")

    unsure = type("UnsureBudgets", (UnboundedBudgets,), {name: property(fail)})

    with pytest.raises(ConfigurationError, match=f"UnsureBudgets cannot tell its {name}") as told:
        scripted_agent(ScriptedChatModel([]), budgets=unsure())

    assert told.value.evidence == ("it raises RuntimeError",)
    assert "hunter2" not in f"{told.value} {told.value.__cause__}"


class Strict(UnboundedBudgets):
    """Has a rule of its own, and inherits that it bounds nothing."""

    async def reserve(
        self, spender: Spender, *, amount: Amount, least: Amount
    ) -> Reserved | BudgetRefused | None:
        """Refuse."""
        return BudgetRefused(reason="Nothing is left.")


async def test_budgets_are_asked_unless_their_own_class_says_that_they_bound_nothing() -> None:
    """An inherited `bounds_tokens` was said of another `reserve`."""
    agent = scripted_agent(ScriptedChatModel(["Hi."]), budgets=Strict())

    result = await agent.execute(AgentCommand(user_prompt="Hi."))

    assert result.error_code is AgentErrorCode.LIMIT_REACHED
