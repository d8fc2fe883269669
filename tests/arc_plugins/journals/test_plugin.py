"""Which journals are wired."""

from arc_core.runs.store import RunStore
from arc_plugins.journals import plugin
from tests.arc_plugins.registrations import registrations_of
from tests.arc_plugins.wired import wired


def test_runs_are_in_memory_by_default() -> None:
    """A database has to be asked for."""
    assert wired(RunStore).winners == ["in_memory"]


def test_the_setting_moves_runs_to_a_database() -> None:
    """Its libraries must be installed."""
    assert str(registrations_of(plugin)["sql"].condition) == (
        "setting durable.enabled is set "
        'and package croniter>=6.2.4 is installed (pip install "arc-agents[durable]") '
        'and package sqlalchemy>=2.1.9 is installed (pip install "arc-agents[durable]")'
    )
