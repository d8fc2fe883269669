"""What keeps budgets is decided by the settings."""

from importlib.util import find_spec
from typing import Any

import pytest
from pydantic import ValidationError

from arc_autoconfig import ArcSettings
from arc_core import Budgets, ConfigurationError
from arc_plugins.budgets.counting import plugin
from arc_plugins.budgets.no_budgets import NoBudgets, no_budgets
from tests.arc_plugins.budgets.counting.counted import settings, spender, tokens
from tests.arc_plugins.wired import wired


@pytest.mark.parametrize(
    ("budget", "winner"),
    [
        ({}, "none"),
        ({"backend": "redis"}, "none"),
        ({"tenant_tokens_per_day": 1}, "memory"),
        ({"user_cost_per_month": "0.5"}, "memory"),
        ({"user_cost_per_month": 0}, "none"),
        ({"backend": "redis", "tenant_cost_per_day": 1}, "redis"),
        ({"tenants": {"acme": {"user_cost_per_day": 1}}}, "memory"),
        ({"backend": "redis", "tenants_from": "my_app.plans:find_budget"}, "redis"),
    ],
)
def test_a_limit_switches_them_on(budget: dict[str, Any], winner: str) -> None:
    """And `budget.backend` says where."""
    assert wired(Budgets, budget=budget).winners == [winner]


@pytest.mark.parametrize(
    "wrong",
    [
        {"tenant_cost_per_day": "NaN"},
        {"tenant_cost_per_day": "Infinity"},
        {"user_tokens_per_day": -1},
        {"user_cost_per_month": -1},
        {"reservation_s": 0},
        {"tenant_tokens_per_month": 2**53},
        {"tenants": {"acme": {"user_tokens_per_day": -1}}},
        {"tenants": {"acme": {"tokens_per_day": 1}}},
        {"tenants": {" ": {"user_tokens_per_day": 1}}},
        {"tenants": {"acme": {}, "acme ": {}}},
    ],
)
def test_a_limit_that_bounds_nothing_is_refused(wrong: dict[str, Any]) -> None:
    """It is a mistake, and no way to switch a budget off."""
    with pytest.raises((ConfigurationError, ValidationError)):
        ArcSettings(budget=wrong)


def test_a_missing_extra_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Budgets must not vanish quietly: the error says what to install."""
    monkeypatch.setattr(plugin, "find_spec", lambda _name: None)

    with pytest.raises(ConfigurationError, match=r'pip install "arc-agents\[redis\]"'):
        plugin.redis_budgets(settings())


@pytest.mark.skipif(find_spec("redis") is None, reason="needs the extra redis")
def test_counting_in_redis_connects_later() -> None:
    """The budgets are made without a server."""
    made = plugin.redis_budgets(settings(backend="redis", user_cost_per_day=1))

    assert isinstance(made, Budgets)


async def test_without_a_limit_nothing_is_bound() -> None:
    """And the engine need not ask."""
    budgets = no_budgets(settings())

    assert (budgets.bounds_tokens, budgets.bounds_costs) == (False, False)
    assert await budgets.reserve(spender(), amount=tokens(1), least=tokens(1)) is None
    assert isinstance(budgets, NoBudgets)


def test_limits_that_nothing_keeps_stop_the_start() -> None:
    """A setting that chooses the component without budgets cannot switch them off."""
    with pytest.raises(ConfigurationError, match="nothing keeps them") as caught:
        no_budgets(settings(backend="none", user_tokens_per_day=5))

    assert "budget.user_tokens_per_day is set" in caught.value.evidence
