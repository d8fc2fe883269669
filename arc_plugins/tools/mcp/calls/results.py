"""From a server's content to what the engine renders: texts, and attachments in their places."""

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from typing import Any

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from arc_core import Attachment, AttachmentError
from arc_core.tools.json_schema import find_problems

Contents = str | tuple[str | Attachment, ...]
"""A text, or texts and attachments in their order."""

_MAX_PROBLEM_CHARS = 1000


def read_result(result: CallToolResult, *, max_chars: int) -> Contents:
    """The content of a result; a structure is written as JSON if there is nothing else.

    Args:
        result: Of a call.
        max_chars: Of all texts; more is cut off. One character more is kept, so that a reader with
            the same bound sees that there was more.
    """
    if not result.content and result.structured_content is not None:
        text = json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
        return text[: max_chars + 1]
    return read_blocks(result.content, max_chars=max_chars)


def read_blocks(blocks: Iterable[Any], *, max_chars: int) -> Contents:
    """The content of some blocks; images, sounds and documents are attachments, links are text."""
    return _join(map(_read_block, blocks), max_chars=max_chars)


def read_resources(
    contents: Iterable[TextResourceContents | BlobResourceContents], *, max_chars: int
) -> Contents:
    """The contents of a resource that was read."""
    return _join(map(_read_contents, contents), max_chars=max_chars)


def get_texts(contents: Contents) -> str:
    """The texts of some contents, a line apart."""
    pieces = (contents,) if isinstance(contents, str) else contents
    return "\n".join(piece for piece in pieces if isinstance(piece, str))


def _join(pieces: Iterable[str | Attachment], *, max_chars: int) -> Contents:
    joined: list[str | Attachment] = []
    room = max_chars + 1
    for piece in pieces:
        if isinstance(piece, Attachment):
            joined.append(piece)
        elif room > 0:
            text = piece[:room]
            room -= len(text) + 1
            if joined and isinstance(before := joined[-1], str):
                joined[-1] = f"{before}\n{text}"
            else:
                joined.append(text)
    if any(isinstance(piece, Attachment) for piece in joined):
        return tuple(joined)
    return get_texts(tuple(joined))


def _read_block(block: Any) -> str | Attachment:
    match block:
        case TextContent():
            return block.text
        case ImageContent() | AudioContent():
            return _attach(block.data, block.mime_type, name=None) or f"[{block.type}: unreadable]"
        case EmbeddedResource():
            return _read_contents(block.resource)
        case ResourceLink():
            return f"[{block.name}: {block.uri}]"
    return f"[{block.type}: not a text]"


def _read_contents(contents: TextResourceContents | BlobResourceContents) -> str | Attachment:
    if isinstance(contents, TextResourceContents):
        return contents.text
    name = contents.uri.rstrip("/").rpartition("/")[2] or None
    found = _attach(contents.blob, contents.mime_type, name=name)
    return found or f"[{contents.uri}: not a text]"


def _attach(data: str, media_type: str | None, *, name: str | None) -> Attachment | None:
    """Return an attachment; None if the data or its type cannot be read."""
    try:
        found = base64.b64decode(data, validate=True)
        plain = None if media_type is None else media_type.partition(";")[0].strip()
        return Attachment.from_bytes(found, media_type=plain, name=name)
    except (binascii.Error, ValueError, AttachmentError):
        return None


async def find_result_flaw(result: CallToolResult, schema: Mapping[str, Any] | None) -> str | None:
    """Find what in the structure of a result does not fit the schema that its tool declares."""
    if schema is None:
        return None
    if result.structured_content is None:
        return "there is no structured content"
    problems = await find_problems(result.structured_content, schema, root="result")
    return "; ".join(problems)[:_MAX_PROBLEM_CHARS] or None
