"""`arc replay`: recorded runs run again by today's wiring, and the first difference of each."""

import asyncio
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TextIO

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.failures import FAILED_RUN, RunFailure
from arc_autoconfig.cli.options import app_option, json_option, model_options, wiring_options
from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.cli.wiring import application_at
from arc_autoconfig.settings.inputs.variables import PROFILE_VARIABLE
from arc_autoconfig.visible_text import visible
from arc_core.recordings import read_recordings
from arc_core.replay import ReplayOutcome, ReplayVerdict
from arc_core.runs.journal import Recording

_GOOD = frozenset((ReplayVerdict.SAME, ReplayVerdict.ANSWERED, ReplayVerdict.NOTHING_TO_COMPARE))
_QUIET = frozenset((ReplayVerdict.SAME, ReplayVerdict.NOTHING_TO_COMPARE))


@contextmanager
def _active(profile: str) -> Iterator[None]:
    before = os.environ.get(PROFILE_VARIABLE)
    os.environ[PROFILE_VARIABLE] = profile
    try:
        yield
    finally:
        if before is None:
            del os.environ[PROFILE_VARIABLE]
        else:
            os.environ[PROFILE_VARIABLE] = before


def _activate_profile(ctx: click.Context, _option: click.Parameter, names: str | None) -> None:
    if names is not None:
        ctx.with_resource(_active(names))


@click.command()
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.File("r", encoding="utf-8")
)
@click.option("--strict", is_flag=True, help="Fail on differences of the wiring alone, too.")
@click.option("--live", is_flag=True, help="Ask the model again; tools answer from the recording.")
@click.option(
    "--instructions",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Take the system prompt of all runs from a file.",
)
@click.option("--deps", "case_deps", metavar="NAME", help="Have these deps made for each run.")
@click.option(
    "--profile",
    metavar="NAMES",
    expose_value=False,
    callback=_activate_profile,
    help="Lay profiles over the settings file.",
)
@app_option
@model_options
@json_option
@wiring_options
@click.pass_context
def replay(
    ctx: click.Context,
    /,
    *,
    files: tuple[TextIO, ...],
    strict: bool,
    instructions: Path | None,
    place: str | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Run recordings again, and show what has changed.

    The engine runs by today's wiring, without a model and without tools. Shows the first difference
    of each. The exit code is 1 if there is one.
    """
    app = application_at(ctx, place)
    recordings = _read(files, None if instructions is None else _read_text(instructions))
    report = _Report(as_json=as_json)
    asyncio.run(_replay(app, recordings, report, **how))
    report.finish()
    if report.has_failed or (strict and report.notes):
        ctx.exit(FAILED_RUN)


async def _replay(
    app: Application,
    recordings: Iterable[Recording],
    report: "_Report",
    *,
    case_deps: str | None,
    live: bool,
) -> None:
    async with app if live else nullcontext():
        async for outcome in app.replay(recordings, case_deps=case_deps, live=live):
            report.add(outcome)


def _read(files: Iterable[TextIO], system_prompt: str | None) -> Iterator[Recording]:
    for file in files:
        try:
            for recording in read_recordings(file, name=file.name):
                if system_prompt is None:
                    yield recording
                    continue
                command = recording.command.model_copy(update={"system_prompt": system_prompt})
                yield replace(recording, command=command)
        except UnicodeDecodeError:
            raise RunFailure(f"{file.name} is not a text in UTF-8.") from None


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text in UTF-8"
        raise RunFailure(f"{path} cannot be read: {reason}.") from None


class _Report:
    """Shows outcomes as they come, or all at the end as JSON."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._outcomes: list[dict[str, Any]] = []
        self._counts = Counter[ReplayVerdict]()
        self.notes: dict[str, None] = {}

    @property
    def has_failed(self) -> bool:
        """True if an outcome is not good."""
        return any(verdict not in _GOOD for verdict in self._counts)

    def add(self, outcome: ReplayOutcome) -> None:
        """Count an outcome, and show it if there is something to see."""
        self._counts[outcome.verdict] += 1
        self.notes |= dict.fromkeys(outcome.notes)
        if self._as_json:
            self._outcomes.append(asdict(outcome))
        elif outcome.verdict not in _QUIET:
            click.echo(visible(str(outcome)))
            diff = outcome.difference.diff if outcome.difference is not None else ""
            for line in diff.splitlines():
                click.echo(visible(f"    {line}", one_line=True))

    def finish(self) -> None:
        """Show the counts and the notes."""
        counts = {verdict.value: count for verdict, count in self._counts.items()}
        if self._as_json:
            print_json({"counts": counts, "notes": list(self.notes), "runs": self._outcomes})
            return
        for note in self.notes:
            click.secho(visible(f"note: {note}", one_line=True), err=True, dim=True)
        total = sum(counts.values())
        said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        click.echo(f"{total} {'run' if total == 1 else 'runs'}: {said or 'no recording'}")
