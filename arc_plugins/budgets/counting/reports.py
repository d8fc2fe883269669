"""How budgets stand, for people."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from arc_core import BudgetState, identity_of
from arc_plugins.budgets.counting.decisions import Standing
from arc_plugins.budgets.counting.limits import Subject

__all__ = ["sorted_states", "state_of"]


def state_of(standing: Standing, subject: Subject, now: datetime) -> BudgetState:
    """One budget of a tenant or of a user."""
    limit = standing.limit
    return BudgetState(
        limit=limit.name,
        tenant_id=subject[0] or None,
        user_id=subject[1] if limit.is_users else None,
        allowed=limit.to_decimal(limit.allowed),
        spent=limit.to_decimal(standing.spent),
        reserved=limit.to_decimal(standing.held),
        returns_at=limit.window.end(now),
    )


def sorted_states(
    states: Iterable[BudgetState], *, tenant_id: str | None, user_id: str | None
) -> Sequence[BudgetState]:
    """Those that are asked for and of which something is spent or reserved, in their order.

    A blank tenant asks for the budgets of those who have none.
    """
    found = [
        state
        for state in states
        if (state.spent or state.reserved)
        and (tenant_id is None or (state.tenant_id or "") == tenant_id.strip())
        and (user_id is None or state.user_id == identity_of(user_id))
    ]
    return sorted(found, key=lambda it: (it.tenant_id or "", it.user_id or "", it.limit))
