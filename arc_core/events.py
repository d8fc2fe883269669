"""What a streaming run tells its caller while it goes on."""

from dataclasses import dataclass

from arc_core.messages import ToolCall, ToolResult
from arc_core.result import AgentResult

__all__ = [
    "AgentEvent",
    "ReasoningDelta",
    "RunFinished",
    "TextDelta",
    "ToolCallFinished",
    "ToolCallProgress",
    "ToolCallStarted",
]


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the model's text, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The next piece of what the model thinks aloud, never empty; not part of its text."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """A tool call begins; `ToolCallFinished` follows, unless the run is cancelled or timed out."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolCallProgress:
    """How far a tool call is, as its tool says; comes between its start and its end.

    Attributes:
        call_id: Of the `ToolCall`.
        message: For people, with secrets masked; at most 500 characters.
        fraction: What part is done, from 0 to 1; None if the tool does not know.
    """

    call_id: str
    message: str
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class ToolCallFinished:
    """A tool call ended, at the moment it did; calls of one turn end in any order."""

    result: ToolResult
    duration_ms: float


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over; always the last event and always sent once."""

    result: AgentResult


AgentEvent = (
    TextDelta | ReasoningDelta | ToolCallStarted | ToolCallProgress | ToolCallFinished | RunFinished
)
"""What a run tells its caller while it goes on."""
