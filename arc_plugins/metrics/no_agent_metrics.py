"""Measures nothing: the default until somebody wants to know."""

from arc_core import AgentMetrics

__all__ = ["NoAgentMetrics"]


class NoAgentMetrics(AgentMetrics):
    """Forgets every record at once."""
