"""Nothing is measured."""

from arc_core import AgentMetrics, CacheLookup, FaultSource, RunRecord, ToolOutcome
from arc_plugins.metrics.no_agent_metrics import NoAgentMetrics


def test_every_record_is_accepted() -> None:
    """It takes whatever the engine records."""
    metrics = NoAgentMetrics()

    metrics.record_run(
        RunRecord(streaming=False, error_code=None, duration_ms=1.0, token_usage=None)
    )
    metrics.record_tool_call("tool", 1.0, ToolOutcome.SUCCESS)
    metrics.record_cache_lookup(CacheLookup.MISS)
    metrics.record_fault(FaultSource.HOOK)

    assert isinstance(metrics, AgentMetrics)
