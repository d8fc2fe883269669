"""`arc db`: the schema of the database that conversations are kept in."""

import asyncio
from dataclasses import asdict

import click

from arc_autoconfig.cli.failures import ConfigurationFailure
from arc_autoconfig.cli.options import report_options, wiring_options
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.wiring import application_for
from arc_autoconfig.visible_text import visible
from arc_core.interfaces.optional import SchemaUpgrade, UpgradesSchema


@click.group()
@wiring_options
def db() -> None:
    """See to the database of conversations."""


@db.command("upgrade")
@report_options
def _upgrade(ctx: click.Context, *, as_json: bool) -> None:
    """Create the schema, or bring it up to date; what it holds stays.

    The database is that of the setting conversation.url. Run it after every update of Arc; if
    nothing is to be done, nothing happens.
    """
    store = application_for(ctx).container.conversation_store()
    if not isinstance(store, UpgradesSchema):
        raise ConfigurationFailure(
            f"{type(store).__qualname__} keeps conversations without a schema.\n"
            "Set conversation.url, as in sqlite:///conversations.db, to keep them in a database."
        )
    done = asyncio.run(store.upgrade_schema())
    if as_json:
        print_json(asdict(done))
    else:
        click.echo(visible(_sentence(done)))


def _sentence(done: SchemaUpgrade) -> str:
    if done.before == done.after:
        return f"{done.place}: the schema is up to date ({done.after})."
    return f"{done.place}: the schema has gone from {done.before or 'none'} to {done.after}."
