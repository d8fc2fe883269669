"""The results of calls, in the forms of MCP."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
)

from arc_core import AgentResult, ApprovalRequest, Attachment, ToolOutcome, ToolResult
from arc_plugins.surfaces.mcp.call_meta import RUN_ID

__all__ = ["result_of_call", "result_of_run", "text_result"]


def text_result(text: str, *, run_id: str | None = None, is_error: bool = False) -> CallToolResult:
    """A result of one text."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        is_error=is_error,
        _meta=None if run_id is None else {RUN_ID: run_id},
    )


def result_of_run(
    result: AgentResult[Any],
    *,
    run_id: str,
    tell_waiting: Callable[[str, Sequence[ApprovalRequest]], str],
) -> CallToolResult:
    """The answer of an agent, why there is none, or for what the run waits."""
    if result.waiting:
        said = tell_waiting(run_id, result.waiting)
        text = f"{said} Call again with the id {run_id} as {RUN_ID} in _meta to read on."
        return text_result(text, run_id=run_id)
    answer = result.content if result.success else result.error_message
    return text_result(answer or "", run_id=run_id, is_error=not result.success)


def result_of_call(result: ToolResult) -> CallToolResult:
    """Return the result of a tool, with its attachments."""
    parts = (result.content,) if isinstance(result.content, str) else result.content
    blocks = [block for part in parts for block in _make_blocks(part)]
    return CallToolResult(content=blocks, is_error=result.outcome is not ToolOutcome.SUCCESS)


def _make_blocks(part: object) -> Iterator[ContentBlock]:
    if not isinstance(part, Attachment):
        text = part if isinstance(part, str) else getattr(part, "text", "")
        yield TextContent(type="text", text=text)
    elif part.data is None:
        yield TextContent(type="text", text=part.url or "")
    else:
        yield _file(part.data, part)


def _file(data: bytes, part: Attachment) -> ContentBlock:
    text, kind = b64encode(data).decode(), part.media_type.partition("/")[0]
    if kind == "image":
        return ImageContent(type="image", data=text, mime_type=part.media_type)
    if kind == "audio":
        return AudioContent(type="audio", data=text, mime_type=part.media_type)
    place = f"attachment:///{part.name or 'file'}"
    contents = BlobResourceContents(uri=place, mime_type=part.media_type, blob=text)
    return EmbeddedResource(type="resource", resource=contents)
