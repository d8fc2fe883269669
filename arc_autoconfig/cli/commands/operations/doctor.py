"""`arc doctor`: checks that a start cannot do."""

import asyncio
from dataclasses import asdict

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.failures import FAILED_RUN
from arc_autoconfig.cli.options import json_option, model_options, wiring_options
from arc_autoconfig.cli.output.tables import Cell, print_report, text_cell
from arc_autoconfig.cli.wiring import application_for
from arc_autoconfig.explain.health import HealthFinding, quarantine_findings
from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.text.addresses import mask_addresses

_STYLES = {
    HealthStatus.OK: "green",
    HealthStatus.SKIPPED: "dim",
    HealthStatus.WARNING: "yellow",
    HealthStatus.ERROR: "red",
}


@click.command()
@json_option
@model_options
@wiring_options
@click.pass_context
def doctor(ctx: click.Context, *, as_json: bool) -> None:
    """Check what shows only once it runs.

    The model answers, the store is writable, and whatever else components can say of themselves.
    One small question goes to the model. Ends with 1 where something does not work.
    """
    findings = asyncio.run(_examine(application_for(ctx)))
    form = [{"subject": each.subject, **asdict(each.health)} for each in findings]
    columns = ("Check", "Status", "Found", "What to do")
    print_report(form, columns, map(_row, findings), as_json=as_json, folded=columns[2:])
    if any(finding.health.status is HealthStatus.ERROR for finding in findings):
        ctx.exit(FAILED_RUN)


async def _examine(app: Application) -> tuple[HealthFinding, ...]:
    """Start it, ask it how it is, and close it; a start that fails is a finding as well."""
    try:
        async with app:
            count = len(app.build())
            start = _start(HealthStatus.OK, f"{count} components are built and started")
            return (start, *await app.health())
    except ConfigurationError as error:
        summary = mask_addresses("; ".join([error.description, *error.evidence]))
        start = _start(HealthStatus.ERROR, summary, error.remedy)
        return (start, *quarantine_findings(app.report.plugins))


def _start(status: HealthStatus, summary: str, remedy: str | None = None) -> HealthFinding:
    health = Health(status=status, summary=summary, remedy=remedy)
    return HealthFinding(subject="start", health=health)


def _row(finding: HealthFinding) -> tuple[str | Cell, ...]:
    health = finding.health
    status = text_cell(health.status.value, _STYLES[health.status])
    return finding.subject, status, health.summary, health.remedy or ""
