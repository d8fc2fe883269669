"""The tools of one server, as the engine calls them: its own, its resources, and the login."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from mcp import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from arc_core import Tool, ToolContext, ToolRetry
from arc_plugins.tools.mcp.calls.open_calls import McpReplyTooLargeError, TooManyRequestsError
from arc_plugins.tools.mcp.calls.results import (
    Contents,
    find_result_flaw,
    get_texts,
    read_resources,
    read_result,
)
from arc_plugins.tools.mcp.followed_task import finish_call
from arc_plugins.tools.mcp.listing import Catalogue, ListedResource, ListedTool
from arc_plugins.tools.mcp.server import McpServer

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
    seed = f"{server}\0{tool}".encode(errors="surrogatepass")
    return f"{start}_{hashlib.sha256(seed).hexdigest()[:_DIGEST_CHARS]}"


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


_TOO_LARGE = "The answer of this tool was larger than it may be. Ask for less at a time."
_ASKS_TOO_OFTEN = "This tool asks the user too often."
_MISSHAPEN = "The answer of this tool does not have the form that its server declares"


class _ServerTool(Tool):
    """A tool that asks a server.

    Attributes:
        cacheable: False: what another program answers may change at any time.
        qualified_name: The server's and its own name for the tool: `mcp:shop/find_order`.
        may_ask: Whether the server may ask the user of the run.
        asks_agents: Whether the server may have a model answer.
    """

    cacheable = False

    def __init__(self, server: McpServer, *, own_name: str, name: str) -> None:
        self.name, self.qualified_name = name, f"{get_qualifier(server.name)}{own_name}"
        self.may_ask, self.asks_agents = server.may_ask, server.settings.sampling
        self.timeout_s = server.settings.call_timeout_s
        self._server = server


class McpTool(_ServerTool):
    """Calls the server that listed it.

    Attributes:
        is_shadowed: Whether a tool of an earlier server has its name, so that only agents get it
            that name it by `qualified_name`.
        source_instructions: The server's words on its use, for the system prompt; mostly none.
    """

    def __init__(
        self,
        listed: ListedTool,
        *,
        server: McpServer,
        instructions: str,
        max_output_chars: int,
        is_shadowed: bool = False,
    ) -> None:
        super().__init__(server, own_name=listed.name, name=name_for(server.name, listed.name))
        self.description, self.parameters = listed.description, listed.parameters
        self.is_shadowed, self.source_instructions = is_shadowed, instructions
        self._listed, self._max_chars = listed, max_output_chars

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> Contents:
        """Call it, and read what it answers.

        Raises:
            ToolRetry: The server says that it has failed, in words for the model; or it answers
                with more than `llm.max_reply_bytes`, or otherwise than it declares.
            McpServerDownError: The server is not connected.
            Exception: What the SDK raises for a lost connection or an answer it cannot read.
        """
        try:
            call = partial(self._server.call, self._listed, arguments, context)
            result = await finish_call(self._server, call, context)
        except McpReplyTooLargeError as error:
            raise ToolRetry(_TOO_LARGE) from error
        except TooManyRequestsError as error:
            raise ToolRetry(_ASKS_TOO_OFTEN) from error
        contents = read_result(result, max_chars=self._max_chars)
        if result.is_error:
            raise ToolRetry(get_texts(contents))
        if flaw := await find_result_flaw(result, self._listed.output):
            raise ToolRetry(f"{_MISSHAPEN}: {flaw}")
        return contents


RESOURCE_TOOL = "read_resource"
_MAX_LISTED = 100
_NOT_FOUND = -32002  # of the eras until 2025-11-25
_REFUSALS = frozenset({INVALID_PARAMS, INTERNAL_ERROR, _NOT_FOUND})
_RESOURCE_TOO_LARGE = "This resource is larger than it may be."


class ReadResourceTool(_ServerTool):
    """Reads resources of a server, or lists them.

    Its description has no words of the server, so that it never changes; what there is the model
    is told as a result, which guards of results check.

    Attributes:
        resources_at: The beginning of addresses by which its resources are attached.
    """

    def __init__(self, server: McpServer, *, is_only: bool, max_output_chars: int) -> None:
        own = RESOURCE_TOOL
        name = own if is_only else name_for(server.name, f"{own}_{server.name}")
        super().__init__(server, own_name=own, name=name)
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
        self._max_chars = max_output_chars

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> Contents:
        """Read a resource, or list some.

        Raises:
            ToolRetry: There is no such resource, in the words of the server; or it is too large.
            Exception: What `McpServer.call` raises.
        """
        address = arguments.get("address", "")
        if not address:
            catalogue = await self._server.find_resources(context)
            return _list(catalogue, arguments.get("find", ""))
        try:
            result = await self._server.read_resource(address, context)
        except McpReplyTooLargeError as error:
            raise ToolRetry(_RESOURCE_TOO_LARGE) from error
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


class LoginTool(_ServerTool):
    """Has the user log in, and tells the names of the tools that there are then.

    Offered only until a user has logged in: then the tools themselves are. It waits for the login
    without a time limit.
    """

    def __init__(self, server: McpServer) -> None:
        name = name_for(server.name, f"log_in_{server.name}")
        super().__init__(server, own_name="log_in", name=name)
        self.may_ask, self.asks_agents, self.timeout_s = True, False, None
        self.description = (
            f"Ask the user to log in at the server {server.name}, whose tools can be used then."
        )
        self.parameters: Mapping[str, Any] = {"type": "object", "properties": {}}

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Wait for the login, and list the tools; raises what `McpServer.call` does."""
        lists = await self._server.list_for(context)
        names = ", ".join(each.name for each in lists.offered) or "none"
        return f"The user is logged in. From the next message on there are these tools: {names}."
