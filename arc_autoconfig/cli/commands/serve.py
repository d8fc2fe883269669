"""`arc serve`: an application behind HTTP."""

import asyncio
from typing import Any

import click

from arc_autoconfig.application import Application, import_server
from arc_autoconfig.cli.options import model_options, program_argument, wiring_options
from arc_autoconfig.cli.signals import end_asked_for
from arc_autoconfig.cli.wiring import announce_model, application_at
from arc_autoconfig.visible_text import visible


@click.command()
@program_argument
@click.option("--host", metavar="ADDRESS", help="Where it listens; server.host if left out.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="On which port; server.port if left out."
)
@model_options
@wiring_options
@click.pass_context
def serve(ctx: click.Context, *, place: str | None, host: str | None, port: int | None) -> None:
    """Serve the application, with all its agents, over HTTP.

    APP is the place of an Application that a program makes, or of a function that makes one, as in
    `shop:app`; without it, the settings describe the application.

    It goes on until it is ended by Ctrl-C or SIGTERM, and lets runs end before it leaves. On any
    address but this machine's own it needs server.api_keys.
    """
    app = application_at(ctx, place)
    running = import_server("running")
    announce_model(app)
    server = app.settings.server
    address = (server.host if host is None else host, server.port if port is None else port)
    asyncio.run(_serve(app, running, address))


async def _serve(app: Application, running: Any, address: tuple[str, int]) -> None:
    with end_asked_for() as ending:
        await running.serve(app, ending=ending, tell=_tell, address=address)


def _tell(address: str) -> None:
    click.secho(visible(f"serves on {address}"), err=True)
