"""One tool of one server, as the engine calls it."""

from collections.abc import Mapping
from typing import Any

from arc_core import Tool, ToolContext, ToolRetry
from arc_plugins.tools.mcp.content import text_of
from arc_plugins.tools.mcp.listing import ListedTool
from arc_plugins.tools.mcp.names import qualifier_of
from arc_plugins.tools.mcp.server import McpReplyTooLargeError, McpServer

__all__ = ["McpTool"]

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
        self.qualified_name = f"{qualifier_of(server.name)}{listed.name}"
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
        text = text_of(result, max_chars=self._max_chars)
        if result.is_error:
            raise ToolRetry(text)
        return text
