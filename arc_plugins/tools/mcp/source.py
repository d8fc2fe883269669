"""The tools of MCP servers, started and stopped with the application.

Pick it for tools that others have written, in any language. Each server is a child process or an
address; a call costs a message there and one back. Settings: `mcp.servers`, and the bound
`context.keep_result_chars` and `llm.max_reply_bytes`.
"""

import asyncio
from collections.abc import Collection, Container, Mapping, Sequence
from contextlib import aclosing

import anyio

from arc_core import ConfigurationError, Logger, PinnedTools, Tool, ToolContext
from arc_core.interfaces.optional import Health, HealthStatus
from arc_core.interfaces.tools.prompt_source import OfferedPrompt
from arc_core.timing.backoff import Backoff
from arc_plugins.tools.mcp.calls.open_calls import CallBounds
from arc_plugins.tools.mcp.calls.results import get_texts, read_blocks
from arc_plugins.tools.mcp.listing import LOGGED, LOGGED_NAME_CHARS, Catalogue, ServerLists
from arc_plugins.tools.mcp.owned_servers import OwnedServers
from arc_plugins.tools.mcp.server import McpServer
from arc_plugins.tools.mcp.settings import McpSettings
from arc_plugins.tools.mcp.tool import (
    RESOURCE_TOOL,
    LoginTool,
    McpTool,
    ReadResourceTool,
    get_qualifier,
    names_for,
)
from arc_plugins.tools.mcp.tool_files import KeptLists, PinFileError, write_pins

_RECONNECTS = Backoff(first_delay_s=0.5, max_delay_s=30.0)
_START_WAIT_S = 20.0


class McpTools:
    """The tools of all servers that are connected."""

    def __init__(
        self,
        *,
        settings: McpSettings,
        max_output_chars: int,
        max_reply_bytes: int,
        logger: Logger,
        reconnects: Backoff = _RECONNECTS,
    ) -> None:
        self._max_output_chars, self._logger = max_output_chars, logger
        self._tools: tuple[Tool, ...] | None = None
        self._dropped: dict[str, set[str]] = {}
        self.qualifiers = tuple(map(get_qualifier, settings.servers))
        self._owned = OwnedServers(
            idle_s=settings.idle_s, max_connections=settings.max_connections, logger=logger
        )
        bounds = CallBounds(max_reply_bytes=max_reply_bytes, hold_s=settings.elicitation_hold_s)
        self._lists = KeptLists(settings.lists, logger=logger)
        self._servers = [
            McpServer(
                name,
                settings=each,
                bounds=bounds,
                reconnects=reconnects,
                logger=logger,
                on_change=self._forget,
                owned=self._owned,
            )
            for name, each in settings.servers.items()
        ]

    def tools(self) -> Sequence[Tool]:
        """Those of the servers in the order of the settings, each in its own order.

        One whose name a server before has is shadowed: agents get it by naming its server.
        """
        if self._tools is None:
            self._tools = self._name_tools()
        return self._tools

    @property
    def user_qualifiers(self) -> Sequence[str]:
        """Those of the servers whose tools are listed for one user at a time."""
        return [get_qualifier(each.name) for each in self._servers if each.has_lists_of_owners]

    async def list_for(self, qualifier: str, context: ToolContext) -> Sequence[Tool]:
        """Return the tools of a server that wants a login, for the user of a run alone.

        Raises:
            McpServerDownError: The user cannot be connected to it.
            Exception: What `context.credential` raises.
        """
        server = next(each for each in self._servers if get_qualifier(each.name) == qualifier)
        if not server.asks_at_start:  # it is down, or its tools are those of all
            return ()
        return self._make_tools(server, await server.list_for(context))

    async def start(self) -> None:
        """Connect to all servers at once.

        Returns when each has connected or failed, after twenty seconds at the latest; those that
        are slower come later.
        """
        try:
            for server in self._servers:
                if server.settings.has_owners and server.settings.login == "first_use":
                    place = server.settings.place
                    kept = await asyncio.to_thread(self._lists.read, server.name, place)
                    await server.recall(kept)
                server.start()
            with anyio.move_on_after(_START_WAIT_S):
                for server in self._servers:
                    await server.tried.wait()
        except BaseException:
            await self.aclose()
            raise
        if slow := [server.name for server in self._servers if not server.tried.is_set()]:
            self._logger.warning("mcp servers are still connecting", servers=slow)

    async def aclose(self) -> None:
        """Disconnect from all servers at once, and end the child processes."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._owned.aclose())
            for server in self._servers:
                group.create_task(server.aclose())

    async def check_health(self) -> Health:
        """True if every server is connected and has listed its tools."""
        down = [each.name for each in self._servers if not (each.is_up or each.wants_login)]
        if down:
            return Health(
                status=HealthStatus.ERROR,
                summary=f"not connected: {', '.join(down)}",
                remedy="start what mcp.servers names by hand, and read what it writes",
            )
        offered = sum(not getattr(tool, "is_shadowed", False) for tool in self.tools())
        return Health(
            status=HealthStatus.OK, summary=f"{len(self._servers)} servers with {offered} tools"
        )

    async def pin_tools(self) -> Sequence[PinnedTools]:
        """Confirm the tools of each server that is pinned, as they are now."""
        pinned = [server for server in self._servers if server.settings.pin is not None]
        if not pinned:
            raise ConfigurationError(
                "no MCP server is pinned, so that there is nothing to confirm",
                remedy='set mcp.servers.<name>.pin, as in pin = "arc-mcp.json"',
            )
        await self.start()
        async with aclosing(self):
            return [await asyncio.to_thread(self._pin, server) for server in pinned]

    def _pin(self, server: McpServer) -> PinnedTools:
        path = server.settings.pin
        assert path is not None
        if not server.is_up:
            raise ConfigurationError(
                f"the MCP server {server.name} is not connected, and its tools cannot be confirmed",
                remedy="start what mcp.servers names by hand, and read what it writes",
            )
        try:
            write_pins(path, server=server.name, tools=server.lists.listed)
        except (OSError, PinFileError) as error:
            raise ConfigurationError(
                f"the digests of the tools of {server.name} cannot be written",
                evidence=[f"{path}: {error}"],
                remedy=f"repair or remove the file that mcp.servers.{server.name}.pin names",
            ) from error
        tools = [(tool.name, tool.digest) for tool in server.lists.listed]
        return PinnedTools(server=server.name, place=str(path), tools=tools)

    async def list_prompts(self) -> Sequence[OfferedPrompt]:
        """Connect, list the prompts of every server that is there, and disconnect."""
        await self.start()
        async with aclosing(self):
            return [
                OfferedPrompt(
                    name=f"{get_qualifier(server.name)}{prompt.name}",
                    description=prompt.description,
                    arguments=prompt.arguments,
                    required=prompt.required,
                )
                for server in self._servers
                for prompt in server.lists.catalogue.prompts
            ]

    async def write_prompt(self, name: str, arguments: Mapping[str, str]) -> str | None:
        """The texts of a prompt's messages, a paragraph each; None if no server is named.

        Raises:
            McpServerDownError: The server is not connected.
            Exception: What the SDK raises if there is no such prompt, or its arguments are wrong.
        """
        for server in self._servers:
            prefix = get_qualifier(server.name)
            if name.startswith(prefix):
                result = await server.get_prompt(name.removeprefix(prefix), arguments)
                blocks = [message.content for message in result.messages]
                return get_texts(read_blocks(blocks, max_chars=self._max_output_chars))
        return None

    def _forget(self) -> None:
        self._tools = None
        for server in self._servers:
            if server.has_learned:
                server.has_learned = False
                self._lists.write(server.name, server.settings.place, server.lists.listed)

    def _name_tools(self) -> tuple[Tool, ...]:
        names = names_for(
            {
                server.name: [listed.name for listed in server.lists.listed]
                for server in self._servers
            }
        )
        self._tell_dropped(names)
        tools: list[Tool] = []
        for server in self._servers:
            if server.asks_at_start or not (server.is_up or server.wants_login):
                continue
            if server.wants_login and not server.lists.listed:
                tools.append(LoginTool(server))
            shadowed = {name for name in server.lists.names if (server.name, name) not in names}
            taken = {tool.name for tool in tools}
            tools += self._make_tools(server, server.lists, shadowed=shadowed, taken=taken)
        return tuple(tools)

    def _make_tools(
        self,
        server: McpServer,
        lists: ServerLists,
        *,
        shadowed: Container[str] = (),
        taken: Collection[str] = (),
    ) -> Sequence[Tool]:
        """Return the tools of a server, and that for its resources, unless its name is taken."""
        tools: list[Tool] = [
            McpTool(
                listed,
                server=server,
                instructions=lists.instructions,
                max_output_chars=self._max_output_chars,
                is_shadowed=listed.name in shadowed,
            )
            for listed in lists.offered
        ]
        names = {*taken, *(tool.name for tool in tools)}
        return [*tools, *self._make_resource_tool(server, lists.catalogue, names)]

    def _make_resource_tool(
        self, server: McpServer, catalogue: Catalogue, taken: Container[str]
    ) -> Sequence[Tool]:
        """Return the tool for the resources of a server; none without any, or if it may not."""
        allowed = server.settings.allowed_tools
        is_allowed = allowed is None or RESOURCE_TOOL in allowed
        if not is_allowed or not (catalogue.resources or catalogue.templates):
            return ()
        tool = ReadResourceTool(
            server, is_only=len(self._servers) == 1, max_output_chars=self._max_output_chars
        )
        return () if tool.name in taken else (tool,)

    def _tell_dropped(self, names: Container[tuple[str, str]]) -> None:
        """Each once, and again after it had come back."""
        for server in self._servers:
            dropped = {
                tool.name for tool in server.lists.listed if (server.name, tool.name) not in names
            }
            if fresh := sorted(dropped - self._dropped.get(server.name, set())):
                self._logger.warning(
                    "mcp tools are left out, but for agents that name their server: a server that "
                    "is named earlier has tools of their names",
                    server=server.name,
                    tools=[name[:LOGGED_NAME_CHARS] for name in fresh[:LOGGED]],
                    count=len(fresh),
                )
            self._dropped[server.name] = dropped
