"""Registers what keeps budgets: in memory or in Redis if one is set, and nothing otherwise."""

from functools import reduce
from operator import or_

from arc_core import Budgets, Registry, hookimpl
from arc_core.conditions import Condition, on_missing, on_setting

_LIMITS = [
    f"budget.{whose}_{what}_per_{period}"
    for whose in ("tenant", "user")
    for what in ("tokens", "cost")
    for period in ("day", "month")
]


@hookimpl
def arc_register(registry: Registry) -> None:
    """One or the other, by `budget.backend`.

    A missing package is an error of the factory and no condition: budgets must not vanish quietly.
    """
    limits = [*_LIMITS, "budget.tenants", "budget.tenants_from"]
    conditions: list[Condition] = [on_setting(limit) for limit in limits]
    limited = reduce(or_, conditions)
    registry.provide(
        Budgets,
        "arc_plugins.budgets.counting.in_memory_budgets:InMemoryBudgets",
        name="memory",
        condition=limited & on_setting("budget.backend", "memory"),
    )
    registry.provide(
        Budgets,
        "arc_plugins.budgets.counting.plugin:redis_budgets",
        name="redis",
        condition=limited & on_setting("budget.backend", "redis"),
    )
    registry.provide(
        Budgets,
        "arc_plugins.budgets.no_budgets:no_budgets",
        name="none",
        condition=on_missing(Budgets),
    )
