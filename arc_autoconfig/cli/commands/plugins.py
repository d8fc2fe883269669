"""`arc plugins`: which there are, and what became of them."""

import click

from arc_autoconfig.cli.options import json_option, wiring_options
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.report_tables import table_of_plugins
from arc_autoconfig.cli.output.tables import print_table
from arc_autoconfig.cli.wiring import checked_application

__all__ = ["plugins"]


@click.command()
@json_option
@wiring_options
@click.pass_context
def plugins(ctx: click.Context, *, as_json: bool) -> None:
    """Show the plugins, and what became of them."""
    app, problem = checked_application(ctx)
    report = app.report
    if as_json:
        print_json(report.to_dict()["plugins"])
    else:
        print_table(table_of_plugins(report))
    if problem is not None:
        raise problem
