"""`arc serve`: an application behind HTTP."""

import asyncio
from typing import Any

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.ending import end_asked_for
from arc_autoconfig.cli.options import chosen_settings, model_options, wiring_options
from arc_autoconfig.cli.wiring import announce_model, application_for
from arc_autoconfig.runs.serves import import_server
from arc_autoconfig.visible_text import visible

__all__ = ["serve"]


@click.command()
@click.option("--host", metavar="ADDRESS", help="Where it listens; server.host if left out.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="On which port; server.port if left out."
)
@model_options
@wiring_options
@click.pass_context
def serve(ctx: click.Context, *, host: str | None, port: int | None) -> None:
    """Serve the application, with all its agents, over HTTP.

    It goes on until it is ended by Ctrl-C or SIGTERM, and lets runs end before it leaves. On any
    address but this machine's own it needs server.api_keys.
    """
    for key, value in (("server.host", host), ("server.port", port)):
        if value is not None:
            chosen_settings(ctx)[key] = value
    app = application_for(ctx)
    running = import_server("running")
    announce_model(app)
    asyncio.run(_serve(app, running))


async def _serve(app: Application, running: Any) -> None:
    with end_asked_for() as ending:
        await running.serve(app, ending=ending, tell=_tell)


def _tell(address: str) -> None:
    click.secho(visible(f"serves on {address}"), err=True)
