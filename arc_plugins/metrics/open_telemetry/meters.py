"""Counts and distributions of what runs do."""

from opentelemetry.metrics import Meter, MeterProvider, get_meter

from arc_core import (
    AgentErrorCode,
    AgentMetrics,
    CacheLookup,
    CountsKeptRuns,
    FaultSource,
    KeptRunCounts,
    ModelCallRecord,
    RunRecord,
    ToolOutcome,
)
from arc_plugins.metrics.open_telemetry.names import (
    AGENT,
    DEFAULT_AGENT,
    ERROR_TYPE,
    MODEL,
    MODEL_NAME,
    OPERATION,
    OTHER,
    PROVIDER,
    SCOPE,
    TOKEN_TYPE,
    TOOL,
    Operation,
    cached_share,
    exportable,
)

__all__ = ["Meters"]

_SECONDS = [0.01 * 2**step for step in range(14)]
_TOKENS = [4**step for step in range(14)]
"""Boundaries that the conventions ask for."""

_SHARES = [step / 10 for step in range(11)]

_UNCHECKED = frozenset({ToolOutcome.NOT_FOUND, ToolOutcome.LIMIT_REACHED, ToolOutcome.BLOCKED})
"""Outcomes of calls whose tool need not exist: models invent names, and each would be a series."""


class Meters(AgentMetrics, CountsKeptRuns):
    """Records into histograms and counters."""

    def __init__(self, *, provider_name: str, meter_provider: MeterProvider | None) -> None:
        meter = get_meter(SCOPE, meter_provider=meter_provider)
        self._provider = provider_name
        self._run_s, self._model_s, self._tool_s = (
            meter.create_histogram(
                name, "s", description, explicit_bucket_boundaries_advisory=_SECONDS
            )
            for name, description in (
                ("gen_ai.invoke_agent.duration", "Duration of a run"),
                ("gen_ai.client.operation.duration", "Duration of a model call with its retries"),
                ("gen_ai.execute_tool.duration", "Duration of a tool call"),
            )
        )
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            "{token}",
            "Tokens of a model call",
            explicit_bucket_boundaries_advisory=_TOKENS,
        )
        self._cached = meter.create_histogram(
            "arc.model.cached_share",
            "1",
            "Share of a prompt that came from the vendor's cache",
            explicit_bucket_boundaries_advisory=_SHARES,
        )
        self._kept = _KeptRunMeters(meter)
        self._retries, self._fallbacks, self._cost, self._lookups, self._faults = (
            meter.create_counter(name, unit, description)
            for name, unit, description in (
                ("arc.model.retries", "{retry}", "Model calls that were tried again"),
                ("arc.model.fallbacks", "{fallback}", "Model calls after which another was asked"),
                ("arc.model.cost", "{currency}", "Cost of model calls at the prices set"),
                ("arc.response_cache.lookups", "{lookup}", "Questions to the response cache"),
                ("arc.faults", "{fault}", "Components that failed while the run went on"),
            )
        )

    def model_attributes(
        self, operation: Operation, record: RunRecord | ModelCallRecord
    ) -> dict[str, str]:
        """The attributes that tell which model was asked, and for what."""
        attributes = {OPERATION: operation.value, PROVIDER: record.provider or self._provider}
        if record.model is not None:
            attributes[MODEL] = exportable(record.model)
        if record.name is not None:
            attributes[MODEL_NAME] = exportable(record.name)
        return attributes

    def record_run(self, record: RunRecord) -> None:
        """Its duration, by how it ended."""
        attributes = self.model_attributes(Operation.INVOKE_AGENT, record)
        if record.agent != DEFAULT_AGENT:
            attributes[AGENT] = OTHER if record.agent is None else record.agent
        self._run_s.record(record.duration_ms / 1000, attributes | _failed_with(record.error_code))

    def record_model_call(self, record: ModelCallRecord) -> None:
        """Its duration, its tokens, and its retries."""
        attributes = self.model_attributes(Operation.CHAT, record)
        self._model_s.record(
            record.duration_ms / 1000, attributes | _failed_with(record.error_code)
        )
        if record.attempts > 1:
            self._retries.add(record.attempts - 1, attributes)
        if record.fallback is not None:
            self._fallbacks.add(1, attributes | {"arc.model.fallback": exportable(record.fallback)})
        if record.cost is not None:
            self._cost.add(float(record.cost), attributes)
        if (usage := record.token_usage) is not None:
            self._tokens.record(usage.prompt_tokens, attributes | {TOKEN_TYPE: "input"})
            self._tokens.record(usage.completion_tokens, attributes | {TOKEN_TYPE: "output"})
            if (share := cached_share(usage)) is not None:
                self._cached.record(share, attributes)

    def record_tool_call(self, name: str, duration_ms: float, outcome: ToolOutcome) -> None:
        """Its duration, by its outcome."""
        attributes = {
            OPERATION: Operation.EXECUTE_TOOL.value,
            TOOL: OTHER if outcome in _UNCHECKED else exportable(name),
        }
        if outcome is not ToolOutcome.SUCCESS:
            attributes[ERROR_TYPE] = outcome.value
        self._tool_s.record(duration_ms / 1000, attributes)

    def record_cache_lookup(self, lookup: CacheLookup) -> None:
        """Hit or miss."""
        self._lookups.add(1, {"arc.response_cache.result": lookup.value})

    def record_fault(self, source: FaultSource) -> None:
        """Count a failure."""
        self._faults.add(1, {"arc.fault.source": source.value})

    def record_kept_runs(self, counts: KeptRunCounts) -> None:
        """Report the number in each state, and the number that was taken over."""
        self._kept.record(counts)


class _KeptRunMeters:
    """The gauges of the states of kept runs, and the counter of those that were taken over."""

    def __init__(self, meter: Meter) -> None:
        self._waiting, self._queued, self._running = (
            meter.create_gauge(name, "{run}", description)
            for name, description in (
                ("arc.runs.waiting", "Runs for which people have to decide"),
                ("arc.runs.queued", "Runs that no process has taken"),
                ("arc.runs.running", "Kept runs that this process runs"),
            )
        )
        self._taken_over = meter.create_counter(
            "arc.runs.taken_over", "{run}", "Runs taken over from a process that has died"
        )

    def record(self, counts: KeptRunCounts) -> None:
        """Set the gauges, and add what is new."""
        self._waiting.set(counts.waiting)
        self._queued.set(counts.queued)
        self._running.set(counts.running)
        if counts.taken_over:
            self._taken_over.add(counts.taken_over)


def _failed_with(code: AgentErrorCode | None) -> dict[str, str]:
    return {} if code is None else {ERROR_TYPE: code.value}
