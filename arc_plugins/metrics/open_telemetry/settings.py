"""The settings of OpenTelemetry."""

from pydantic import Field

from arc_core.settings import Section


class TelemetrySettings(Section):
    """The records of runs, model calls and tool calls."""

    metrics: bool = Field(default=False, description="figures of runs, model and tool calls")
    traces: bool = Field(default=False, description="spans of runs, model and tool calls")
    include_text: bool = Field(default=False, description="prompts and answers in the spans")
