"""`arc budget`: what tenants and users have spent and reserved of their budgets."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal
from functools import partial

import click

from arc_autoconfig.cli.failures import ConfigurationFailure
from arc_autoconfig.cli.options import report_options, wiring_options
from arc_autoconfig.cli.output.tables import print_report
from arc_autoconfig.cli.wiring import announce, application_for, use_started
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
    states = _read_states(budgets, tenant, user)
    form = [{**asdict(state), "left": _show_rest(state)} for state in states]
    print_report(form, _COLUMNS, map(_row, states), as_json=as_json)
    announce(budgets)


def _read_states(
    budgets: ReportsBudgets, tenant: str | None, user: str | None
) -> Sequence[BudgetState]:
    called, failure = "what keeps budgets", "cannot tell how budgets stand"
    ask = partial(budgets.states, tenant_id=tenant, user_id=user)
    return asyncio.run(use_started(budgets, ask, called=called, failure=failure))


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
