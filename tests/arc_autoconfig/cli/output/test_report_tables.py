"""Reports as tables."""

import pytest

from arc_autoconfig import Application
from arc_autoconfig.cli.output.report_tables import table_of_decisions, table_of_plugins
from arc_autoconfig.cli.output.tables import print_table


def test_every_decision_has_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    """Every place, every winner and every loser; a place without a winner says so."""
    report = Application().report

    print_table(table_of_decisions(report))

    printed = capsys.readouterr().out
    assert all(decision.place.name in printed for decision in report.decisions)
    assert all(each.name in printed for decision in report.decisions for each in decision.winners)
    assert all(
        f"not {each.candidate.name}" in printed
        for decision in report.decisions
        for each in decision.losers
    )
    assert "none" in printed


def test_every_plugin_has_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    """One line each, so that `grep` finds all of it."""
    report = Application().report

    print_table(table_of_plugins(report))

    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if "arc-agents" in line]) == len(report.plugins)
