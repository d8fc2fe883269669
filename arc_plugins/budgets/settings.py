"""What tenants and users may spend, and where that is counted."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, SecretStr

from arc_core import settings as core
from arc_core.settings import Harmless, NeedsTrust

__all__ = ["BudgetSettings"]

_MOST_TOKENS = 2**53 - 1
"""What every backend counts exactly."""

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


class BudgetSettings(core.BudgetSettings):
    """What tenants and users may spend in a day and in a month of UTC."""

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
