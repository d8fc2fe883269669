"""Measures runs with OpenTelemetry, which hands the figures on to Prometheus and others.

Pick it for dashboards and alerts. Costs some microseconds a call, and the extra `otel`; what the
application has set up as meter and tracer provider decides where figures and spans go, and without
any nothing is recorded. Settings: `telemetry.metrics`, `telemetry.traces`.
"""

import time

from opentelemetry.metrics import Meter, MeterProvider, NoOpMeterProvider, get_meter
from opentelemetry.trace import SpanKind, StatusCode, Tracer, TracerProvider, get_tracer
from opentelemetry.util.types import AttributeValue

from arc_core import (
    AgentErrorCode,
    AgentMetrics,
    CacheLookup,
    CompactionRecord,
    CountsCompactions,
    CountsKeptRuns,
    FaultSource,
    KeptRunCounts,
    ModelCallRecord,
    ModelOperation,
    RunRecord,
    ToolOutcome,
)
from arc_core.settings import LlmSettings
from arc_plugins.metrics.open_telemetry import names
from arc_plugins.metrics.open_telemetry.settings import TelemetrySettings

_SECONDS = [0.01 * 2**step for step in range(14)]
_TOKENS = [4**step for step in range(14)]
"""Boundaries that the conventions ask for."""

_SHARES = [step / 10 for step in range(11)]

_UNCHECKED = frozenset({ToolOutcome.NOT_FOUND, ToolOutcome.LIMIT_REACHED, ToolOutcome.BLOCKED})
"""Outcomes of calls whose tool need not exist: models invent names, and each would be a series."""


class OpenTelemetryAgentMetrics(AgentMetrics, CountsCompactions, CountsKeptRuns):
    """Figures for `telemetry.metrics`, and for `telemetry.traces` a span of each model call.

    Metrics are what is told of model calls, so their spans are made here, when the call has ended;
    they belong to the run's span, which `OpenTelemetryHook` opens.
    """

    def __init__(
        self,
        *,
        settings: TelemetrySettings,
        llm: LlmSettings,
        meter_provider: MeterProvider | None = None,
        tracer_provider: TracerProvider | None = None,
    ) -> None:
        self._provider = names.get_provider(llm)
        self._tracer = None
        if settings.traces:
            self._tracer = get_tracer(names.SCOPE, tracer_provider=tracer_provider)
        meter = get_meter(
            names.SCOPE, meter_provider=meter_provider if settings.metrics else NoOpMeterProvider()
        )
        self._make_histograms(meter)
        self._waiting, self._queued, self._running = (
            meter.create_gauge(name, "{run}", description)
            for name, description in (
                ("arc.runs.waiting", "Runs for which people have to decide"),
                ("arc.runs.queued", "Runs that no process has taken"),
                ("arc.runs.running", "Kept runs that this process runs"),
            )
        )
        self._make_counters(meter)

    def _make_counters(self, meter: Meter) -> None:
        (
            self._taken_over,
            self._compactions,
            self._compacted,
            self._retries,
            self._fallbacks,
            self._cost,
            self._lookups,
            self._faults,
        ) = (
            meter.create_counter(name, unit, description)
            for name, unit, description in (
                ("arc.runs.taken_over", "{run}", "Runs taken over from a process that has died"),
                ("arc.context.compactions", "{compaction}", "Times that room was made in a window"),
                ("arc.context.freed_tokens", "{token}", "Tokens that were freed in windows"),
                ("arc.model.retries", "{retry}", "Model calls that were tried again"),
                ("arc.model.fallbacks", "{fallback}", "Model calls after which another was asked"),
                ("arc.model.cost", "{currency}", "Cost of model calls at the prices set"),
                ("arc.response_cache.lookups", "{lookup}", "Questions to the response cache"),
                ("arc.faults", "{fault}", "Components that failed while the run went on"),
            )
        )

    def _make_histograms(self, meter: Meter) -> None:
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

    def _model_attributes(
        self, operation: names.Operation, record: RunRecord | ModelCallRecord
    ) -> dict[str, str]:
        """The attributes that tell which model was asked, and for what."""
        attributes = {
            names.OPERATION: operation.value,
            names.PROVIDER: record.provider or self._provider,
        }
        if record.model is not None:
            attributes[names.MODEL] = names.exportable(record.model)
        if record.name is not None:
            attributes[names.MODEL_NAME] = names.exportable(record.name)
        return attributes

    def record_run(self, record: RunRecord) -> None:
        """Its duration, by how it ended."""
        attributes = self._model_attributes(names.Operation.INVOKE_AGENT, record)
        if record.agent != names.DEFAULT_AGENT:
            attributes[names.AGENT] = names.OTHER if record.agent is None else record.agent
        self._run_s.record(record.duration_ms / 1000, attributes | _failed_with(record.error_code))

    def record_compaction(self, record: CompactionRecord) -> None:
        """That there was one, and what it has freed."""
        is_default = record.agent == names.DEFAULT_AGENT
        attributes = {} if is_default else {names.AGENT: record.agent}
        self._compactions.add(1, attributes)
        self._compacted.add(max(0, record.tokens_before - record.tokens_after), attributes)

    def record_model_call(self, record: ModelCallRecord) -> None:
        """Its duration, its tokens, and its retries; and its span."""
        attributes = self._model_attributes(names.Operation(record.operation.value), record)
        self._model_s.record(
            record.duration_ms / 1000, attributes | _failed_with(record.error_code)
        )
        if record.attempts > 1:
            self._retries.add(record.attempts - 1, attributes)
        if record.fallback is not None:
            self._fallbacks.add(
                1, attributes | {"arc.model.fallback": names.exportable(record.fallback)}
            )
        if record.cost is not None:
            self._cost.add(float(record.cost), attributes)
        if (usage := record.token_usage) is not None:
            self._tokens.record(usage.prompt_tokens, attributes | {names.TOKEN_TYPE: "input"})
            if record.operation is ModelOperation.CHAT:  # the others have no answer and no cache
                output = attributes | {names.TOKEN_TYPE: "output"}
                self._tokens.record(usage.completion_tokens, output)
                if (share := names.cached_share(usage)) is not None:
                    self._cached.record(share, attributes)
        if self._tracer is not None:
            self._write_span(record, self._tracer)

    def _write_span(self, record: ModelCallRecord, tracer: Tracer) -> None:
        ended_ns = time.time_ns()
        model = () if record.model is None else (names.exportable(record.model),)
        name = " ".join((record.operation.value, *model))
        span = tracer.start_span(
            name,
            kind=SpanKind.CLIENT,
            attributes=self._span_attributes(record),
            start_time=ended_ns - int(record.duration_ms * 1e6),
        )
        if record.error_code is not None:
            span.set_status(StatusCode.ERROR)
        span.end(ended_ns)

    def _span_attributes(self, record: ModelCallRecord) -> dict[str, AttributeValue]:
        attributes: dict[str, AttributeValue] = {
            **self._model_attributes(names.Operation(record.operation.value), record),
            "arc.model.attempts": record.attempts,
        }
        if record.finish_reason is not None:
            attributes[names.FINISH_REASONS] = (record.finish_reason.value,)
        if record.error_code is not None:
            attributes[names.ERROR_TYPE] = record.error_code.value
        if record.token_usage is not None:
            attributes |= names.usage_attributes(record.token_usage)
        return attributes

    def record_tool_call(self, name: str, duration_ms: float, outcome: ToolOutcome) -> None:
        """Its duration, by its outcome."""
        attributes = {
            names.OPERATION: names.Operation.EXECUTE_TOOL.value,
            names.TOOL: names.OTHER if outcome in _UNCHECKED else names.exportable(name),
        }
        if outcome is not ToolOutcome.SUCCESS:
            attributes[names.ERROR_TYPE] = outcome.value
        self._tool_s.record(duration_ms / 1000, attributes)

    def record_cache_lookup(self, lookup: CacheLookup) -> None:
        """Hit or miss."""
        self._lookups.add(1, {"arc.response_cache.result": lookup.value})

    def record_fault(self, source: FaultSource) -> None:
        """Count a failure."""
        self._faults.add(1, {"arc.fault.source": source.value})

    def record_kept_runs(self, counts: KeptRunCounts) -> None:
        """Report the number in each state, and the number that was taken over."""
        self._waiting.set(counts.waiting)
        self._queued.set(counts.queued)
        self._running.set(counts.running)
        if counts.taken_over:
            self._taken_over.add(counts.taken_over)


def _failed_with(code: AgentErrorCode | None) -> dict[str, str]:
    return {} if code is None else {names.ERROR_TYPE: code.value}
