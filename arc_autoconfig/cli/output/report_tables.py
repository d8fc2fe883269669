"""Reports as tables, for people."""

from rich.table import Table
from rich.text import Text

from arc_autoconfig.cli.output.tables import empty_table, text_cell
from arc_autoconfig.decide.decisions import WiringDecision
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.plugins import Plugin, PluginState
from arc_autoconfig.explain.report import ConditionReport

__all__ = ["table_of_decisions", "table_of_plugins"]

_STYLES = {
    PluginState.LOADED: "green",
    PluginState.DISABLED: "dim",
    PluginState.NOT_ENABLED: "dim",
    PluginState.BROKEN: "red",
    PluginState.QUARANTINED: "red",
}


def table_of_decisions(report: ConditionReport) -> Table:
    """Per slot and contribution who is wired and who is not, each with its reason."""
    table = empty_table("Slot", "Component", "From", "Why")
    for decision in report.decisions:
        _add_decision(table, decision)
    return table


def table_of_plugins(report: ConditionReport) -> Table:
    """Per plugin where it comes from, what it brought, and what became of it."""
    table = empty_table(
        "Plugin", "From", "State", "Brought", "Loaded in", folded=("State", "Brought")
    )
    for plugin in report.plugins:
        _add_plugin(table, plugin)
    return table


def _add_decision(table: Table, decision: WiringDecision) -> None:
    place = decision.place.name
    for winner in decision.winners:
        table.add_row(
            place,
            text_cell(winner.name, "green"),
            _origin(winner),
            text_cell(decision.reason_for(winner)),
        )
        place = ""
    if not decision.winners:
        table.add_row(place, *_no_winner(decision))
    for wrapper in decision.wrappers:
        name, reason = text_cell(f"wrapped by {wrapper.name}", "cyan"), decision.reason_for(wrapper)
        table.add_row("", name, _origin(wrapper), text_cell(reason))
    for entry in decision.entries:
        name, reason = text_cell(f"by name {entry.name}", "green"), decision.reason_for(entry)
        table.add_row("", name, _origin(entry), text_cell(reason))
    for loser in decision.listed_losers:
        name = text_cell(f"not {loser.candidate.name}", "dim")
        table.add_row("", name, _origin(loser.candidate, "dim"), text_cell(loser.reason, "dim"))


def _no_winner(decision: WiringDecision) -> tuple[Text, str, str]:
    if decision.problem is None:
        return text_cell("none", "dim"), "", ""
    return text_cell("undecided", "red"), "", decision.problem.remedy


def _add_plugin(table: Table, plugin: Plugin) -> None:
    origin = f"{plugin.distribution} {plugin.version}" if plugin.distribution else "plugins.load"
    state = f"{plugin.state}: {plugin.cause}" if plugin.cause else plugin.state.value
    table.add_row(
        text_cell(plugin.known_as),
        text_cell(origin),
        text_cell(state, _STYLES[plugin.state]),
        text_cell(", ".join(plugin.brought)),
        f"{plugin.load_ms:.1f} ms" if plugin.load_ms else "",
    )


def _origin(candidate: Candidate, style: str = "") -> Text:
    return text_cell(str(candidate.origin), style)
