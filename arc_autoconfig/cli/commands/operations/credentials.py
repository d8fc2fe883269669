"""`arc credentials`: whose credentials are kept, and for which services; never a secret."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import click

from arc_autoconfig.cli.failures import ConfigurationFailure
from arc_autoconfig.cli.options import report_options, wiring_options
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.tables import print_report
from arc_autoconfig.cli.wiring import application_for, use_started
from arc_core.interfaces.credentials import Credentials, KeptCredential, ListsCredentials, Owner

T = TypeVar("T")

_COLUMNS = ("Tenant", "User", "Service", "Expires", "Renews", "Scopes")


@click.group()
@wiring_options
def credentials() -> None:
    """See to the credentials with which tools act for people."""


@credentials.command("list")
@report_options
def _list(ctx: click.Context, *, as_json: bool) -> None:
    """Show whose credentials are kept, without their secrets."""
    found: Sequence[KeptCredential] = _run(_find(ctx), lambda kept: _listing(kept).list_kept())
    print_report([_as_json(each) for each in found], _COLUMNS, map(_row, found), as_json=as_json)


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


def _row(kept: KeptCredential) -> tuple[str, ...]:
    ends = kept.expires_at
    return (
        kept.owner.tenant_id or "(none)",
        kept.owner.user_id or "(all)",
        kept.service,
        "" if ends is None else f"{ends:%Y-%m-%d %H:%M} UTC",
        "yes" if kept.can_renew else "no",
        " ".join(kept.scopes),
    )
