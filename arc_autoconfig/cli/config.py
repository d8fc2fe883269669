"""`arc config`: every setting, its value, and where the value came from."""

import json
from dataclasses import asdict

import click

from arc_autoconfig.cli.json_output import print_json
from arc_autoconfig.cli.options import json_option, wiring_options
from arc_autoconfig.cli.tables import print_rows
from arc_autoconfig.cli.wiring import built_application
from arc_autoconfig.settings.inventory import settings_of

__all__ = ["config"]


@click.command()
@json_option
@wiring_options
@click.pass_context
def config(ctx: click.Context, *, as_json: bool) -> None:
    """Show every setting, and where its value came from.

    Secrets are masked. The sections of plugins are shown as their components read them.
    """
    app, problem = built_application(ctx)
    settings = settings_of(app.settings, app.plugin_sections)
    if as_json:
        print_json([asdict(setting) for setting in settings])
    else:
        rows = [(each.key, _text(each.value), each.origin) for each in settings]
        print_rows(("Setting", "Value", "From"), rows)
    if problem is not None:
        raise problem


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
