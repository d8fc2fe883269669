"""The tool by which a model lists and reads the resources of one server."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from mcp import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from arc_core import Tool, ToolContext, ToolRetry
from arc_plugins.tools.mcp.calls.open_calls import McpReplyTooLargeError
from arc_plugins.tools.mcp.calls.results import Contents, read_resources
from arc_plugins.tools.mcp.catalogues import Catalogue, ListedResource
from arc_plugins.tools.mcp.server import McpServer
from arc_plugins.tools.mcp.tool import get_qualifier, name_for

NAME = "read_resource"
_MAX_LISTED = 100
_NOT_FOUND = -32002  # of the eras until 2025-11-25
_REFUSALS = frozenset({INVALID_PARAMS, INTERNAL_ERROR, _NOT_FOUND})
_TOO_LARGE = "This resource is larger than it may be."


class ReadResourceTool(Tool):
    """Reads resources of a server, or lists them.

    Its description has no words of the server, so that it never changes; what there is the model
    is told as a result, which guards of results check.

    Attributes:
        cacheable: False: what another program answers may change at any time.
        qualified_name: The server's and its own name: `mcp:shop/read_resource`.
        resources_at: The beginning of addresses by which its resources are attached.
    """

    cacheable = False

    def __init__(self, server: McpServer, *, is_only: bool, max_output_chars: int) -> None:
        self.name = NAME if is_only else name_for(server.name, f"{NAME}_{server.name}")
        self.qualified_name = f"{get_qualifier(server.name)}{NAME}"
        self.resources_at = f"mcp://{server.name}/"
        self.description = (
            f"Read a resource of the server {server.name} by its address. Without an address, list "
            "the resources there are, and templates of addresses, whose braces you fill in."
        )
        self.parameters: Mapping[str, Any] = {
            "type": "object",
            "properties": {
                "address": {"type": "string", "description": "of one resource, to read it"},
                "find": {"type": "string", "description": "words of those to list; empty: all"},
            },
            "additionalProperties": False,
        }
        self.may_ask, self.asks_agents = server.may_ask, server.asks_agents
        self.timeout_s = server.call_timeout_s
        self._server, self._max_chars = server, max_output_chars

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> Contents:
        """Read a resource, or list some.

        Raises:
            ToolRetry: There is no such resource, in the words of the server; or it is too large.
            McpServerDownError: The server is not connected.
            Exception: What the SDK raises for a lost connection or an answer it cannot read.
        """
        address = arguments.get("address", "")
        if not address:
            catalogue = await self._server.find_resources(context)
            return _list(catalogue, arguments.get("find", ""))
        try:
            result = await self._server.read_resource(address, context)
        except McpReplyTooLargeError as error:
            raise ToolRetry(_TOO_LARGE) from error
        except MCPError as error:
            if error.error.code not in _REFUSALS:
                raise
            raise ToolRetry(f"The server cannot read it: {error.error.message}") from error
        return read_resources(result.contents, max_chars=self._max_chars)


def _list(catalogue: Catalogue, words: str) -> str:
    found = _find(chain(catalogue.templates, catalogue.resources), words)
    lines = [_describe(each) for each in islice(found, _MAX_LISTED)]
    if not lines:
        return "There are no such resources."
    more = sum(1 for _ in found)
    return "\n".join([*lines, f"[{more} more; find them by words]"] if more else lines)


def _find(resources: Iterable[ListedResource], words: str) -> Iterator[ListedResource]:
    wanted = words.casefold().split()
    for each in resources:
        text = f"{each.address} {each.name} {each.description}".casefold()
        if all(word in text for word in wanted):
            yield each


def _describe(resource: ListedResource) -> str:
    words = ": ".join(filter(None, (resource.name, resource.description)))
    return f"{resource.address} {words}".strip()
