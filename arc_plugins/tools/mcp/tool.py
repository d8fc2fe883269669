"""One tool of one server, as the engine calls it."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcp_types import CallToolResult, EmbeddedResource, ResourceLink, TextContent

from arc_core import Tool, ToolContext, ToolRetry
from arc_plugins.tools.mcp.listing import ListedTool
from arc_plugins.tools.mcp.server import McpReplyTooLargeError, McpServer


def join_text(result: CallToolResult, *, max_chars: int) -> str:
    """The texts of a result, a line apart; of what is not text, a note that it was there.

    Args:
        result: No error.
        max_chars: More is cut off. One character more is kept, so that a reader with the same bound
            sees that there was more.
    """
    pieces: list[str] = []
    room = max_chars + 1
    for piece in _texts(result):
        if room <= 0:
            break
        pieces.append(piece[:room])
        room -= len(pieces[-1]) + 1
    return "\n".join(pieces)


def _texts(result: CallToolResult) -> Iterator[str]:
    if not result.content and result.structured_content is not None:
        yield json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
    for block in result.content:
        yield _text(block)


def _text(block: Any) -> str:
    match block:
        case TextContent():
            return block.text
        case EmbeddedResource():
            text = getattr(block.resource, "text", None)
            return text if isinstance(text, str) else f"[{block.resource.uri}: not a text]"
        case ResourceLink():
            return f"[{block.name}: {block.uri}]"
    return f"[{block.type}: not a text]"


_ACCEPTED = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
_MAX_CHARS, _DIGEST_CHARS = 64, 8


def name_for(server: str, tool: str) -> str:
    """Return the model's name of a tool, whatever other servers there are.

    A name that vendors accept stays as it is. Any other gets its server's name in front and a
    digest behind.
    """
    if _ACCEPTED.fullmatch(tool):
        return tool
    start = _NOT_IN_A_NAME.sub("_", f"{server}_{tool}")[: _MAX_CHARS - _DIGEST_CHARS - 1]
    return f"{start}_{_digest(server, tool)}"


def names_for(listed: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], str]:
    """Return the model's name of each tool that it is offered.

    A name belongs to the first server that has it. A tool of a later server with that name is not
    in the result: under another name, a hook that blocks it would no longer know it.
    """
    names: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for server, tools in listed.items():
        for tool in tools:
            if (name := name_for(server, tool)) not in taken:
                names[server, tool] = name
                taken.add(name)
    return names


def get_qualifier(server: str) -> str:
    """Return the prefix by which agents name a server's tools."""
    return f"mcp:{server}/"


def _digest(*texts: str) -> str:
    seed = "\0".join(texts).encode(errors="surrogatepass")
    return hashlib.sha256(seed).hexdigest()[:_DIGEST_CHARS]


_TOO_LARGE = "The answer of this tool was larger than it may be. Ask for less at a time."


class _Report:
    """Passes on what a server says of how far a call is."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        """Called by the SDK for each notification."""
        if total is not None and total > 0:
            await self._context.progress(message or f"{progress:g} of {total:g}", progress / total)
        else:
            await self._context.progress(message or f"{progress:g}")


class McpTool(Tool):
    """Calls the server that listed it.

    Attributes:
        cacheable: False: what another program answers may change at any time.
        qualified_name: The server's and its own name for the tool: `mcp:shop/find_order`.
        is_shadowed: Whether a tool of an earlier server has its name, so that only agents get it
            that name it by `qualified_name`.
    """

    cacheable = False
    timeout_s = None

    def __init__(
        self,
        listed: ListedTool,
        *,
        name: str,
        server: McpServer,
        max_output_chars: int,
        is_shadowed: bool = False,
    ) -> None:
        self.name, self.description, self.parameters = name, listed.description, listed.parameters
        self.qualified_name = f"{get_qualifier(server.name)}{listed.name}"
        self.is_shadowed = is_shadowed
        self._listed, self._server, self._max_chars = listed, server, max_output_chars

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Call it, and make a text of what it answers.

        Raises:
            ToolRetry: The server says that it has failed, in words for the model; or it answers
                with more than `llm.max_reply_bytes`.
            McpServerDownError: The server is not connected.
            Exception: What the SDK raises for a lost connection or an answer it cannot read.
        """
        try:
            report = None if context.reporter is None else _Report(context)
            result = await self._server.call(
                self._listed.name,
                arguments,
                idempotency_key=context.idempotency_key,
                report=report,
            )
        except McpReplyTooLargeError as error:
            raise ToolRetry(_TOO_LARGE) from error
        text = join_text(result, max_chars=self._max_chars)
        if result.is_error:
            raise ToolRetry(text)
        return text
