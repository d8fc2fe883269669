"""Settings of the budgets of tenants and users."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, SecretStr, field_validator

from arc_core import settings as core
from arc_core.settings import Harmless, NeedsTrust, Section

_MOST_TOKENS = 2**53 - 1
"""The largest number that every backend counts exactly."""

_Tokens = Annotated[int, Field(default=0, ge=0, le=_MOST_TOKENS, description="0 is off")]
_Cost = Annotated[
    Decimal,
    Field(
        default=Decimal(0),
        ge=0,
        allow_inf_nan=False,
        description="in the currency of the prices; 0 is off",
    ),
]


_TokensOfOne = Annotated[int | None, Field(default=None, ge=0, le=_MOST_TOKENS)]
_CostOfOne = Annotated[Decimal | None, Field(default=None, ge=0, allow_inf_nan=False)]


class TenantBudget(Section):
    """The budget of one tenant; what is None is as for all, and 0 is off."""

    tenant_tokens_per_day: _TokensOfOne
    tenant_tokens_per_month: _TokensOfOne
    tenant_cost_per_day: _CostOfOne
    tenant_cost_per_month: _CostOfOne
    user_tokens_per_day: _TokensOfOne
    user_tokens_per_month: _TokensOfOne
    user_cost_per_day: _CostOfOne
    user_cost_per_month: _CostOfOne


class BudgetLimitSettings(core.BudgetSettings):
    """The budgets of tenants and users in a day and in a month of UTC."""

    backend: Annotated[str, Harmless("chooses among what is installed, by name")] = Field(
        default="memory", description="`memory` counts in each process, `redis` in all of them"
    )
    redis_url: Annotated[SecretStr, NeedsTrust("what users spend is counted there")] = SecretStr(
        "redis://127.0.0.1:6379/0"
    )
    reservation_s: float = Field(
        default=60,
        gt=0,
        le=86_400,
        description="after which the reservation of a run whose process has died comes back",
    )
    tenant_tokens_per_day: _Tokens
    tenant_tokens_per_month: _Tokens
    tenant_cost_per_day: _Cost
    tenant_cost_per_month: _Cost
    user_tokens_per_day: _Tokens
    user_tokens_per_month: _Tokens
    user_cost_per_day: _Cost
    user_cost_per_month: _Cost
    tenants: dict[str, TenantBudget] = Field(
        default_factory=dict, description="budgets of single tenants, by their id"
    )
    tenants_from: Annotated[str | None, NeedsTrust("its module is imported")] = Field(
        default=None,
        description="a function that says what a tenant may spend: `my_app.plans:find_budget`",
    )

    @field_validator("tenants")
    @classmethod
    def _are_tenants(cls, value: dict[str, TenantBudget]) -> dict[str, TenantBudget]:
        named = {tenant.strip(): each for tenant, each in value.items()}
        if "" in named:
            raise ValueError("a tenant has no id: those without a tenant have the budgets of all")
        if len(named) < len(value):
            raise ValueError("two ids of tenants differ in blanks alone: keep one")
        return named


BudgetSettings = BudgetLimitSettings
"""Another name, which programs import."""
