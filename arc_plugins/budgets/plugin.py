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
    in_memory, in_redis = (on_setting("budget.backend", name) for name in ("memory", "redis"))
    for name, component, condition in (
        ("memory", "counting.in_memory_budgets:InMemoryBudgets", limited & in_memory),
        ("redis", "counting.plugin:redis_budgets", limited & in_redis),
        ("none", "no_budgets:no_budgets", on_missing(Budgets)),
    ):
        registry.provide(
            Budgets, f"arc_plugins.budgets.{component}", name=name, condition=condition
        )
