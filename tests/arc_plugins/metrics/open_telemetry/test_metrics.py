"""Figures and spans of model calls."""

from dataclasses import replace

import pytest
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.trace import SpanKind, StatusCode
from prometheus_client import REGISTRY, generate_latest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentMetrics,
    FinishReason,
    ModelCallRecord,
    ModelOperation,
    TokenUsage,
)
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.conformance.agent_metrics import AgentMetricsConformance
from arc_plugins.metrics.open_telemetry.metrics import OpenTelemetryAgentMetrics
from arc_plugins.metrics.open_telemetry.settings import TelemetrySettings
from tests.arc_plugins.metrics.open_telemetry.telemetry import LLM, Telemetry, attributes

CALL = ModelCallRecord(
    model="m", attempts=2, error_code=None, duration_ms=250, token_usage=TokenUsage(7, 2)
)
FAILED = ModelCallRecord(
    model=None, attempts=1, error_code=AgentErrorCode.UNAVAILABLE, duration_ms=1, token_usage=None
)


class TestOpenTelemetryAgentMetrics(AgentMetricsConformance):
    """What the engine relies on."""

    def make_metrics(self) -> AgentMetrics:
        """Some that record into memory."""
        return Telemetry().metrics()


def test_a_model_call_has_a_span_of_its_duration() -> None:
    """Made when the call is over, it begins where the call began."""
    telemetry = Telemetry()

    telemetry.metrics().record_model_call(CALL)

    span = telemetry.span("chat m")
    assert (span.end_time or 0) - (span.start_time or 0) == 250_000_000
    assert span.kind is SpanKind.CLIENT
    assert attributes(span) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 2,
        "arc.model.attempts": 2,
    }


def test_embeddings_are_told_as_what_they_are() -> None:
    """They have no answer, and nothing of theirs comes from a cache of prompts."""
    telemetry = Telemetry()
    usage = TokenUsage(7, 0)

    telemetry.metrics().record_model_call(
        replace(CALL, token_usage=usage, operation=ModelOperation.EMBEDDINGS)
    )

    assert attributes(telemetry.span("embeddings m"))["gen_ai.operation.name"] == "embeddings"
    [counted] = telemetry.points("gen_ai.client.token.usage")
    assert ("gen_ai.token.type", "input") in counted
    assert telemetry.points("arc.model.cached_share") == {}


def test_a_failed_model_call_has_a_failed_span() -> None:
    """With its code as type of the error."""
    telemetry = Telemetry()

    telemetry.metrics().record_model_call(FAILED)

    span = telemetry.span("chat")
    assert span.status.status_code is StatusCode.ERROR
    assert attributes(span)["error.type"] == "UNAVAILABLE"


@pytest.mark.parametrize(("metrics", "traces"), [(True, False), (False, True)])
def test_only_what_is_wanted_is_recorded(*, metrics: bool, traces: bool) -> None:
    """Figures without spans, and spans without figures."""
    telemetry = Telemetry()
    telemetry.settings = TelemetrySettings(metrics=metrics, traces=traces)

    telemetry.metrics().record_model_call(CALL)

    figures = telemetry.points("gen_ai.client.operation.duration")
    assert (bool(figures), bool(telemetry.spans)) == (metrics, traces)


def test_prometheus_reads_the_figures() -> None:
    """Through the exporter that the application sets up."""
    reader = PrometheusMetricReader()
    provider = MeterProvider([reader])
    recorded = OpenTelemetryAgentMetrics(
        settings=TelemetrySettings(metrics=True), llm=LLM, meter_provider=provider
    )

    recorded.record_model_call(CALL)

    text = generate_latest(REGISTRY).decode()
    provider.shutdown()
    assert "gen_ai_client_operation_duration_seconds_bucket" in text
    assert 'gen_ai_token_type="input"' in text


def test_a_model_name_that_cannot_be_encoded_loses_no_span() -> None:
    """Half a surrogate pair in a command's model is replaced, as exporters need valid Unicode."""
    telemetry = Telemetry()

    telemetry.metrics().record_model_call(replace(CALL, model="m\ud800"))

    assert attributes(telemetry.span("chat m?"))["gen_ai.request.model"] == "m?"


def test_a_model_call_says_why_the_model_stopped() -> None:
    """As the conventions have it, a list; and the vendor that was really asked."""
    telemetry = Telemetry()
    call = replace(CALL, finish_reason=FinishReason.LENGTH, provider="anthropic")

    telemetry.metrics().record_model_call(call)

    facts = attributes(telemetry.span("chat m"))
    assert facts["gen_ai.response.finish_reasons"] == ("length",)
    assert facts["gen_ai.provider.name"] == "anthropic"


async def test_a_default_model_is_named() -> None:
    """What the chat model asks for, when no model is set."""

    class Named(ScriptedChatModel):
        """A model that tells who it is."""

        provider_name, default_model = "acme", "acme-1"

    telemetry = Telemetry()
    agent = scripted_agent(
        Named(["Done."]), agent_metrics=telemetry.metrics(), hooks=[telemetry.hook()]
    )

    await agent.execute(AgentCommand(user_prompt="Hello"))

    (run,) = map(dict, telemetry.points("gen_ai.invoke_agent.duration"))
    spans = [attributes(telemetry.span(name)) for name in ("chat acme-1", "invoke_agent")]
    for facts in (*spans, run):
        assert (facts["gen_ai.provider.name"], facts["gen_ai.request.model"]) == ("acme", "acme-1")
