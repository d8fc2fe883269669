"""Messages of every kind, and what must come back of them from a store."""

from arc_core.messages import (
    AssistantMessage,
    Message,
    Reasoning,
    SystemMessage,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.messages.content import Attachment, Text

__all__ = ["ALL_KINDS", "BLOCKS", "SIGNED", "WITH_ATTACHMENTS"]

ALL_KINDS: tuple[Message, ...] = (
    UserMessage("question"),
    AssistantMessage("", tool_calls=(ToolCall("1", "find", '{"q": "x"}'), ToolCall("", "go", "{"))),
    ToolResultMessage((
        ToolResult("1", "find", "found"),
        ToolResult("", "go", "Error: no", ToolOutcome.INVALID_ARGUMENTS),
    )),
    SystemMessage("note"),
    AssistantMessage("answer"),
)  # fmt: skip

SIGNED = [{"type": "thinking", "signature": "Er4B+/=\u2028", "z": 1, "a": {"é": [1.0, None, True]}}]
BLOCKS = AssistantMessage(
    "",
    reasoning=(Reasoning("hm", "Er4B+/="), Reasoning("", "gAAAA==", redacted=True)),
    vendor_content=SIGNED,
)
_PICTURE = Attachment("image/png", data=bytes(range(256)), name="a.png")
WITH_ATTACHMENTS: tuple[Message, ...] = (
    UserMessage((Text("Look"), _PICTURE, Attachment("image/png", url="https://example.com/b.png"))),
    ToolResultMessage((ToolResult("1", "draw", (_PICTURE, Text("drawn"))),)),
)
