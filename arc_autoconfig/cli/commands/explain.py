"""`arc conditions`, `components`, `agents`, `plugins` and `doctor`: what is wired, why, and how."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import click

from arc_autoconfig.application import Application
from arc_autoconfig.cli.failures import FAILED_RUN
from arc_autoconfig.cli.options import (
    agent_option,
    json_option,
    model_options,
    report_options,
    wiring_options,
)
from arc_autoconfig.cli.output.tables import Cell, print_report, text_cell
from arc_autoconfig.cli.wiring import application_for, try_application
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.plugins import Plugin, PluginState
from arc_autoconfig.errors import UnknownNameError
from arc_autoconfig.explain.agents import AgentEntry, agent_entries, list_choices
from arc_autoconfig.explain.health import HealthFinding, quarantine_findings
from arc_autoconfig.explain.report import ConditionReport
from arc_autoconfig.explain.wired import WiredComponent, components_view, mermaid
from arc_autoconfig.visible_text import visible
from arc_core.agents.agent import Agent
from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.text.addresses import mask_addresses

_AGENT_COLUMNS = (
    "Agent", "From", "Model", "Tools", "Asks", "Hands over to", "Answers with", "What it is for",
)  # fmt: skip

_HEALTH_STYLES = {
    HealthStatus.OK: "green",
    HealthStatus.SKIPPED: "dim",
    HealthStatus.WARNING: "yellow",
    HealthStatus.ERROR: "red",
}

_STYLES = {
    PluginState.LOADED: "green",
    PluginState.DISABLED: "dim",
    PluginState.NOT_ENABLED: "dim",
    PluginState.BROKEN: "red",
    PluginState.QUARANTINED: "red",
}


@click.command()
@agent_option
@report_options
def conditions(ctx: click.Context, *, agent: str | None, as_json: bool) -> None:
    """Show what is wired, and why.

    With --agent, show what holds for the runs of that agent, and who says so.
    """
    app, problem = try_application(ctx, Application.load)
    if agent is not None:
        if problem is not None:
            raise problem
        _show_agent(app, agent, as_json=as_json)
        return
    app.arrange()
    report = app.report
    columns = ("Slot", "Component", "From", "Why")
    form = report.to_dict()["decisions"]
    print_report(form, columns, _decision_rows(report), as_json=as_json)
    if problem is not None:
        raise problem


def _show_agent(app: Application, name: str, *, as_json: bool) -> None:
    entries = {each.agent.name: each for each in _find_entries(app)}
    if name not in entries:
        raise UnknownNameError(setting="--agent", name=name, known=list(entries))
    choices = list(list_choices(entries[name], app.settings))
    form = [{"what": c.what, "value": c.value, "from": c.origin} for c in choices]
    rows = [(c.what, c.value, c.origin) for c in choices]
    print_report(form, ("", "Value", "From"), rows, as_json=as_json, folded=("Value",))


@click.command()
@json_option
@click.option("--graph", is_flag=True, help="Draw it, in Mermaid's language.")
@wiring_options
@click.pass_context
def components(ctx: click.Context, *, as_json: bool, graph: bool) -> None:
    """Show the components, and what each is built with.

    They are built, and not started.
    """
    built = application_for(ctx).build()
    if graph and not as_json:
        click.echo(visible(mermaid(built)))
        return
    columns = ("Place", "Component", "Type", "From", "Order", "Built with")
    print_report(components_view(built), columns, map(_component_row, built), as_json=as_json)


@click.command()
@report_options
def agents(ctx: click.Context, *, as_json: bool) -> None:
    """Show the agents, and what is special about each."""
    app = application_for(ctx)
    app.load()
    entries = [each.to_dict() for each in _find_entries(app)]
    print_report(entries, _AGENT_COLUMNS, map(_agent_row, entries), as_json=as_json)


@click.command()
@report_options
def plugins(ctx: click.Context, *, as_json: bool) -> None:
    """Show the plugins, and what became of them."""
    app, problem = try_application(ctx, Application.find_faults)
    report = app.report
    columns, rows = ("Plugin", "From", "State", "Brought", "Loaded in"), report.plugins
    print_report(
        report.to_dict()["plugins"],
        columns,
        map(_plugin_row, rows),
        as_json=as_json,
        folded=columns[2:4],
    )
    if problem is not None:
        raise problem


def _find_entries(app: Application) -> tuple[AgentEntry, ...]:
    """The agents of an application that is not started."""
    return agent_entries(app.agents(), app.report.decision(Agent))


def _decision_rows(report: ConditionReport) -> Iterator[tuple[str | Cell, ...]]:
    """Per slot and contribution the components that are wired and those that are not, and why."""
    for decision in report.decisions:
        place, problem = decision.place.name, decision.problem
        for winner in decision.winners:
            yield place, *_cells("", winner, decision.reason_for(winner), style="green")
            place = ""
        if problem is not None and not decision.winners:
            yield place, text_cell("undecided", "red"), "", problem.remedy
        elif not decision.winners:
            yield place, text_cell("none", "dim"), "", ""
        for wrapper in decision.wrappers:
            yield "", *_cells("wrapped by ", wrapper, decision.reason_for(wrapper), style="cyan")
        for entry in decision.entries:
            yield "", *_cells("by name ", entry, decision.reason_for(entry), style="green")
        for loser in decision.listed_losers:
            cells = f"not {loser.candidate.name}", str(loser.candidate.origin), loser.reason
            yield "", *(text_cell(cell, "dim") for cell in cells)


def _cells(role: str, candidate: Candidate, reason: str, *, style: str) -> tuple[str | Cell, ...]:
    return text_cell(f"{role}{candidate.name}", style), str(candidate.origin), reason


def _component_row(wired: WiredComponent) -> tuple[str, ...]:
    order = "" if wired.order is None else str(wired.order)
    return wired.place, wired.name, wired.type, wired.origin, order, ", ".join(wired.needs)


def _agent_row(agent: Mapping[str, Any]) -> tuple[str, ...]:
    tools = "all" if agent["tools"] is None else ", ".join(agent["tools"]) or "none"
    asks, hands_over_to = ", ".join(agent["delegates"]), ", ".join(agent["handoffs"])
    answers_with, model = agent["output"] or "text", agent["model"] or ""
    return (
        *(agent["name"], agent["origin"], model, tools),
        *(asks, hands_over_to, answers_with, agent["description"]),
    )


def _plugin_row(plugin: Plugin) -> tuple[str | Cell, ...]:
    origin = f"{plugin.distribution} {plugin.version}" if plugin.distribution else "plugins.load"
    state = f"{plugin.state}: {plugin.cause}" if plugin.cause else plugin.state.value
    load_time = f"{plugin.load_ms:.1f} ms" if plugin.load_ms else ""
    shown_state = text_cell(state, _STYLES[plugin.state])
    return plugin.known_as, origin, shown_state, ", ".join(plugin.brought), load_time


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
    print_report(form, columns, map(_finding_row, findings), as_json=as_json, folded=columns[2:])
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


def _finding_row(finding: HealthFinding) -> tuple[str | Cell, ...]:
    health = finding.health
    status = text_cell(health.status.value, _HEALTH_STYLES[health.status])
    return finding.subject, status, health.summary, health.remedy or ""
