"""`arc conditions`, `components`, `agents` and `plugins`: what is wired, and why."""

from collections.abc import Sequence

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.options import json_option, wiring_options
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.report_tables import table_of_decisions, table_of_plugins
from arc_autoconfig.cli.output.tables import print_rows, print_table
from arc_autoconfig.cli.wired_agents import agent_option, find_entries, find_entry
from arc_autoconfig.cli.wiring import application_for, checked_application, loaded_application
from arc_autoconfig.explain.agents import list_choices
from arc_autoconfig.explain.wired import WiredComponent, components_view, mermaid
from arc_autoconfig.visible_text import visible

__all__ = ["agents", "components", "conditions", "plugins"]

_AGENT_COLUMNS = (
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


@click.command()
@json_option
@click.option("--graph", is_flag=True, help="Draw it, in Mermaid's language.")
@wiring_options
@click.pass_context
def components(ctx: click.Context, *, as_json: bool, graph: bool) -> None:
    """Show the components, and what each is built with.

    They are built, and not started.
    """
    built = application_for(ctx).build()
    if as_json:
        print_json(components_view(built))
    elif graph:
        click.echo(visible(mermaid(built)))
    else:
        print_rows(
            ("Place", "Component", "Type", "From", "Order", "Built with"), _component_rows(built)
        )


def _component_rows(built: Sequence[WiredComponent]) -> list[tuple[str, ...]]:
    return [
        (
            each.place,
            each.name,
            each.type,
            each.origin,
            "" if each.order is None else str(each.order),
            ", ".join(each.needs),
        )
        for each in built
    ]


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
    print_rows(_AGENT_COLUMNS, rows)


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
