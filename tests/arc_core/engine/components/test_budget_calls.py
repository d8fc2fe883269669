"""What the engine reads of budgets when it is built."""

import pytest

from arc_core import ConfigurationError
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.budgets import UnboundedBudgets


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
