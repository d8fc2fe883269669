"""`arc budget show`."""

import json
from pathlib import Path

import pytest

from tests.arc_autoconfig.cli.invoking import invoke

TELLING = '''
from datetime import UTC, datetime
from decimal import Decimal

from arc_core import Budgets, BudgetState, ReportsBudgets, Reserved


class TellingBudgets(Budgets, ReportsBudgets):
    """Tells of two tenants; of a third it fails to."""

    is_started = False

    async def start(self):
        self.is_started = True

    async def reserve(self, spender, *, amount, least):
        return None

    async def extend(self, spender, *, spent, hold):
        return Reserved(held=hold)

    async def settle(self, spender, *, spent):
        pass

    async def states(self, *, tenant_id=None, user_id=None):
        if tenant_id == "down" or not self.is_started:
            raise OSError("the server is down")
        return [
            BudgetState(
                limit="user_cost_per_month" if user else "tenant_tokens_per_day",
                tenant_id=tenant, user_id=user, allowed=Decimal("1000.500000000"),
                spent=Decimal(1200), reserved=Decimal("0E-9"),
                returns_at=datetime(2026, 12, 1, tzinfo=UTC),
            )
            for tenant, user in ((None, "ann\\x1b"), ("acme", None))
            if tenant_id in (None, tenant) and user_id in (None, user)
        ]
'''


@pytest.fixture
def telling(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Options that put budgets in charge which tell how they stand."""
    monkeypatch.setenv("ARC_TRUST", "1")
    Path("telling.py").write_text(TELLING, "utf-8")
    return "--set", "plugins.load=telling:TellingBudgets"


def test_a_table_tells_how_budgets_stand(telling: tuple[str, str]) -> None:
    """What is left is never less than nothing, and names cannot take over the terminal."""
    lines = invoke("budget", "show", *telling).stdout.splitlines()

    (ann,) = [line.split() for line in lines if "ann" in line]
    assert ann == [
        "(none)", r"ann\x1b", "user_cost_per_month", "1,000.5", "1,200", "0", "0",
        "2026-12-01", "00:00", "UTC",
    ]  # fmt: skip


def test_it_can_be_narrowed_and_read_by_programs(telling: tuple[str, str]) -> None:
    """To a tenant; numbers are texts, so that no digit is lost."""
    result = invoke("budget", "show", "--tenant", "acme", "--json", *telling)

    (state,) = json.loads(result.stdout)
    assert (state["tenant_id"], state["user_id"]) == ("acme", None)
    assert (state["allowed"], state["spent"], state["left"]) == ("1000.500000000", "1200", "0")


def test_a_store_that_does_not_answer_ends_with_1(telling: tuple[str, str]) -> None:
    """With what it says, and without a traceback."""
    result = invoke("budget", "show", "--tenant", "down", *telling)

    assert result.exit_code == 1
    assert "TellingBudgets cannot tell how budgets stand: OSError: the server is down" in (
        result.stderr
    )
    assert "Traceback" not in result.stderr


def test_budgets_that_cannot_tell_are_a_sentence() -> None:
    """Without a budget there is nothing to tell, and it says what to set."""
    result = invoke("budget", "show")

    assert result.exit_code == 2
    assert "NoBudgets cannot tell how budgets stand." in result.stderr
    assert "Set a budget" in result.stderr


def test_memory_says_that_each_process_counts_for_itself() -> None:
    """On standard error, so that it stays out of what programs read."""
    result = invoke("budget", "show", "--json", "--set", "budget.user_tokens_per_day=9")

    assert json.loads(result.stdout) == []
    assert "each process counts for itself" in result.stderr
    assert "budget.backend = redis" in result.stderr
