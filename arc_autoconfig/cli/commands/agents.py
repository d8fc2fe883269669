"""`arc agents`: which there are."""

import click

from arc_autoconfig.cli.options import json_option, wiring_options
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.tables import print_rows
from arc_autoconfig.cli.wired_agents import find_entries
from arc_autoconfig.cli.wiring import loaded_application

__all__ = ["agents"]

_COLUMNS = (
    "Agent",
    "From",
    "Model",
    "Tools",
    "Asks",
    "Hands over to",
    "Answers with",
    "What it is for",
)


@click.command()
@json_option
@wiring_options
@click.pass_context
def agents(ctx: click.Context, *, as_json: bool) -> None:
    """Show the agents, and what is special about each."""
    app, problem = loaded_application(ctx)
    if problem is not None:
        raise problem
    entries = [each.to_dict() for each in find_entries(app)]
    if as_json:
        print_json(entries)
        return
    rows = [
        (
            each["name"],
            each["origin"],
            each["model"] or "",
            "all" if each["tools"] is None else ", ".join(each["tools"]) or "none",
            ", ".join(each["delegates"]),
            ", ".join(each["handoffs"]),
            each["output"] or "text",
            each["description"],
        )
        for each in entries
    ]
    print_rows(_COLUMNS, rows)
