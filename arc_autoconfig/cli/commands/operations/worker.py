"""`arc worker`: a process that runs what others have submitted."""

import asyncio

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.kept_runs import cannot
from arc_autoconfig.cli.options import model_options, program_argument, wiring_options
from arc_autoconfig.cli.program import application_at
from arc_autoconfig.cli.signals import end_asked_for
from arc_autoconfig.cli.wiring import announce_model
from arc_autoconfig.visible_text import visible
from arc_core.runs.store import Capability, RunStore


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
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    help="So many runs of one queue at the same time; durable.max_running if left out.",
)
@model_options
@wiring_options
@click.pass_context
def worker(
    ctx: click.Context, *, place: str | None, queues: tuple[str, ...], concurrency: int | None
) -> None:
    """Run what was submitted.

    APP is the place of an Application that a program makes, or of a function that makes one, as in
    `shop:app`; without it, the settings describe the application.

    It goes on until it is ended by Ctrl-C or SIGTERM. Then it lets go of its runs, and other
    workers go on with them.
    """
    app = application_at(ctx, place)
    journals = app.component(RunStore)
    if journals is not None and Capability.QUEUES in journals.capabilities:
        journals.work_on(queues, concurrency=concurrency)
    elif journals is not None:  # without any, the start says what is missing
        raise cannot(journals, "share work")
    announce_model(app)
    asyncio.run(_work(app, queues))


async def _work(app: Application, queues: tuple[str, ...]) -> None:
    with end_asked_for() as ending:
        async with app:
            click.secho(visible(f"works on {', '.join(queues)}"), err=True, dim=True)
            await ending.wait()
            click.secho("lets go of its runs", err=True, dim=True)
