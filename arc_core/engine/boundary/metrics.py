"""Metrics that cannot hurt a run."""

from functools import partial

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.agent_metrics import (
    AgentMetrics,
    CacheLookup,
    FaultSource,
    ModelCallRecord,
    RunRecord,
)
from arc_core.interfaces.counts_kept_runs import CountsKeptRuns
from arc_core.interfaces.error_message_resolver import ErrorMessageResolver
from arc_core.messages import ToolOutcome
from arc_core.runs.store import KeptRunCounts


class SafeMetrics(AgentMetrics, CountsKeptRuns):
    """Passes measurements on; what the metrics component raises is logged."""

    def __init__(self, metrics: AgentMetrics) -> None:
        self._metrics = metrics
        self._record = partial(Boundary().call_now, policies.AGENT_METRICS, metrics)

    def record_run(self, record: RunRecord) -> None:
        """Pass on."""
        self._record(self._metrics.record_run, record)

    def record_model_call(self, record: ModelCallRecord) -> None:
        """Pass on."""
        self._record(self._metrics.record_model_call, record)

    def record_tool_call(self, name: str, duration_ms: float, outcome: ToolOutcome) -> None:
        """Pass on."""
        self._record(self._metrics.record_tool_call, name, duration_ms, outcome)

    def record_cache_lookup(self, lookup: CacheLookup) -> None:
        """Pass on."""
        self._record(self._metrics.record_cache_lookup, lookup)

    def record_fault(self, source: FaultSource) -> None:
        """Pass on."""
        self._record(self._metrics.record_fault, source)

    def record_kept_runs(self, counts: KeptRunCounts) -> None:
        """Pass on, to metrics that count them."""
        if isinstance(self._metrics, CountsKeptRuns):
            self._record(self._metrics.record_kept_runs, counts)


class ErrorMessages:
    """Asks the resolver; fails open."""

    def __init__(self, resolver: ErrorMessageResolver, *, boundary: Boundary) -> None:
        self._resolver = resolver
        self._boundary = boundary

    def get_text(self, code: AgentErrorCode) -> str:
        """The text of a code."""
        text = self._boundary.call_now(
            policies.ERROR_MESSAGE_RESOLVER, self._resolver, self._resolver.resolve, code
        )
        return code.value if isinstance(text, Failed) else text
