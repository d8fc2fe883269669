"""The tool by which a run asks for the login at a server whose tools are not known yet."""

from collections.abc import Mapping
from typing import Any

from arc_core import Tool, ToolContext
from arc_plugins.tools.mcp.server import McpServer
from arc_plugins.tools.mcp.tool import get_qualifier, name_for

NAME = "log_in"


class LoginTool(Tool):
    """Has the user log in, and tells the names of the tools that there are then.

    Offered only until a user has logged in: then the tools themselves are.

    Attributes:
        cacheable: False: another user has another login.
        qualified_name: `mcp:shop/log_in`.
        may_ask: True, as it waits for the login.
    """

    cacheable, may_ask = False, True
    timeout_s = None

    def __init__(self, server: McpServer) -> None:
        self.name = name_for(server.name, f"{NAME}_{server.name}")
        self.qualified_name = f"{get_qualifier(server.name)}{NAME}"
        self.description = (
            f"Ask the user to log in at the server {server.name}, whose tools can be used then."
        )
        self.parameters: Mapping[str, Any] = {"type": "object", "properties": {}}
        self._server = server

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Wait for the login, and list the tools.

        Raises:
            McpServerDownError: The server is not connected.
            Exception: What the SDK raises for a lost connection or an answer it cannot read.
        """
        del arguments
        lists = await self._server.list_for(context)
        names = ", ".join(each.name for each in lists.offered) or "none"
        return f"The user is logged in. From the next message on there are these tools: {names}."
