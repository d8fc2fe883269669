"""Measures nothing: the default until a program wants figures."""

from arc_core import AgentMetrics, CacheLookup, FaultSource, ModelCallRecord, RunRecord, ToolOutcome


class NoAgentMetrics(AgentMetrics):
    """Forgets every record at once."""

    def record_run(self, record: RunRecord) -> None:
        """Forget it."""

    def record_model_call(self, record: ModelCallRecord) -> None:
        """Forget it."""

    def record_tool_call(self, name: str, duration_ms: float, outcome: ToolOutcome) -> None:
        """Forget it."""

    def record_cache_lookup(self, lookup: CacheLookup) -> None:
        """Forget it."""

    def record_fault(self, source: FaultSource) -> None:
        """Forget it."""
