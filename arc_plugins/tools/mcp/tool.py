"""One tool of one server, as the engine calls it."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from arc_core import Tool, ToolContext, ToolRetry
from arc_plugins.tools.mcp.calls.followed_task import finish_call
from arc_plugins.tools.mcp.calls.open_calls import McpReplyTooLargeError, TooManyRequestsError
from arc_plugins.tools.mcp.calls.results import Contents, find_result_flaw, get_texts, read_result
from arc_plugins.tools.mcp.listing import ListedTool
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
_ASKS_TOO_OFTEN = "This tool asks the user too often."
_MISSHAPEN = "The answer of this tool does not have the form that its server declares"


class McpTool(Tool):
    """Calls the server that listed it.

    Attributes:
        cacheable: False: what another program answers may change at any time.
        qualified_name: The server's and its own name for the tool: `mcp:shop/find_order`.
        is_shadowed: Whether a tool of an earlier server has its name, so that only agents get it
            that name it by `qualified_name`.
        may_ask: Whether the server may ask the user of the run.
        asks_agents: Whether the server may have a model answer.
        source_instructions: The server's words on its use, for the system prompt; mostly none.
    """

    cacheable = False

    def __init__(
        self,
        listed: ListedTool,
        *,
        name: str,
        server: McpServer,
        instructions: str,
        max_output_chars: int,
        is_shadowed: bool = False,
    ) -> None:
        self.name, self.description, self.parameters = name, listed.description, listed.parameters
        self.qualified_name = f"{get_qualifier(server.name)}{listed.name}"
        self.is_shadowed, self.source_instructions = is_shadowed, instructions
        self.may_ask, self.asks_agents = server.may_ask, server.asks_agents
        self.timeout_s = server.call_timeout_s
        self._listed, self._server, self._max_chars = listed, server, max_output_chars

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
