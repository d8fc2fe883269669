"""Nothing is measured before it is asked for."""

import pytest

from arc_autoconfig.testing import ApplicationRunner
from arc_core import AgentMetrics, ConfigurationError
from arc_plugins.metrics.open_telemetry.hook import OpenTelemetryHook

CHOICES = [
    ({}, "none", False),
    ({"telemetry.metrics": True}, "opentelemetry", False),
    ({"telemetry.traces": True}, "opentelemetry", True),
]


@pytest.mark.parametrize(("settings", "winner", "is_traced"), CHOICES)
def test_settings_decide(settings: dict[str, bool], winner: str, *, is_traced: bool) -> None:
    """Figures need the metrics alone, spans need the hook as well."""
    runner = ApplicationRunner().with_settings(settings)

    runner.check_winner(AgentMetrics, winner)
    hooks = runner.run(lambda app: [type(hook) for hook in app.container.hooks()])

    assert (OpenTelemetryHook in hooks) is is_traced


def test_telemetry_without_its_libraries_stops_the_start() -> None:
    """With what brings them."""
    runner = ApplicationRunner().with_settings({"telemetry.metrics": True})

    with pytest.raises(ConfigurationError) as raised:
        runner.without_package("opentelemetry-sdk").run(lambda app: app.container.hooks())

    assert "arc-agents[otel]" in str(raised.value)
