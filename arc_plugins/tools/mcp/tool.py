"""One tool of one server, as the engine calls it."""

from collections.abc import Mapping
from typing import Any

from arc_core import Tool, ToolContext
from arc_plugins.tools.mcp.content import text_of
from arc_plugins.tools.mcp.listing import ListedTool
from arc_plugins.tools.mcp.server import McpServer

__all__ = ["McpTool", "McpToolError"]

_LOGGED_CHARS = 500


class McpToolError(Exception):
    """A server says that a call of its tool has failed; its text is for the log, not for models.

    Attributes:
        server: The server's name in the settings.
        tool: The tool's name on the server.
        text: What the server says, cut.
    """

    def __init__(self, *, server: str, tool: str, text: str) -> None:
        super().__init__(server, tool, text)
        self.server, self.tool, self.text = server, tool, text

    def __str__(self) -> str:
        return f"{self.server}: {self.tool}: {self.text}"


class McpTool(Tool):
    """Calls the server that listed it.

    Attributes:
        cacheable: False: what another program answers may change at any time.
    """

    cacheable = False
    timeout_s = None

    def __init__(
        self, listed: ListedTool, *, name: str, server: McpServer, max_output_chars: int
    ) -> None:
        self.name, self.description, self.parameters = name, listed.description, listed.parameters
        self._listed, self._server, self._max_chars = listed, server, max_output_chars

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Call it, and make a text of what it answers.

        Raises:
            McpToolError: The server says that it has failed.
            McpServerDownError: The server is not connected.
            Exception: What the SDK raises for a lost connection or an answer it cannot read.
        """
        result = await self._server.call(self._listed.name, arguments)
        if result.is_error:
            raise McpToolError(
                server=self._server.name,
                tool=self._listed.name,
                text=text_of(result, max_chars=_LOGGED_CHARS),
            )
        return text_of(result, max_chars=self._max_chars)
