"""Writes the spans of runs and of tool calls, for those who want to see where the time went.

Costs some microseconds a call, and the extra `otel`; the application's tracer provider decides
where spans go. Spans of model calls come from `OpenTelemetryAgentMetrics`. Settings:
`telemetry.traces`, `telemetry.include_text`.
"""

import json
from dataclasses import dataclass, field

from opentelemetry.context import attach
from opentelemetry.trace import (
    Span,
    SpanKind,
    StatusCode,
    TracerProvider,
    get_tracer,
    set_span_in_context,
)

from arc_core import (
    AgentResult,
    Hook,
    HookContext,
    ToolCallContext,
    ToolCallResult,
    ToolOutcome,
)
from arc_core.settings import LlmSettings
from arc_plugins.metrics.open_telemetry.names import (
    AGENT,
    ARGUMENTS,
    CALL_ID,
    CONVERSATION,
    DEFAULT_AGENT,
    ERROR_TYPE,
    INPUT_MESSAGES,
    MODEL,
    OPERATION,
    OUTPUT_MESSAGES,
    PARENT_RUN,
    PROVIDER,
    RESULT,
    RUN,
    SCOPE,
    TOOL,
    TOOL_TYPE,
    Operation,
    exportable,
    provider_of,
)
from arc_plugins.metrics.open_telemetry.settings import TelemetrySettings
from arc_plugins.metrics.open_telemetry.usage import usage_attributes

__all__ = ["OpenTelemetryHook"]


@dataclass(slots=True)
class _Open:
    """The spans of a run that have not ended."""

    run: Span
    tool_calls: dict[int, Span] = field(default_factory=dict)


class OpenTelemetryHook(Hook):
    """A span `invoke_agent` for each run, and in it a span `execute_tool` for each tool call.

    The span of a run is the current one in the run's task, and that of a tool call in the call's
    task: spans that tools and libraries make there are inside of it.
    Prompts, answers, arguments and results are written only with `telemetry.include_text`.

    Args:
        settings: Whether texts are written.
        llm: Names the vendor.
        tracer_provider: None is the global one.
    """

    order = 1

    def __init__(
        self,
        *,
        settings: TelemetrySettings,
        llm: LlmSettings,
        tracer_provider: TracerProvider | None = None,
    ) -> None:
        self._includes_text = settings.include_text
        self._provider = provider_of(llm)
        self._tracer = get_tracer(SCOPE, tracer_provider=tracer_provider)
        self._open: dict[str, _Open] = {}

    async def before_agent_start(self, context: HookContext) -> None:
        """Open the span of the run, from when it was accepted."""
        span = self._run_span(context)
        self._open[context.run_id] = _Open(span)
        attach(set_span_in_context(span))  # the run's task ends with the run, and its context too

    async def before_tool_call(self, context: ToolCallContext) -> None:
        """Open the span of a tool call."""
        open_spans = self._open.get(context.agent_context.run_id)
        if open_spans is not None:
            span = self._tool_span(context)
            open_spans.tool_calls[context.call_index] = span
            attach(set_span_in_context(span))  # every call has a task of its own

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        """End it, even if the call was rejected or its tool does not exist."""
        open_spans = self._open.get(context.agent_context.run_id)
        if open_spans is None:
            return
        span = open_spans.tool_calls.pop(context.call_index, None) or self._tool_span(context)
        if self._includes_text:
            span.set_attribute(ARGUMENTS, _json(dict(context.masked_arguments())))
            span.set_attribute(RESULT, exportable(result.content))
        _end(span, None if result.outcome is ToolOutcome.SUCCESS else result.outcome.value)

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        """End the span of the run; one that guards have rejected has it from beginning to end."""
        open_spans = self._open.pop(context.run_id, None) or _Open(self._run_span(context))
        for unfinished in open_spans.tool_calls.values():
            _end(unfinished, "cancelled")
        span = open_spans.run
        span.set_attribute(PROVIDER, response.provider or self._provider)
        if response.model is not None:
            span.set_attribute(MODEL, exportable(response.model))
        if (usage := response.token_usage) is not None:
            span.set_attributes(usage_attributes(usage))
        if self._includes_text:
            answer = response.content if response.success else response.partial_content
            span.set_attribute(INPUT_MESSAGES, _message("user", context.user_prompt))
            span.set_attribute(OUTPUT_MESSAGES, _message("assistant", answer or ""))
        _end(span, None if response.error_code is None else response.error_code.value)

    def _run_span(self, context: HookContext) -> Span:
        span = self._tracer.start_span(
            Operation.INVOKE_AGENT.value,
            kind=SpanKind.INTERNAL,
            start_time=int(context.started_at.timestamp() * 1e9),
            attributes={
                OPERATION: Operation.INVOKE_AGENT.value,
                PROVIDER: self._provider,  # until it is known who was asked
                RUN: context.run_id,
            },
        )
        if context.agent != DEFAULT_AGENT:
            span.set_attribute(AGENT, exportable(context.agent))
        if context.parent_run_id is not None:
            span.set_attribute(PARENT_RUN, context.parent_run_id)
        if context.session_id is not None:
            span.set_attribute(CONVERSATION, exportable(context.session_id))
        return span

    def _tool_span(self, context: ToolCallContext) -> Span:
        name = exportable(context.tool_name)
        attributes = {
            OPERATION: Operation.EXECUTE_TOOL.value,
            TOOL: name,
            TOOL_TYPE: "function",
        }
        if context.call_id:
            attributes[CALL_ID] = exportable(context.call_id)
        return self._tracer.start_span(
            f"execute_tool {name}", kind=SpanKind.INTERNAL, attributes=attributes
        )


def _end(span: Span, error_type: str | None) -> None:
    if error_type is not None:
        span.set_attribute(ERROR_TYPE, error_type)
        span.set_status(StatusCode.ERROR)
    span.end()


def _message(role: str, text: str) -> str:
    """One message as the conventions have it, in JSON."""
    return _json([{"role": role, "parts": [{"type": "text", "content": text}]}])


def _json(value: object) -> str:
    return exportable(json.dumps(value, ensure_ascii=False, default=str))
