"""Metrics that record nothing do what all metrics must do."""

from arc_core import AgentMetrics
from arc_core.testing.conformance.agent_metrics import AgentMetricsConformance
from arc_plugins.metrics.no_agent_metrics import NoAgentMetrics


class TestConformance(AgentMetricsConformance):
    """Whatever is recorded is let through."""

    def make_metrics(self) -> AgentMetrics:
        return NoAgentMetrics()
