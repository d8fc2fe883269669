"""`arc conditions`: what is wired, and why."""

import click

from arc_autoconfig.cli.json_output import print_json
from arc_autoconfig.cli.options import json_option, wiring_options
from arc_autoconfig.cli.report_tables import table_of_decisions
from arc_autoconfig.cli.tables import print_table
from arc_autoconfig.cli.wiring import loaded_application

__all__ = ["conditions"]


@click.command()
@json_option
@wiring_options
@click.pass_context
def conditions(ctx: click.Context, *, as_json: bool) -> None:
    """Show what is wired, and why."""
    app, problem = loaded_application(ctx)
    app.arrange()
    report = app.report
    if as_json:
        print_json(report.to_dict()["decisions"])
    else:
        print_table(table_of_decisions(report))
    if problem is not None:
        raise problem
