"""The steps of a run as `arc runs show` prints them: a line each, or one of them whole."""

from decimal import Decimal

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.failures import RunFailure
from arc_autoconfig.cli.kept_runs import ask_run
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.output.tables import print_rows
from arc_autoconfig.visible_text import visible
from arc_core.recordings import Timeline, TimelineStep
from arc_core.usage import TokenUsage

_COLUMNS = ("Step", "Turn", "Of", "Took", "Tokens", "Cached", "Cost", "Outcome")


def show_steps(ctx: click.Context, run_id: str, *, as_json: bool) -> None:
    """Print a line for each step of a run, and what they used together."""

    async def ask(app: Application, known_as: str) -> Timeline:
        return await (await app.records.find(known_as)).timeline()

    timeline = ask_run(ctx, run_id, ask)
    if as_json:
        print_json(timeline.to_dict())
        return
    print_rows(_COLUMNS, [*map(_row, timeline.steps), _sum_row(timeline)])
    if timeline.attempts > 1:
        click.echo(
            f"\nThe run was begun or taken over {timeline.attempts} times; "
            f"{timeline.deaths} processes have died at the step at which it is."
        )


def show_step(ctx: click.Context, run_id: str, name: str) -> None:
    """Print one step of a run whole, as JSON."""

    async def ask(app: Application, known_as: str) -> tuple[str | None, tuple[str, ...]]:
        record = await app.records.find(known_as)
        return await record.step(name), record.names

    found, names = ask_run(ctx, run_id, ask)
    if found is None:
        raise RunFailure(f"The run has no step {name}; it has: {', '.join(names) or 'none'}.")
    click.echo(visible(found))


def _row(step: TimelineStep) -> tuple[str, ...]:
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
