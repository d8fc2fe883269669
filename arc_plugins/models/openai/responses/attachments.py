"""What is attached to messages, as the Responses API takes it."""

from typing import Any

from arc_core import Attachment, Content, Text
from arc_core.wire.attachments import IMAGE_TYPES, data_url, is_text, text_in, unsendable

__all__ = ["content_of", "is_accepted"]

_PDF = "application/pdf"


def is_accepted(media_type: str) -> bool:
    """Whether the API takes an attachment of a media type; sounds it does not."""
    return media_type in IMAGE_TYPES or media_type == _PDF or is_text(media_type)


def content_of(content: Content) -> str | list[dict[str, Any]]:
    """The content of a message or of a tool's result; a text stays a text.

    Raises:
        InvalidRequestError: Something of it cannot be sent in this form.
    """
    if isinstance(content, str):
        return content
    return [_part(part) for part in content]


def _part(part: Text | Attachment) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    if part.media_type in IMAGE_TYPES:
        address = part.url or data_url(part)
        return {"type": "input_image", "detail": "auto", "image_url": address}
    if part.media_type == _PDF:
        if part.url is not None:
            return {"type": "input_file", "file_url": part.url}
        name = part.name or "document.pdf"
        return {"type": "input_file", "filename": name, "file_data": data_url(part)}
    if is_text(part.media_type):
        text = f"[{part.name or part.media_type}]\n{text_in(part)}"
        return {"type": "input_text", "text": text}
    raise unsendable(part)
