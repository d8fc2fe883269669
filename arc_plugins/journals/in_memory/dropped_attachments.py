"""Runs that are over, without the bytes that were attached to them."""

from dataclasses import replace
from hashlib import sha256

from arc_core import (
    AgentCommand,
    AgentResult,
    Attachment,
    NumberedEvent,
    RunFinished,
    ToolCallFinished,
    ToolResultMessage,
)
from arc_core.messages.attachments import drop_large, replace_attachments

__all__ = ["without_attachments", "without_attachments_of_event", "without_attachments_of_result"]


def without_attachments(command: AgentCommand) -> AgentCommand:
    """The command with a digest in the place of attached bytes; those of equal ones are equal."""
    history = tuple(replace_attachments(each, _digest) for each in command.conversation_history)
    attachments = tuple(map(_digest, command.attachments))
    return command.model_copy(update={"attachments": attachments, "conversation_history": history})


def without_attachments_of_result(result: AgentResult) -> AgentResult:
    """The end of a run with a line of text in the place of attached bytes."""
    messages = tuple(drop_large(each, max_bytes=0) for each in result.messages)
    return replace(result, messages=messages)


def without_attachments_of_event(event: NumberedEvent) -> NumberedEvent:
    """An event with a line of text in the place of attached bytes."""
    match event:
        case RunFinished():
            return replace(event, result=without_attachments_of_result(event.result))
        case ToolCallFinished():
            message = drop_large(ToolResultMessage((event.result,)), max_bytes=0)
            assert isinstance(message, ToolResultMessage)
            return replace(event, result=message.results[0])
    return event


def _digest(attachment: Attachment) -> Attachment:
    data = attachment.data
    return attachment if data is None else replace(attachment, data=sha256(data).digest())
