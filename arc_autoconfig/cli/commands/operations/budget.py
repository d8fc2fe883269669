"""`arc budget`: what tenants and users have spent and reserved of their budgets."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from decimal import Decimal

import click

from arc_autoconfig.cli.failures import ConfigurationFailure, RunFailure
from arc_autoconfig.cli.options import report_options, wiring_options
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.tables import print_rows
from arc_autoconfig.cli.wiring import announce, application_for
from arc_autoconfig.container.lifecycle import Built, start
from arc_autoconfig.containment import Contained
from arc_autoconfig.errors import describe_cause
from arc_core.interfaces.budgets import BudgetState, ReportsBudgets

_COLUMNS = ("Tenant", "User", "Budget", "Allowed", "Spent", "Reserved", "Left", "Returns")


@click.group()
@wiring_options
def budget() -> None:
    """See to the budgets of tenants and users."""


@budget.command("show")
@click.option("--tenant", metavar="ID", help="Only of this tenant; '' is that of users without.")
@click.option("--user", metavar="ID", help="Only of this user.")
@report_options
def _show(ctx: click.Context, *, tenant: str | None, user: str | None, as_json: bool) -> None:
    """Show the budgets of which something is spent or reserved.

    Ends with 1 if what keeps them does not answer.
    """
    budgets = application_for(ctx).container.budgets()
    if not isinstance(budgets, ReportsBudgets):
        raise ConfigurationFailure(
            f"{type(budgets).__qualname__} cannot tell how budgets stand.\n"
            "Set a budget, as in budget.tenant_tokens_per_day=1000000, and budget.backend=redis."
        )
    states = asyncio.run(_states(budgets, tenant_id=tenant, user_id=user))
    if as_json:
        print_json([{**asdict(state), "left": _show_rest(state)} for state in states])
    else:
        print_rows(_COLUMNS, map(_row, states))
    announce(budgets)


async def _states(
    budgets: ReportsBudgets, *, tenant_id: str | None, user_id: str | None
) -> Sequence[BudgetState]:
    async with AsyncExitStack() as stack:
        await start(Built(budgets, "what keeps budgets"), stack)
        with Contained() as attempt:
            return await budgets.states(tenant_id=tenant_id, user_id=user_id)
    assert attempt.error is not None
    raise RunFailure(
        f"{type(budgets).__qualname__} cannot tell how budgets stand: "
        f"{describe_cause(attempt.error)}\n"
        "`arc doctor` says what it needs."
    ) from attempt.error


def _row(state: BudgetState) -> tuple[str, ...]:
    return (
        state.tenant_id or "(none)",
        state.user_id or "(all)",
        state.limit,
        *map(_number, (state.allowed, state.spent, state.reserved, _show_rest(state))),
        f"{state.returns_at:%Y-%m-%d %H:%M} UTC",
    )


def _show_rest(state: BudgetState) -> Decimal:
    return max(Decimal(0), state.allowed - state.spent - state.reserved)


def _number(value: Decimal) -> str:
    """A number without an exponent, and without zeros at its end."""
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
