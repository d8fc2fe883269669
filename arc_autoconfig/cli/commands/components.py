"""`arc components`: the components as they are built, and what each is built with."""

from collections.abc import Sequence

import click

from arc_autoconfig.cli.options import json_option, wiring_options
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.tables import print_rows
from arc_autoconfig.cli.wiring import application_for
from arc_autoconfig.explain.views import components_view
from arc_autoconfig.explain.wired import WiredComponent, mermaid
from arc_autoconfig.visible_text import visible

__all__ = ["components"]


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
        print_rows(("Place", "Component", "Type", "From", "Order", "Built with"), _rows(built))


def _rows(built: Sequence[WiredComponent]) -> list[tuple[str, ...]]:
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
