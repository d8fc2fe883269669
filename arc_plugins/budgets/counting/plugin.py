"""Makes the budgets in Redis, if its package is there."""

from importlib.util import find_spec

from arc_core import Budgets, ConfigurationError
from arc_plugins.budgets.settings import BudgetLimitSettings


def redis_budgets(settings: BudgetLimitSettings) -> Budgets:
    """Budgets that all processes share.

    Raises:
        ConfigurationError: The extra is not installed, the address is not one, or a budget is
            larger than Redis counts exactly.
    """
    if find_spec("redis") is None:
        raise ConfigurationError(
            "budget.backend is redis, and Redis cannot be reached from here",
            evidence=["the package redis is not installed"],
            remedy='pip install "arc-agents[redis]", or set budget.backend to memory',
        )
    from arc_plugins.budgets.counting.redis_budgets import RedisBudgets

    return RedisBudgets(settings=settings)
