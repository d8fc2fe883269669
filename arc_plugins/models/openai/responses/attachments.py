"""What is attached to messages, as the Responses API takes it."""

from base64 import b64encode
from typing import Any

from arc_core import Attachment, Content, Text

__all__ = ["content_of", "is_accepted"]

_IMAGES = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
_PDF = "application/pdf"
_TEXTS = frozenset({"application/json", "application/xml", "application/yaml"})


def is_accepted(media_type: str) -> bool:
    """Whether the API takes an attachment of a media type; sounds it does not."""
    return media_type in _IMAGES or media_type == _PDF or _is_text(media_type)


def content_of(content: Content) -> str | list[dict[str, Any]]:
    """The content of a message or of a tool's result; a text stays a text."""
    if isinstance(content, str):
        return content
    return [_part(part) for part in content]


def _part(part: Text | Attachment) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    if part.media_type.startswith("image/"):
        return {"type": "input_image", "detail": "auto", "image_url": part.url or _data_url(part)}
    if part.url is not None:
        return {"type": "input_file", "file_url": part.url}
    if _is_text(part.media_type):
        text = (part.data or b"").decode("utf-8", "replace")
        return {"type": "input_text", "text": f"[{part.name or part.media_type}]\n{text}"}
    name = part.name or "document.pdf"
    return {"type": "input_file", "filename": name, "file_data": _data_url(part)}


def _is_text(media_type: str) -> bool:
    return media_type.startswith("text/") or media_type in _TEXTS


def _data_url(part: Attachment) -> str:
    return f"data:{part.media_type};base64,{b64encode(part.data or b'').decode('ascii')}"
