"""Budgets of tenants and users.

The engine reserves for a run before its first call of a model, reserves more as the run goes on,
and settles on every way out. A run with all that it starts is one spender. Fails closed by default:
`budget.on_failure`.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Tokens, and what they cost.

    Attributes:
        tokens: Of prompts and answers together.
        cost: In the currency of the prices; 0 if no budget is one of costs.
    """

    tokens: int = 0
    cost: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spender:
    """A spender: one attempt at a run, with all runs below it.

    Attributes:
        reservation_id: Another one in each life of a run.
        run_id: A UUID.
        user_id: Who asks; `anonymous` if the command has no user.
        tenant_id: The user's company or team, if any; blank is none.
        agent: The name of the agent that was asked.
    """

    reservation_id: str
    run_id: str
    user_id: str = "anonymous"
    tenant_id: str | None = None
    agent: str = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """An amount that a run may spend.

    Attributes:
        held: What it may still spend, beyond what it has spent.
        used_ratio: Of the budget that is used most: what is spent of it, from 0 to 1 and above.
        limit: Names that budget, such as `tenant_tokens_per_day`.
        renew_within_s: The reservation ends by itself this many seconds after the last call; None
            if never.
    """

    held: Amount
    used_ratio: float = 0.0
    limit: str = ""
    renew_within_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRefused:
    """There is not enough left.

    Attributes:
        reason: One or two sentences for the person who asked, shown as they are, with the time when
            the budget returns.
        limit: Names the budget that is used up.
        returns_at: When it returns, in UTC; None if that is not known.
        left: What could be held beyond what the run holds, of that which was asked for: a run that
            goes on may ask for it, and ends within that. None if that is not known.
    """

    reason: str
    limit: str = ""
    returns_at: datetime | None = None
    left: Amount | None = None


@slot("budgets", group="arc.budgets", preference="budget.backend")
@runtime_checkable
class Budgets(Protocol):
    """Keeps what is spent and what is reserved, exactly, for all processes that share it.

    It may have two attributes more, which the engine reads at start: `bounds_costs`, true if a
    budget is one of costs (otherwise no cost is told), and `bounds_tokens`, false if none is one of
    tokens. If it bounds neither, it is never asked; a false `bounds_tokens` that the class of
    `reserve` has only inherited does not count.
    """

    @abstractmethod
    async def reserve(
        self, spender: Spender, *, amount: Amount, least: Amount
    ) -> Reserved | BudgetRefused | None:
        """Reserve for a run that begins; None if nothing bounds it, and no more will be asked.

        Args:
            spender: Who spends.
            amount: What to reserve; what is left of it, if that is less.
            least: Without this much, the run cannot begin.
        """

    @abstractmethod
    async def extend(
        self, spender: Spender, *, spent: Amount, hold: Amount
    ) -> Reserved | BudgetRefused:
        """Count what a run has spent, renew its reservation, and reserve more.

        What was spent is counted whatever the answer is. A reservation that has ended by itself is
        made again.

        Args:
            spender: Who spends.
            spent: By this reservation in all, as far as it is known, so that a call made twice
                counts once. It may be less than was told before, if an estimate was too high: then
                the difference is taken back, though not from a day or month in which it was not
                told, and not after `settle`.
            hold: What the run must be able to spend beyond that. What it holds already is enough if
                it is as much; it never gets less.
        """

    @abstractmethod
    async def settle(self, spender: Spender, *, spent: Amount) -> None:
        """Count what a run has spent in all, and give back the rest; twice is once.

        Args:
            spender: Who spends.
            spent: By this reservation in all.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetState:
    """The state of one budget of one spender.

    Attributes:
        limit: Its name, such as `user_cost_per_month`.
        tenant_id: Whose it is; None for the tenant of those who have none.
        user_id: Whose it is; None for the budget of a whole tenant.
        allowed: In the window; of tokens or of cost, as the name says.
        spent: In the window.
        reserved: By runs that go on.
        returns_at: When the window ends, in UTC.
    """

    limit: str
    tenant_id: str | None
    user_id: str | None
    allowed: Decimal
    spent: Decimal
    reserved: Decimal
    returns_at: datetime


@runtime_checkable
class ReportsBudgets(Protocol):
    """Budgets that can tell how they stand; `arc budget show` asks."""

    @abstractmethod
    async def states(
        self, *, tenant_id: str | None = None, user_id: str | None = None
    ) -> Sequence[BudgetState]:
        """The budgets of which something is spent or reserved, sorted by tenant, user and name.

        Args:
            tenant_id: Only of this tenant; None is all.
            user_id: Only of this user; None is all.
        """
