"""Measures nothing: the default until a program wants figures."""

from arc_core import AgentMetrics


class NoAgentMetrics(AgentMetrics):
    """Leaves every record where it is."""
