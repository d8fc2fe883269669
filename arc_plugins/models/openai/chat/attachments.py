"""What is attached to messages, as the Chat Completions API takes it."""

from typing import Any

from arc_core import Attachment, Content, Text
from arc_core.wire.attachments import (
    IMAGE_TYPES,
    base64_of,
    data_url,
    is_text,
    text_in,
    unsendable,
)

__all__ = ["is_accepted", "parts_of"]

_PDF = "application/pdf"
_SOUNDS = {
    "audio/mp3": "mp3",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "audio/wave": "wav",
    "audio/x-wav": "wav",
}


def is_accepted(media_type: str) -> bool:
    """Whether the API has a form for it; not every model understands all of them."""
    return (
        media_type in IMAGE_TYPES
        or media_type in _SOUNDS
        or media_type == _PDF
        or (is_text(media_type))
    )


def parts_of(content: Content) -> str | list[dict[str, Any]]:
    """The content of a user's message; a text stays one.

    Raises:
        InvalidRequestError: Something of it has an address, and the API takes bytes only.
    """
    if isinstance(content, str):
        return content
    return [_part(part) for part in content]


def _part(part: Text | Attachment) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if part.media_type in IMAGE_TYPES:
        return {"type": "image_url", "image_url": {"url": part.url or data_url(part)}}
    if part.media_type == _PDF:
        name = part.name or "document.pdf"
        return {"type": "file", "file": {"filename": name, "file_data": data_url(part)}}
    if part.media_type in _SOUNDS:
        sound = {"data": base64_of(part), "format": _SOUNDS[part.media_type]}
        return {"type": "input_audio", "input_audio": sound}
    if is_text(part.media_type):
        return {"type": "text", "text": f"[{part.name or part.media_type}]\n{text_in(part)}"}
    raise unsendable(part)
