"""`arc conditions`: what is wired, and why."""

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.options import json_option, wiring_options
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.report_tables import table_of_decisions
from arc_autoconfig.cli.output.tables import print_rows, print_table
from arc_autoconfig.cli.wired_agents import agent_option, find_entry
from arc_autoconfig.cli.wiring import loaded_application
from arc_autoconfig.explain.agents import list_choices

__all__ = ["conditions"]


@click.command()
@agent_option
@json_option
@wiring_options
@click.pass_context
def conditions(ctx: click.Context, *, agent: str | None, as_json: bool) -> None:
    """Show what is wired, and why.

    With --agent, show what holds for the runs of that agent, and who says so.
    """
    app, problem = loaded_application(ctx)
    if agent is not None:
        if problem is not None:
            raise problem
        _show_agent(app, agent, as_json=as_json)
        return
    app.arrange()
    report = app.report
    if as_json:
        print_json(report.to_dict()["decisions"])
    else:
        print_table(table_of_decisions(report))
    if problem is not None:
        raise problem


def _show_agent(app: Application, name: str, *, as_json: bool) -> None:
    choices = list(list_choices(find_entry(app, name), app.settings))
    if as_json:
        print_json([{"what": c.what, "value": c.value, "from": c.origin} for c in choices])
    else:
        rows = [(c.what, c.value, c.origin) for c in choices]
        print_rows(("", "Value", "From"), rows, folded=("Value",))
