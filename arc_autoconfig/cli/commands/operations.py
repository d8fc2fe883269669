"""`arc credentials`, `budget`, `db`: what is kept of people, never a secret, and its schemas."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar

import click

from arc_autoconfig.cli.failures import ConfigurationFailure
from arc_autoconfig.cli.options import report_options, wiring_options
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.tables import print_report
from arc_autoconfig.cli.wiring import announce, application_for, use_started
from arc_autoconfig.visible_text import visible
from arc_core.interfaces.budgets import BudgetState, ReportsBudgets
from arc_core.interfaces.credentials import Credentials, KeptCredential, ListsCredentials, Owner
from arc_core.interfaces.optional import SchemaUpgrade, UpgradesSchema

T = TypeVar("T")

_BUDGET_COLUMNS = ("Tenant", "User", "Budget", "Allowed", "Spent", "Reserved", "Left", "Returns")
_CREDENTIAL_COLUMNS = ("Tenant", "User", "Service", "Expires", "Renews", "Scopes")


@click.group()
@wiring_options
def credentials() -> None:
    """See to the credentials with which tools act for people."""


@credentials.command("list")
@report_options
def _list(ctx: click.Context, *, as_json: bool) -> None:
    """Show whose credentials are kept, without their secrets."""
    found: Sequence[KeptCredential] = _run(_find(ctx), lambda kept: _listing(kept).list_kept())
    print_report(
        [_as_json(each) for each in found],
        _CREDENTIAL_COLUMNS,
        map(_credential_row, found),
        as_json=as_json,
    )


@credentials.command("remove")
@click.argument("service", required=False)
@click.option("--user", metavar="ID", help="Whose; '' is the whole tenant's.")
@click.option("--tenant", metavar="ID", help="The tenant of the user, if any.")
@click.option("--unreadable", is_flag=True, help="Of all users, what no key of the settings opens.")
@report_options
def _remove(
    ctx: click.Context,
    *,
    service: str | None,
    user: str | None,
    tenant: str | None,
    unreadable: bool,
    as_json: bool,
) -> None:
    """Forget the credential of a user at SERVICE, or all of the user.

    Tools ask for a login then. The service itself may still take the token: revoke it there, too.
    The key with which it is encrypted is not needed; with --unreadable all goes whose key is lost.
    """
    if unreadable is (user is not None) or (unreadable and tenant is not None):
        raise click.UsageError("write --user ID, perhaps with --tenant ID, or --unreadable")
    owner = None if user is None else Owner(user_id=user, tenant_id=tenant)
    kept = _find(ctx)
    if owner is None or isinstance(kept, ListsCredentials):
        count = asyncio.run(_listing(kept).remove_unopened(owner, service))
    else:
        count = _run(kept, lambda kept: kept.remove(owner, service))
    _tell(count, "removed", as_json=as_json)


@credentials.command("rotate")
@report_options
def _rotate(ctx: click.Context, *, as_json: bool) -> None:
    """Encrypt all credentials with the first key of credentials.key.

    Programs may go on meanwhile, if they have both keys.
    """
    count = _run(_find(ctx), lambda kept: _listing(kept).rotate())
    _tell(count, "encrypted anew", as_json=as_json)


def _find(ctx: click.Context) -> Credentials:
    kept: Credentials = application_for(ctx).container.credentials()
    return kept


def _run(kept: Credentials, work: Callable[[Credentials], Awaitable[T]]) -> T:
    """Start what keeps credentials, and have it do something."""
    called, failure = "what keeps credentials", "has failed"
    return asyncio.run(use_started(kept, lambda: work(kept), called=called, failure=failure))


def _listing(kept: Credentials) -> ListsCredentials:
    if not isinstance(kept, ListsCredentials):
        raise ConfigurationFailure(
            f"{type(kept).__qualname__} cannot list credentials.\n"
            'Set credentials.backend = "sql", which can.'
        )
    return kept


def _tell(count: int, done: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"count": count})
    else:
        click.echo(f"{count} {'credential was' if count == 1 else 'credentials were'} {done}.")


def _as_json(kept: KeptCredential) -> dict[str, Any]:
    ends = kept.expires_at
    return {
        **asdict(kept.owner),
        "service": kept.service,
        "expires_at": None if ends is None else ends.isoformat(),
        "can_renew": kept.can_renew,
        "scopes": list(kept.scopes),
    }


def _credential_row(kept: KeptCredential) -> tuple[str, ...]:
    ends = kept.expires_at
    return (
        kept.owner.tenant_id or "(none)",
        kept.owner.user_id or "(all)",
        kept.service,
        "" if ends is None else f"{ends:%Y-%m-%d %H:%M} UTC",
        "yes" if kept.can_renew else "no",
        " ".join(kept.scopes),
    )


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
    print_report(form, _BUDGET_COLUMNS, map(_budget_row, states), as_json=as_json)
    announce(budgets)


def _read_states(
    budgets: ReportsBudgets, tenant: str | None, user: str | None
) -> Sequence[BudgetState]:
    called, failure = "what keeps budgets", "cannot tell how budgets stand"
    ask = partial(budgets.states, tenant_id=tenant, user_id=user)
    return asyncio.run(use_started(budgets, ask, called=called, failure=failure))


def _budget_row(state: BudgetState) -> tuple[str, ...]:
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


@click.group()
@wiring_options
def db() -> None:
    """See to the databases of conversations and credentials."""


@db.command("upgrade")
@report_options
def _upgrade(ctx: click.Context, *, as_json: bool) -> None:
    """Create the schemas, or bring them up to date; what they hold stays.

    The databases are those of conversation.url and credentials.url. Run it after every update of
    Arc; if nothing is to be done, nothing happens.
    """
    container = application_for(ctx).container
    store = container.conversation_store()
    parts = [each for each in (store, container.credentials()) if isinstance(each, UpgradesSchema)]
    if not parts:
        raise ConfigurationFailure(
            f"{type(store).__qualname__} keeps conversations without a schema.\n"
            "Set conversation.url, as in sqlite:///conversations.db, to keep them in a database."
        )
    done = [asyncio.run(each.upgrade_schema()) for each in parts]
    if as_json:
        print_json([asdict(each) for each in done] if len(done) > 1 else asdict(done[0]))
    else:
        for each in done:
            click.echo(visible(_sentence(each)))


def _sentence(done: SchemaUpgrade) -> str:
    if done.before == done.after:
        return f"{done.place}: the schema is up to date ({done.after})."
    return f"{done.place}: the schema has gone from {done.before or 'none'} to {done.after}."
