"""Writes the spans of runs and of tool calls, for those who want to see where the time went.

Costs some microseconds a call, and the extra `otel`; the application's tracer provider decides
where spans go. Spans of model calls come from `OpenTelemetryAgentMetrics`. Settings:
`telemetry.traces`, `telemetry.include_text`.
"""

import json
from dataclasses import dataclass, field

from opentelemetry.context import Context, attach, get_current
from opentelemetry.trace import (
    Span,
    SpanKind,
    StatusCode,
    TracerProvider,
    get_tracer,
    set_span_in_context,
)
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from arc_core import AgentResult, Hook, HookContext, ToolCallContext, ToolCallResult, ToolOutcome
from arc_core.settings import LlmSettings
from arc_plugins.metrics.open_telemetry import names
from arc_plugins.metrics.open_telemetry.settings import TelemetrySettings

_W3C = TraceContextTextMapPropagator()
_FIELD = "traceparent"


@dataclass(slots=True)
class _Open:
    """The spans of a run that have not ended in this process."""

    run: Span
    tool_calls: dict[int, Span] = field(default_factory=dict)


class OpenTelemetryHook(Hook):
    """A span `invoke_agent` for each run, and in it a span `execute_tool` for each tool call.

    The span of a run is the current one in the run's task, and that of a tool call in the call's
    task: spans that tools and libraries make there are inside of it.
    A run that a journal keeps has a span in each of its lives, all of them in one trace.
    Prompts, answers, arguments and results are written only with `telemetry.include_text`.
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
        self._provider = names.get_provider(llm)
        self._tracer = get_tracer(names.SCOPE, tracer_provider=tracer_provider)
        self._open: dict[tuple[str, int], _Open] = {}

    async def before_agent_start(self, context: HookContext) -> None:
        """Open the span of the run, from when it was accepted."""
        span = self._run_span(context, start_time_ns=_accepted_ns(context))
        self._begin(context, span)
        if context.is_recorded:
            _leave_note(context, span)

    async def before_agent_resume(self, context: HookContext) -> None:
        """Open a span for this life of the run, below that of the first one."""
        self._begin(context, self._resumed_span(context, _find_origin(context)))

    async def after_agent_suspend(self, context: HookContext) -> None:
        """End the spans of this life, without an error: the run has not failed."""
        open_spans = self._open.pop(_get_attempt(context), None)
        if open_spans is None:
            return
        for span in (*open_spans.tool_calls.values(), open_spans.run):
            span.set_attribute(names.SUSPENDED, True)
            span.end()

    def _begin(self, context: HookContext, span: Span) -> None:
        self._open[_get_attempt(context)] = _Open(span)
        attach(set_span_in_context(span))  # the run's task ends with the run, and its context too

    async def before_tool_call(self, context: ToolCallContext) -> None:
        """Open the span of a tool call."""
        open_spans = self._open.get(_get_attempt(context.agent_context))
        if open_spans is not None:
            span = self._tool_span(context)
            open_spans.tool_calls[context.call_index] = span
            attach(set_span_in_context(span))  # every call has a task of its own

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        """End it, even if the call was rejected or its tool does not exist."""
        open_spans = self._open.get(_get_attempt(context.agent_context))
        if open_spans is None:
            return
        span = open_spans.tool_calls.pop(context.call_index, None) or self._tool_span(context)
        if self._includes_text:
            span.set_attribute(names.ARGUMENTS, _json(dict(context.masked_arguments())))
            span.set_attribute(names.RESULT, names.exportable(result.content))
        _end(span, None if result.outcome is ToolOutcome.SUCCESS else result.outcome.value)

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        """End the span of the run; one that guards have rejected has it from beginning to end."""
        open_spans = self._open.pop(_get_attempt(context), None) or _Open(self._late_span(context))
        for unfinished in open_spans.tool_calls.values():
            _end(unfinished, "cancelled")
        span = open_spans.run
        span.set_attribute(names.PROVIDER, response.provider or self._provider)
        if response.model is not None:
            span.set_attribute(names.MODEL, names.exportable(response.model))
        if (usage := response.token_usage) is not None:
            span.set_attributes(names.usage_attributes(usage))
        if self._includes_text:
            answer = response.content if response.success else response.partial_content
            span.set_attribute(names.INPUT_MESSAGES, _message("user", context.user_prompt))
            span.set_attribute(names.OUTPUT_MESSAGES, _message("assistant", answer or ""))
        _end(span, None if response.error_code is None else response.error_code.value)

    def _late_span(self, context: HookContext) -> Span:
        """That of a run which nothing has let in, or only in an earlier life."""
        origin = _find_origin(context)
        if origin is not None:
            return self._resumed_span(context, origin)
        return self._run_span(context, start_time_ns=_accepted_ns(context))

    def _resumed_span(self, context: HookContext, origin: Context | None) -> Span:
        span = self._run_span(context, parent=origin)
        span.set_attribute(names.RESUMED, True)
        return span

    def _run_span(
        self,
        context: HookContext,
        *,
        start_time_ns: int | None = None,
        parent: Context | None = None,
    ) -> Span:
        span = self._tracer.start_span(
            names.Operation.INVOKE_AGENT.value,
            context=parent,
            kind=SpanKind.INTERNAL,
            start_time=start_time_ns,
            attributes={
                names.OPERATION: names.Operation.INVOKE_AGENT.value,
                names.PROVIDER: self._provider,  # until it is known who was asked
                names.RUN: context.run_id,
            },
        )
        if context.agent != names.DEFAULT_AGENT:
            span.set_attribute(names.AGENT, names.exportable(context.agent))
        if context.parent_run_id is not None:
            span.set_attribute(names.PARENT_RUN, context.parent_run_id)
        if context.session_id is not None:
            span.set_attribute(names.CONVERSATION, names.exportable(context.session_id))
        return span

    def _tool_span(self, context: ToolCallContext) -> Span:
        name = names.exportable(context.tool_name)
        attributes = {
            names.OPERATION: names.Operation.EXECUTE_TOOL.value,
            names.TOOL: name,
            names.TOOL_TYPE: "function",
        }
        if context.call_id:
            attributes[names.CALL_ID] = names.exportable(context.call_id)
        return self._tracer.start_span(
            f"execute_tool {name}", kind=SpanKind.INTERNAL, attributes=attributes
        )


def _get_attempt(context: HookContext) -> tuple[str, int]:
    """Tells a run from itself in an earlier life, which may not have left the process yet."""
    return context.run_id, id(context.metadata)


def _accepted_ns(context: HookContext) -> int:
    return int(context.started_at.timestamp() * 1e9)


def _leave_note(context: HookContext, span: Span) -> None:
    carrier: dict[str, str] = {}
    _W3C.inject(carrier, set_span_in_context(span))
    if _FIELD in carrier:
        context.metadata[names.TRACEPARENT] = carrier[_FIELD]


def _find_origin(context: HookContext) -> Context | None:
    """Return the span in which a run first began; None if it has left no note of that."""
    note = context.metadata.get(names.TRACEPARENT) if context.is_recorded else None
    if not isinstance(note, str):
        return None
    return _W3C.extract({_FIELD: note}, get_current())


def _end(span: Span, error_type: str | None) -> None:
    if error_type is not None:
        span.set_attribute(names.ERROR_TYPE, error_type)
        span.set_status(StatusCode.ERROR)
    span.end()


def _message(role: str, text: str) -> str:
    """One message as the conventions have it, in JSON."""
    return _json([{"role": role, "parts": [{"type": "text", "content": text}]}])


def _json(value: object) -> str:
    return names.exportable(json.dumps(value, ensure_ascii=False, default=str))
