"""`arc runs`: the runs that journals in a database keep, and what people decide about them."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.commands.runs.decisions import (
    answer,
    approve,
    deny,
    list_waiting,
    make_request_form,
)
from arc_autoconfig.cli.failures import RunFailure
from arc_autoconfig.cli.kept_runs import ask_journals, ask_run, cannot, resolve_run_id
from arc_autoconfig.cli.options import report_options, wiring_options
from arc_autoconfig.cli.output.json_output import (
    print_form,
    print_json,
    print_json_text,
    reserve_stdout,
)
from arc_autoconfig.cli.output.run_view import RunView, describe_request, get_exit_code, lines_about
from arc_autoconfig.cli.output.tables import print_report, print_rows
from arc_autoconfig.visible_text import visible
from arc_core.forms import to_json
from arc_core.recordings import Timeline, TimelineStep
from arc_core.result import AgentResult
from arc_core.runs.journal import RunHistory
from arc_core.runs.store import Capability, RunState, RunStore, RunSummary, Waiting
from arc_core.usage import TokenUsage

_KEYS = (
    "run_id", "state", "agent", "user_id", "tenant_id", "queue", "since", "finished_at",
    "error_code", "layout", "requests", "problem",
)  # fmt: skip
_COLUMNS = ("Run", "State", "Agent", "User", "Queue", "Since", "What of it")
_STEP_COLUMNS = ("Step", "Turn", "Of", "Took", "Tokens", "Cached", "Cost", "Outcome")
_RUN = click.argument("run_id", metavar="ID")


@click.group()
@wiring_options
def runs() -> None:
    """See to runs that are kept in a database."""


@runs.command("list")
@click.option("--state", type=click.Choice([each.value for each in RunState]), help="Only those.")
@click.option("--limit", type=click.IntRange(min=1), default=50, help="At most so many; 50.")
@report_options
def _list(ctx: click.Context, *, state: str | None, limit: int, as_json: bool) -> None:
    """Show the newest runs."""
    layouts: list[str] = []

    async def ask(app: Application) -> list[RunSummary]:
        journals = app.component(RunStore)
        if Capability.LISTS not in journals.capabilities:
            raise cannot(journals, "list runs")
        layouts.append(journals.layout)
        wanted = None if state is None else RunState(state)
        return [*await journals.list(state=wanted, limit=limit)]

    found = ask_journals(ctx, ask)
    form, rows = [_entry(each) for each in found], [_row(each, layouts[0]) for each in found]
    print_report(form, _COLUMNS, rows, as_json=as_json)


@runs.command("show")
@_RUN
@click.option("--steps", is_flag=True, help="A line for each step that is recorded.")
@click.option("--step", metavar="KEY", help="One step whole, as JSON, such as model/3.")
@report_options
def _show(ctx: click.Context, *, run_id: str, steps: bool, step: str | None, as_json: bool) -> None:
    """Show where a run is, or how it has ended.

    Secrets and personal data in its steps are masked.
    """
    if steps and step is not None:
        raise click.UsageError("write --steps for all, or --step for one")
    if step is not None:
        _show_step(ctx, run_id, step)
    elif steps:
        _show_steps(ctx, run_id, as_json=as_json)
    else:
        _show_state(ctx, run_id, as_json=as_json)


def _show_state(ctx: click.Context, run_id: str, *, as_json: bool) -> None:

    async def ask(
        app: Application, known_as: str
    ) -> tuple[AgentResult[Any] | Waiting, RunHistory | None]:
        return await app.result(known_as), await app.component(RunStore).history(known_as)

    found, history = ask_run(ctx, run_id, ask)
    if as_json:
        print_json({**_end(found), **_history_form(history)})
    elif isinstance(found, Waiting):
        click.echo(found.state.value)
        if found.problem:
            click.echo(visible(found.problem))
        for line in lines_about(found.requests):
            click.echo(visible(line, one_line=True))
    else:
        click.echo(visible(found.content or found.error_message or ""))
        if not found.success:
            click.secho(f"Error: {found.error_code}", err=True, fg="red")
    if history is not None and not as_json:
        _print_history(history)


@runs.command("cancel")
@_RUN
@wiring_options
@click.pass_context
def _cancel(ctx: click.Context, *, run_id: str) -> None:
    """End a run, wherever it is."""

    async def ask(app: Application, known_as: str) -> str:
        await app.cancel(known_as)
        return known_as

    _note(f"{ask_run(ctx, run_id, ask)}: it ends, unless it has ended already.")


@runs.command("retry")
@_RUN
@wiring_options
@click.pass_context
def _retry(ctx: click.Context, *, run_id: str) -> None:
    """Take up a run that has failed, after its last finished step."""

    async def ask(app: Application, known_as: str) -> str:
        journals = app.component(RunStore)
        if Capability.RETRIES not in journals.capabilities:
            raise cannot(journals, "retry runs")
        await app.result(known_as)  # which refuses what cannot be an id
        await journals.retry(known_as)
        return known_as

    _note(f"{ask_run(ctx, run_id, ask)}: it is queued again.")


@runs.command("follow")
@_RUN
@click.option(
    "--after", metavar="SEQ", type=click.IntRange(min=0), default=0, help="The last one known."
)
@report_options
def _follow(ctx: click.Context, *, run_id: str, after: int, as_json: bool) -> None:
    """Read a run as it goes on, from the beginning. Leaving it does not end it."""

    async def ask(app: Application, known_as: str) -> AgentResult:
        view = RunView(run_id=known_as)
        async with app.attach(known_as, after=after) as run:
            async for event in run.events():
                if not as_json:
                    view.show(event)
            return await run.result()

    result = ask_run(ctx, run_id, ask)
    if as_json:
        print_form(result)
    ctx.exit(get_exit_code(result))


def _note(line: str) -> None:
    click.secho(visible(line), err=True, dim=True)


def _row(run: RunSummary, layout: str) -> tuple[str, ...]:
    of_it = "; ".join(describe_request(request) for request in run.requests)
    if run.problem:
        of_it = run.problem
    elif run.state is RunState.INCOMPATIBLE:
        of_it = f"its layout is {run.layout}, and this version has {layout}"
    elif run.error_code is not None:
        of_it = run.error_code.value
    since = run.since.isoformat(timespec="seconds")
    return run.run_id, run.state.value, run.agent, run.user_id, run.queue, since, of_it


def _entry(run: RunSummary) -> dict[str, Any]:
    entry = {name: getattr(run, name) for name in _KEYS}
    dates = {name: each.isoformat() for name, each in entry.items() if isinstance(each, datetime)}
    return {**entry, **dates, "requests": [make_request_form(request) for request in run.requests]}


def _end(found: AgentResult[Any] | Waiting) -> dict[str, Any]:
    if not isinstance(found, Waiting):
        state = RunState.FINISHED.value
        return {"state": state, "requests": [], "result": json.loads(to_json(found))}
    requests = [make_request_form(request) for request in found.requests]
    return {"state": found.state.value, "requests": requests, "result": None}


def _history_form(history: RunHistory | None) -> dict[str, Any]:
    if history is None:
        return {}
    steps = [{"key": each.key, "ended_at": each.ended_at.isoformat()} for each in history.steps]
    return {"attempts": history.attempts, "deaths": history.deaths, "steps": steps}


def _print_history(history: RunHistory) -> None:
    died = f", {history.deaths} processes died at its step" if history.deaths else ""
    click.echo(f"\nattempts: {history.attempts}{died}")
    rows = [(each.key, each.ended_at.isoformat()) for each in history.steps]
    if rows:
        print_rows(("Step", "Ended"), rows)


def _show_steps(ctx: click.Context, run_id: str, *, as_json: bool) -> None:
    """Print a line for each step of a run, and what they used together."""

    async def ask(app: Application, known_as: str) -> Timeline:
        return await (await app.records.find(known_as)).timeline()

    timeline = ask_run(ctx, run_id, ask)
    if as_json:
        print_json(timeline.to_dict())
        return
    print_rows(_STEP_COLUMNS, [*map(_step_row, timeline.steps), _sum_row(timeline)])
    if timeline.attempts > 1:
        click.echo(
            f"\nThe run was begun or taken over {timeline.attempts} times; "
            f"{timeline.deaths} processes have died at the step at which it is."
        )


def _show_step(ctx: click.Context, run_id: str, name: str) -> None:
    """Print one step of a run whole, as JSON."""

    async def ask(app: Application, known_as: str) -> tuple[str | None, tuple[str, ...]]:
        record = await app.records.find(known_as)
        return await record.step(name), record.names

    found, names = ask_run(ctx, run_id, ask)
    if found is None:
        raise RunFailure(f"The run has no step {name}; it has: {', '.join(names) or 'none'}.")
    click.echo(visible(found))


def _step_row(step: TimelineStep) -> tuple[str, ...]:
    of_it = ", ".join(step.calls) and f"calls {', '.join(step.calls)}"
    tried = f"{step.attempts} attempts" if step.attempts > 1 else ""
    return (
        step.name,
        str(step.turn or ""),
        step.label,
        "" if step.duration_s is None else f"{step.duration_s:.2f} s",
        *_tokens(step.usage, step.cached_share),
        _money(step.cost),
        "; ".join(filter(None, (step.outcome, of_it, tried, _attempt(step)))),
    )


def _attempt(step: TimelineStep) -> str:
    """Return who has taken the run over with a step; empty if it goes on."""
    if step.attempt <= 1:
        return ""
    by = step.worker and f" by {step.worker}"
    died = step.deaths and f", {step.deaths} processes have died before"
    return f"attempt {step.attempt}{by}{died or ''}"


def _sum_row(timeline: Timeline) -> tuple[str, ...]:
    usage = timeline.usage
    share = usage.cached_tokens / usage.prompt_tokens if usage.prompt_tokens else None
    turns = max((each.turn for each in timeline.steps if not each.place), default=0)
    return ("together", str(turns), "", "", *_tokens(usage, share), _money(timeline.cost), "")


def _tokens(usage: TokenUsage | None, share: float | None) -> tuple[str, str]:
    if usage is None:
        return "", ""
    return (
        f"{usage.prompt_tokens} + {usage.completion_tokens}",
        "" if share is None else f"{share:.0%}",
    )


def _money(cost: Decimal | None) -> str:
    return "" if cost is None else f"{cost.normalize():f}"


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


for _each in (list_waiting, approve, answer, deny, export):
    runs.add_command(_each)
