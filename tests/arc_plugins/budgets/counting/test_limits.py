"""Which budgets hold for a tenant."""

from decimal import Decimal
from typing import Any

import pytest

from arc_core import ConfigurationError
from arc_plugins.budgets.counting.limits import TenantLimits
from tests.arc_plugins.budgets.counting.counted import settings

NOT_A_FUNCTION = "find_budget"


async def find_budget(tenant_id: str) -> dict[str, Any] | None:
    """What a tenant has bought, as a database would say it."""
    plans: dict[str, dict[str, Any]] = {
        "acme": {"user_tokens_per_day": 5},
        "odd": {"tokens": 5},
        "rich": {"tenant_cost_per_day": Decimal(10**7)},
    }
    return plans.get(tenant_id)


async def allowed(limits: TenantLimits, tenant_id: str | None) -> dict[str, int]:
    """The budgets of a tenant by name."""
    return {each.name: each.allowed for each in await limits.get(tenant_id)}


async def test_a_function_says_what_a_tenant_may_spend() -> None:
    """What it leaves open is as for all; where it knows nothing, the table says it."""
    limits = TenantLimits(
        settings(
            tenant_tokens_per_day=100,
            tenants={"acme": {"user_tokens_per_day": 9}, "b": {"user_tokens_per_day": 8}},
            tenants_from=f"{__name__}:find_budget",
        )
    )

    assert await allowed(limits, "acme") == {"tenant_tokens_per_day": 100, "user_tokens_per_day": 5}
    assert await allowed(limits, "b") == {"tenant_tokens_per_day": 100, "user_tokens_per_day": 8}
    assert await allowed(limits, None) == {"tenant_tokens_per_day": 100}


async def test_a_budget_of_one_tenant_bounds_that_tenant_alone() -> None:
    """Others have none, if none is set for all."""
    limits = TenantLimits(settings(tenants={"acme": {"tenant_cost_per_day": 1}}))

    assert await allowed(limits, "acme") == {"tenant_cost_per_day": 10**9}
    assert await allowed(limits, "another") == {}
    assert (limits.bounds_tokens, limits.bounds_costs) == (False, True)


@pytest.mark.parametrize(
    ("tenant", "rest", "message"),
    [
        ("odd", {}, "find_budget returns is not a budget"),
        ("rich", {}, "is a budget of costs, and the settings have none"),
        ("rich", {"user_cost_per_day": 1}, "larger than Redis counts exactly"),
    ],
)
async def test_what_a_function_returns_is_checked(
    tenant: str, rest: dict[str, Any], message: str
) -> None:
    """The run is refused, by `budget.on_failure`, and the log says why."""
    most = 2**53 - 1 if rest else None
    limits = TenantLimits(settings(tenants_from=f"{__name__}:find_budget", **rest), most=most)

    with pytest.raises(ConfigurationError, match=message):
        await limits.get(tenant)


@pytest.mark.parametrize(
    "place", ["no.such.module:find", f"{__name__}:missing", f"{__name__}:NOT_A_FUNCTION", ":"]
)
def test_a_function_that_is_not_there_stops_the_start(place: str) -> None:
    """Not the first run."""
    with pytest.raises(ConfigurationError, match=r"budget.tenants_from names"):
        TenantLimits(settings(tenants_from=place))


def test_a_tenant_may_have_no_more_than_can_be_counted() -> None:
    """The setting is named."""
    with pytest.raises(ConfigurationError, match=r"budget.tenants.acme.tenant_cost_per_day is lar"):
        TenantLimits(settings(tenants={"acme": {"tenant_cost_per_day": 10**8}}), most=2**53 - 1)
