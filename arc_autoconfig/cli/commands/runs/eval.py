"""`arc eval`: agents tried on cases until the verdict is clear."""

import asyncio
import json
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.failures import FAILED_RUN, RunFailure
from arc_autoconfig.cli.options import app_option, json_option, model_options, wiring_options
from arc_autoconfig.cli.output.json_output import print_json_text
from arc_autoconfig.cli.output.progress import ProgressLine
from arc_autoconfig.cli.output.tables import print_rows, text_cell
from arc_autoconfig.cli.wiring import announce_model, application_at
from arc_autoconfig.visible_text import visible
from arc_core.errors import ConfigurationError
from arc_core.evaluation.case_files import CaseSet, read_case_sets, write_cases
from arc_core.evaluation.evaluation import DEFAULT_TRIALS, EvalQuestion, evaluate
from arc_core.evaluation.report import CaseReport, EvalReport, RateChange, compare
from arc_core.evaluation.sequential import MAX_TRIALS, EvalVerdict
from arc_core.recordings import read_recordings

CANNOT_TELL = 3
"""The exit code if there is neither a failure nor a verdict about every case."""

_COLOURS = {
    EvalVerdict.PASSES: "green",
    EvalVerdict.FAILS: "red",
    EvalVerdict.CANNOT_TELL: "yellow",
}
_COLUMNS = ("case", "verdict", "passed", "pass rate", "required", "cost", "why")


def _read_money(_ctx: click.Context, _option: click.Parameter, text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        money = Decimal(text)
    except InvalidOperation:
        money = Decimal("NaN")
    if not (money.is_finite() and money > 0):
        raise click.BadParameter("write a number above 0, as in 0.50")
    return money


def _read_share(_ctx: click.Context, _option: click.Parameter, share: float) -> float:
    if not 0 < share < 1:
        raise click.BadParameter("write a number above 0 and below 1, as in 0.95")
    return share


def _write_recorded_cases(ctx: click.Context, _option: click.Parameter, file: Any) -> None:
    """Write the cases of recordings, and end the command."""
    if file is None:
        return
    with file:
        table = write_cases(read_recordings(file, name=file.name))
    if not table["cases"]:
        raise RunFailure(f"{file.name} has no recording.")
    print_json_text(json.dumps(table, ensure_ascii=False, indent=2))
    ctx.exit()


@click.command("eval")
@click.argument("cases", metavar="[CASES]...", nargs=-1)
@click.option(
    "--from-recording",
    metavar="FILE",
    type=click.File(encoding="utf-8"),
    is_eager=True,
    expose_value=False,
    callback=_write_recorded_cases,
    help="Write the cases of recordings as JSON, and try nothing.",
)
@click.option(
    "--trials",
    type=click.IntRange(1, MAX_TRIALS),
    default=DEFAULT_TRIALS,
    show_default=True,
    help="At most so many of each case; fewer if the verdict is clear before.",
)
@click.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    callback=_read_share,
    help="Of each verdict.",
)
@click.option(
    "--budget",
    metavar="MONEY",
    callback=_read_money,
    help="Spend at most this, at the prices of the models.",
)
@click.option(
    "--against",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Compare with an earlier report, as --json writes it.",
)
@click.option(
    "--junit",
    metavar="FILE",
    type=click.File("w", encoding="utf-8", lazy=True),
    help="Write the report for a build server, too.",
)
@app_option
@json_option
@model_options
@wiring_options
@click.pass_context
def eval(
    ctx: click.Context,
    /,
    *,
    cases: tuple[str, ...],
    against: Path | None,
    junit: Any,
    place: str | None,
    as_json: bool,
    **extent: Any,
) -> None:
    """Try agents on cases, until the verdict about each is clear.

    CASES are files of TOML or JSON, or folders of such files. Ends with 0 if all pass, 1 if one
    fails or is worse than before, 3 if it cannot tell.
    """
    if not cases:
        raise click.UsageError("name files or folders of cases")
    before = None if against is None else EvalReport.from_json(_read(against), name=str(against))
    report = _evaluate(application_at(ctx, place), read_case_sets(cases), extent)
    changes = () if before is None else compare(before, report)
    regressions = frozenset(each.name for each in changes if each.change is RateChange.REGRESSION)
    if junit is not None:
        junit.write(_write_junit(report, regressions))
    if as_json:
        print_json_text(report.to_json())
    else:
        _print_table(report)
    for each in changes:
        shares = f"{_rate(each.before)} before, {_rate(each.after)} now"
        click.echo(visible(f"{each.name}: {each.change} ({shares})", one_line=True), err=True)
    ctx.exit(_get_exit_code(report, regressions))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"{file} cannot be read",
            evidence=[error.strerror or type(error).__name__],
            remedy="name a report that arc eval --json has written",
        ) from error


def _evaluate(app: Application, sets: Sequence[CaseSet], extent: dict[str, Any]) -> EvalReport:
    announce_model(app)
    bar = _TrialsLine()

    async def evaluate_open() -> EvalReport:
        async with app:
            return await evaluate(app, sets, on_progress=bar.show, **extent)

    try:
        return asyncio.run(evaluate_open())
    finally:
        bar.close()


class _TrialsLine(ProgressLine):
    """The trials so far."""

    def __init__(self) -> None:
        super().__init__()
        self._questions: dict[str, EvalQuestion] = {}

    def show(self, question: EvalQuestion) -> None:
        """Write the line anew."""
        self._questions[question.name] = question
        trials = sum(len(each.trials) for each in self._questions.values())
        done = sum(each.is_done for each in self._questions.values())
        text = f"{trials} trials, {done} cases done; {question.name[:30]}"
        self.write(len(question.trials), question.test.max_trials, text)


def _print_table(report: EvalReport) -> None:
    print_rows(_COLUMNS, [_make_row(each) for each in report.cases])
    for each in report.cases:
        if each.verdict is not EvalVerdict.PASSES:
            for problem in each.problems:
                click.echo(visible(f"{each.name}: {problem}", one_line=True))


def _make_row(case: CaseReport) -> list[Any]:
    return [
        text_cell(case.name),
        text_cell(case.verdict, _COLOURS[case.verdict]),
        f"{case.passed}/{case.trials}",
        f"{case.low:.0%} to {case.high:.0%}",
        f"{case.required:g}",
        f"{case.cost:f}" if case.cost else "",
        text_cell(case.why),
    ]


def _rate(share: float | None) -> str:
    return "no trials" if share is None else f"{share:.0%}"


def _get_exit_code(report: EvalReport, regressions: frozenset[str]) -> int:
    if regressions or report.verdict is EvalVerdict.FAILS:
        return FAILED_RUN
    return CANNOT_TELL if report.verdict is EvalVerdict.CANNOT_TELL else 0


_ELEMENTS = {EvalVerdict.FAILS: "failure", EvalVerdict.CANNOT_TELL: "error"}


def _write_junit(report: EvalReport, regressions: frozenset[str]) -> str:
    """Return the report as XML for build servers; a case that cannot tell is an error."""
    from xml.etree import ElementTree as ET

    elements = {
        each.name: ("failure" if each.name in regressions else _ELEMENTS.get(each.verdict))
        for each in report.cases
    }
    counts = list(elements.values())
    suite = ET.Element(
        "testsuite",
        name="arc eval",
        tests=str(len(report.cases)),
        failures=str(counts.count("failure")),
        errors=str(counts.count("error")),
    )
    for case in report.cases:
        name = visible(case.name, one_line=True)
        node = ET.SubElement(suite, "testcase", classname="arc.eval", name=name)
        if element := elements[case.name]:
            message = "it is worse than before" if case.name in regressions else case.why
            text = visible(str(EvalReport(cases=(case,))))
            ET.SubElement(node, element, message=message or case.verdict).text = text
    return ET.tostring(suite, encoding="unicode", xml_declaration=True)
