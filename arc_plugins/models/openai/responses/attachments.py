"""What is attached to messages, as the Responses API takes it."""

from base64 import b64encode
from typing import Any

from arc_core import Attachment, Content, Text

__all__ = ["content_of", "is_accepted"]

_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_PDF = "application/pdf"
_PLAIN = "text/plain"


def is_accepted(media_type: str) -> bool:
    """Whether the API takes an attachment of a media type; sounds it does not."""
    return media_type in _IMAGES or media_type in {_PDF, _PLAIN}


def content_of(content: Content) -> str | list[dict[str, Any]]:
    """The content of a message or of a tool's result; a text stays a text."""
    if isinstance(content, str):
        return content
    return [_part(part) for part in content]


def _part(part: Text | Attachment) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    if part.media_type.startswith("image/"):
        return {"type": "input_image", "detail": "auto", "image_url": _address(part)}
    if part.media_type == _PLAIN and part.data is not None:
        return {"type": "input_text", "text": part.data.decode("utf-8", "replace")}
    if part.url is not None:
        return {"type": "input_file", "file_url": part.url}
    name = part.name or "document.pdf"
    return {"type": "input_file", "filename": name, "file_data": _address(part)}


def _address(part: Attachment) -> str:
    if part.data is None:
        return part.url or ""
    return f"data:{part.media_type};base64,{b64encode(part.data).decode('ascii')}"
