"""Bounds nothing: what fills the slot as long as no budget is set."""

from arc_core import ConfigurationError
from arc_core.defaults.inactive import UnboundedBudgets
from arc_core.interfaces.optional import Health, HealthStatus
from arc_plugins.budgets.settings import BudgetLimitSettings


class NoBudgets(UnboundedBudgets):
    """Every run may spend what it likes, and nothing is counted."""

    async def check_health(self) -> Health:
        """Nothing to check."""
        return Health(status=HealthStatus.SKIPPED, summary="no budget is set")


def no_budgets(settings: BudgetLimitSettings) -> NoBudgets:
    """Return budgets that bound nothing.

    Raises:
        ConfigurationError: A budget is set, and nothing that is there keeps it.
    """
    names = [name for name in type(settings).model_fields if name.endswith(("_day", "_month"))]
    limits = [name for name in (*names, "tenants", "tenants_from") if getattr(settings, name)]
    if limits:
        raise ConfigurationError(
            "budgets are set, and nothing keeps them",
            evidence=[f"budget.{name} is set" for name in limits]
            + [f"budget.backend is {settings.backend!r}, which no component takes part for"],
            remedy="set budget.backend to memory or redis, or install the package that it names",
        )
    return NoBudgets()
