"""`arc db`: the schemas of the databases that conversations and credentials are kept in."""

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
