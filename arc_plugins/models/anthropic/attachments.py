"""What is attached to messages and to tools' results, as the Messages API takes it."""

from typing import Any

from arc_core import Attachment, Content, Text
from arc_core.wire.attachments import IMAGE_TYPES, base64_of, is_text, text_in, unsendable

__all__ = ["is_accepted", "parts_of"]

_PDF = "application/pdf"


def is_accepted(media_type: str) -> bool:
    """Whether the API takes it: images, PDF and texts; sounds it does not."""
    return media_type in IMAGE_TYPES or media_type == _PDF or is_text(media_type)


def parts_of(content: Content) -> list[dict[str, Any]]:
    """The blocks of a content; blank texts, which the API refuses, are left out.

    Raises:
        InvalidRequestError: A text has an address, and the API takes it only as it is.
    """
    parts = (Text(content),) if isinstance(content, str) else content
    return [_block(part) for part in parts if not isinstance(part, Text) or part.text.strip()]


def _block(part: Text | Attachment) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if part.media_type in IMAGE_TYPES:
        return {"type": "image", "source": _source(part)}
    title = {"title": part.name} if part.name else {}
    if part.media_type == _PDF:
        return {"type": "document", "source": _source(part), **title}
    if is_text(part.media_type):
        source = {"type": "text", "media_type": "text/plain", "data": text_in(part)}
        return {"type": "document", "source": source, **title}
    raise unsendable(part)


def _source(attachment: Attachment) -> dict[str, Any]:
    if attachment.url is not None:
        return {"type": "url", "url": attachment.url}
    media_type = attachment.media_type
    return {"type": "base64", "media_type": media_type, "data": base64_of(attachment)}
