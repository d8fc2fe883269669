"""`arc runs export`: recordings of runs, for tests, for replay, and for people who help."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.kept_runs import ask_journals, cannot, resolve_run_id
from arc_autoconfig.cli.options import wiring_options
from arc_autoconfig.cli.output.json_output import print_json_text, reserve_stdout
from arc_core.runs.store import Capability, RunStore

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_RAW = (
    "What people and tools said leaves as it is, with personal data and secrets. Export all of it?"
)


def _read_age(_ctx: click.Context, _option: click.Parameter, text: str | None) -> timedelta | None:
    """Read a time span such as `7d`."""
    if text is None:
        return None
    number, unit = text[:-1], _UNITS.get(text[-1:])
    if unit is None or not (number.isascii() and number.isdecimal()):
        raise click.BadParameter("write a number and m, h, d or w, as in 7d")
    try:
        return timedelta(**{unit: int(number)})
    except OverflowError:
        raise click.BadParameter("that is longer than there are runs") from None


@click.command("export")
@click.argument("run_ids", metavar="[ID]...", nargs=-1)
@click.option(
    "--since",
    "age",
    metavar="AGE",
    callback=_read_age,
    help="All runs begun since then, as in 30m, 12h, 7d.",
)
@click.option("--agent", metavar="NAME", help="All runs of this agent, or of those since then.")
@click.option("--raw", is_flag=True, help="Mask nothing; asks first.")
@click.option("--yes", is_flag=True, help="Answer the question of --raw.")
@wiring_options
@click.pass_context
def export(
    ctx: click.Context,
    *,
    run_ids: tuple[str, ...],
    age: timedelta | None,
    agent: str | None,
    raw: bool,
    yes: bool,
) -> None:
    """Write recordings of runs to standard output, a line each.

    Secrets and personal data are masked.
    """
    if not run_ids and age is None and agent is None:
        raise click.UsageError("name runs by their ids, or by --since or --agent")
    if raw and not yes:
        click.confirm(_RAW, abort=True, err=True)

    async def ask(app: Application) -> None:
        chosen = [await resolve_run_id(app, each) for each in run_ids]
        if age is not None or agent is not None:
            chosen += await _find_runs(app, age, agent)
        async for line in app.export(dict.fromkeys(chosen), raw=raw):
            print_json_text(line)

    with reserve_stdout(ctx):
        ask_journals(ctx, ask)


async def _find_runs(app: Application, age: timedelta | None, agent: str | None) -> Sequence[str]:
    """Return the ids of runs, oldest first."""
    store = app.component(RunStore)
    if Capability.LISTS not in store.capabilities:
        raise cannot(store, "list runs")
    begin = datetime.min.replace(tzinfo=UTC) if age is None else datetime.now(UTC) - age
    found = await store.list(limit=None)
    return [
        each.run_id
        for each in reversed(found)
        if each.since >= begin and agent in {None, each.agent}
    ]
