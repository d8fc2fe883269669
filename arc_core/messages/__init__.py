"""Messages of a conversation, as every chat model, store and hook sees them.

Messages are compared by value and told apart by class. They may be kept, shared between runs and
used as keys of weak references: none of them ever changes.
"""

from dataclasses import dataclass
from enum import StrEnum

from arc_core.messages.content import Content, get_text

__all__ = [
    "AssistantMessage",
    "Message",
    "Reasoning",
    "SystemMessage",
    "ToolCall",
    "ToolOutcome",
    "ToolResult",
    "ToolResultMessage",
    "UserMessage",
]


class ToolOutcome(StrEnum):
    """The outcome of a tool call."""

    SUCCESS = "success"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    BLOCKED = "blocked"
    NOT_FOUND = "not_found"
    LIMIT_REACHED = "limit_reached"
    INVALID_ARGUMENTS = "invalid_arguments"

    DENIED = "denied"
    """A person has said no, or a policy."""

    INTERRUPTED = "interrupted"
    """The process ended meanwhile, and it is not known whether the call took effect."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool.

    Attributes:
        id: The vendor's id of the call; may be empty or repeated, so calls are matched by place.
        name: The tool's name as the model wrote it; models invent names.
        arguments: JSON text as the model wrote it, not validated.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call.

    Attributes:
        call_id: The id of the call it answers.
        name: The tool's name as the model wrote it.
        content: What the model reads.
        outcome: How the call ended, for programs.
    """

    call_id: str
    name: str
    content: Content
    outcome: ToolOutcome = ToolOutcome.SUCCESS

    @property
    def text(self) -> str:
        """The text of its content."""
        return get_text(self.content)


@dataclass(frozen=True, slots=True)
class Reasoning:
    """The thinking of a model before it answered or called tools.

    Attributes:
        text: For people; empty if the vendor shows none.
        signature: By which the vendor knows it again; None if it signs none.
        redacted: Whether the vendor hides the text; the signature then holds it encrypted.
    """

    text: str
    signature: str | None = None
    redacted: bool = False


@dataclass(frozen=True, slots=True, weakref_slot=True)
class SystemMessage:
    """Instructions inside a conversation; the system prompt itself travels apart."""

    content: str

    @property
    def text(self) -> str:
        """Its content."""
        return self.content


@dataclass(frozen=True, slots=True, weakref_slot=True)
class UserMessage:
    """A message of a person, with its attachments."""

    content: Content

    @property
    def text(self) -> str:
        """The text of its content."""
        return get_text(self.content)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class AssistantMessage:
    """An answer of a model.

    Attributes:
        content: Its text, empty if it only calls tools; with images that it has made, their parts.
        tool_calls: The calls it asks for, in its order.
        reasoning: What it thought, in its order; goes back unchanged in the tool turns of a run.
        vendor_content: Opaque to all but the chat model that made it, which sends it back
            unchanged: what the vendor's own tools did, and the order of blocks.
    """

    content: Content
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: tuple[Reasoning, ...] = ()
    vendor_content: object = None

    @property
    def text(self) -> str:
        """The text of its content."""
        content = self.content  # nearly always a text, and asked for in every turn
        return content if isinstance(content, str) else get_text(content)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class ToolResultMessage:
    """The results of one turn's tool calls, in the order of the calls."""

    results: tuple[ToolResult, ...]


Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage
"""One entry of a conversation."""
