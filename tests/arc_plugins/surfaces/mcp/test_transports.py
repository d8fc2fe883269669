"""The sessions of HTTP clients."""

from arc_core.log import get_logger
from arc_plugins.surfaces.mcp.surface import McpSurface
from tests.serving import client_of, serving


async def test_a_session_that_is_idle_ends() -> None:
    """It is unknown afterwards, and what it holds is free."""
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }  # fmt: skip
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    accept = {"accept": "application/json, text/event-stream"}
    surface = McpSurface(logger=get_logger("test"), session_idle_s=0.001)
    others = {"components": {"exclude": ["surfaces:mcp"]}}

    async with serving(register=[surface], **others) as address, client_of(address) as http:
        begun = await http.post("/mcp", json=hello, headers=accept)
        headers = {**accept, "mcp-session-id": begun.headers["mcp-session-id"]}
        while (await http.post("/mcp", json=ping, headers=headers)).status_code != 404:
            pass

    assert begun.status_code == 200
