"""Measures runs with OpenTelemetry, which hands the figures on to Prometheus and others.

Pick it for dashboards and alerts. Costs some microseconds a call, and the extra `otel`; what the
application has set up as meter and tracer provider decides where figures and spans go, and without
any nothing is recorded. Settings: `telemetry.metrics`, `telemetry.traces`.
"""

import time

from opentelemetry.metrics import MeterProvider, NoOpMeterProvider
from opentelemetry.trace import SpanKind, StatusCode, TracerProvider, get_tracer
from opentelemetry.util.types import AttributeValue

from arc_core import ModelCallRecord
from arc_core.settings import LlmSettings
from arc_plugins.metrics.open_telemetry.meters import Meters
from arc_plugins.metrics.open_telemetry.names import (
    ERROR_TYPE,
    FINISH_REASONS,
    SCOPE,
    Operation,
    exportable,
    get_provider,
    usage_attributes,
)
from arc_plugins.metrics.open_telemetry.settings import TelemetrySettings

__all__ = ["OpenTelemetryAgentMetrics"]


class OpenTelemetryAgentMetrics(Meters):
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
        measures = meter_provider if settings.metrics else NoOpMeterProvider()
        super().__init__(provider_name=get_provider(llm), meter_provider=measures)
        self._tracer = None
        if settings.traces:
            self._tracer = get_tracer(SCOPE, tracer_provider=tracer_provider)

    def record_model_call(self, record: ModelCallRecord) -> None:
        """Measure it, and write its span."""
        super().record_model_call(record)
        if self._tracer is None:
            return
        ended_ns = time.time_ns()
        name = Operation.CHAT.value if record.model is None else f"chat {exportable(record.model)}"
        span = self._tracer.start_span(
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
            **self.model_attributes(Operation.CHAT, record),
            "arc.model.attempts": record.attempts,
        }
        if record.finish_reason is not None:
            attributes[FINISH_REASONS] = (record.finish_reason.value,)
        if record.error_code is not None:
            attributes[ERROR_TYPE] = record.error_code.value
        if record.token_usage is not None:
            attributes |= usage_attributes(record.token_usage)
        return attributes
