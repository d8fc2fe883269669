"""Reports as tables."""

from arc_autoconfig import Application
from tests.arc_autoconfig.cli.invoking import invoke


def test_every_decision_has_a_row() -> None:
    """Every place, every winner and every loser; a place without a winner says so."""
    report = Application().report

    printed = invoke("conditions").stdout

    assert all(decision.place.name in printed for decision in report.decisions)
    assert all(each.name in printed for decision in report.decisions for each in decision.winners)
    assert all(
        f"not {each.candidate.name}" in printed
        for decision in report.decisions
        for each in decision.losers
    )
    assert "none" in printed


def test_every_plugin_has_a_row() -> None:
    """One line each, so that `grep` finds all of it."""
    report = Application().report

    lines = invoke("plugins").stdout.splitlines()

    assert len([line for line in lines if "arc-agents" in line]) == len(report.plugins)
