"""Registers what measures: OpenTelemetry if a setting asks for it, else nothing.

Telemetry that is asked for without its libraries stops start-up: a user should not learn from an
outage that nothing was recorded.
"""

from arc_core import AgentMetrics, Hook, Registry, Surface, hookimpl
from arc_core.conditions import on_package, on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """Figures, spans, or both; and the page by which Prometheus reads the figures."""
    measured, traced = on_setting("telemetry.metrics"), on_setting("telemetry.traces")
    installed = on_package("opentelemetry-sdk>=1.45", install="arc-agents[otel]")
    registry.provide(
        AgentMetrics,
        "arc_plugins.metrics.open_telemetry.metrics:OpenTelemetryAgentMetrics",
        name="opentelemetry",
        condition=(measured | traced) & installed,
    )
    registry.contribute(
        Hook,
        "arc_plugins.metrics.open_telemetry.hook:OpenTelemetryHook",
        name="opentelemetry",
        condition=traced & installed,
    )
    registry.contribute(
        Surface,
        "arc_plugins.metrics.open_telemetry.surface:MetricsSurface",
        name="metrics",
        condition=measured
        & installed
        & on_package("opentelemetry-exporter-prometheus>=0.66b2", install="arc-agents[otel]")
        & on_package("starlette>=1.10", install="arc-agents[server]"),
    )
    registry.provide(
        AgentMetrics,
        "arc_plugins.metrics.no_agent_metrics:NoAgentMetrics",
        name="none",
        condition=~(measured | traced),
    )
