"""`arc serve` and `arc worker`: processes that serve, or run what was submitted, until an end."""

import asyncio
from contextlib import nullcontext
from functools import partial
from typing import Any

import click

from arc_autoconfig.application import Application, import_server
from arc_autoconfig.cli.kept_runs import cannot
from arc_autoconfig.cli.options import model_options, program_argument, wiring_options
from arc_autoconfig.cli.signals import end_asked_for
from arc_autoconfig.cli.wiring import announce_model, application_at
from arc_autoconfig.visible_text import visible
from arc_core.interfaces.serving.surface import ServesWorkers
from arc_core.runs.store import Capability, RunStore


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
        await running.serve(
            app,
            ending=ending,
            tell=lambda place: click.echo(visible(f"serves on {place}"), err=True),
            address=address,
        )


@click.command()
@program_argument
@click.option(
    "--queue",
    "queues",
    metavar="NAME",
    multiple=True,
    default=("default",),
    help="Whose runs it takes; may be repeated. The default is `default`.",
)
@click.option("--host", metavar="ADDRESS", help="Where --port is; server.host if left out.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Serve health and metrics on this port; nothing is served if left out.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    help="So many runs of one queue at the same time; durable.max_running if left out.",
)
@model_options
@wiring_options
@click.pass_context
def worker(
    ctx: click.Context,
    *,
    place: str | None,
    host: str | None,
    port: int | None,
    queues: tuple[str, ...],
    concurrency: int | None,
) -> None:
    """Run what was submitted.

    APP is the place of an Application that a program makes, or of a function that makes one, as in
    `shop:app`; without it, the settings describe the application.

    It goes on until it is ended by Ctrl-C or SIGTERM. Then it lets go of its runs, and other
    workers go on with them.
    """
    if host is not None and port is None:
        raise click.UsageError("--host says where --port listens; give --port, too")
    app = application_at(ctx, place)
    journals = app.component(RunStore)
    if journals is not None and Capability.QUEUES in journals.capabilities:
        journals.work_on(queues, concurrency=concurrency)
    elif journals is not None:  # without any, the start says what is missing
        raise cannot(journals, "share work")
    announce_model(app)
    address = None if port is None else (host or app.settings.server.host, port)
    asyncio.run(_work(app, queues, address))


async def _work(app: Application, queues: tuple[str, ...], address: tuple[str, int] | None) -> None:
    running = import_server("running") if address else None
    listening = running.listen(app, *address) if running and address else nullcontext()
    with end_asked_for() as ending, listening as listener:
        async with app:
            _tell(f"works on {', '.join(queues)}")
            if running is None:
                await ending.wait()
            else:
                tell = partial(_tell, "serves health and metrics on ")
                await running.serve_until_end(
                    app, listener, ending=ending, tell=tell, kind=ServesWorkers
                )
            _tell("lets go of its runs")


def _tell(*words: str) -> None:
    click.secho(visible("".join(words)), err=True, dim=True)
