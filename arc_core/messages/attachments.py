"""Attachments of messages, as stores and managers of conversations handle them."""

from collections.abc import Callable
from dataclasses import replace

from arc_core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from arc_core.messages.content import Attachment, Content, Part, Text, get_attachments, get_text

__all__ = ["attachments_in", "drop_large", "replace_attachments", "replace_text"]


def attachments_in(message: Message) -> tuple[Attachment, ...]:
    """Return the attachments of a message and of the tool results in it, in their order."""
    match message:
        case UserMessage() | AssistantMessage():
            return get_attachments(message.content)
        case ToolResultMessage():
            return tuple(
                each for result in message.results for each in get_attachments(result.content)
            )
    return ()


def replace_attachments(message: Message, change: Callable[[Attachment], Part]) -> Message:
    """A message with other parts in place of its attachments; itself if it has none.

    Args:
        message: Of any kind.
        change: What stands in place of an attachment; called in their order.
    """
    if not attachments_in(message):
        return message
    match message:
        case UserMessage() | AssistantMessage():
            return replace(message, content=_changed_content(message.content, change))
        case ToolResultMessage():
            return ToolResultMessage(
                tuple(
                    replace(result, content=_changed_content(result.content, change))
                    for result in message.results
                )
            )
    return message


def drop_large(message: Message, *, max_bytes: int) -> Message:
    """A message with a line of text in place of each larger attachment; itself if there is none.

    Args:
        message: Of any kind.
        max_bytes: Of one attachment; an address has none.
    """
    if all(len(each.data or b"") <= max_bytes for each in attachments_in(message)):
        return message
    return replace_attachments(message, lambda each: _or_line(each, max_bytes))


def replace_text(content: Content, text: str) -> Content:
    """Return a content with another text, and what was attached behind it; itself if it is same."""
    if get_text(content) == text:
        return content
    attachments = get_attachments(content)
    return (*([Text(text)] if text else []), *attachments) if attachments else text


def _or_line(attachment: Attachment, max_bytes: int) -> Part:
    size = len(attachment.data or b"")
    if size <= max_bytes:
        return attachment
    name = f"{attachment.name}, " if attachment.name else ""
    return Text(f"\n[Attachment that was not kept: {name}{attachment.media_type}, {size} bytes]")


def _changed_content(content: Content, change: Callable[[Attachment], Part]) -> Content:
    """Parts, or a plain text if no attachment is left."""
    if isinstance(content, str) or not get_attachments(content):
        return content
    parts = tuple(change(part) if isinstance(part, Attachment) else part for part in content)
    texts = [part.text for part in parts if isinstance(part, Text)]
    return "".join(texts) if len(texts) == len(parts) else parts
