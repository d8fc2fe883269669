"""One server: connected, kept, and connected again, by a task of its own.

The SDK's client belongs to the task that entered it: a lost connection cancels that task, and no
other can leave it. So one task owns it, and everyone else only calls through it.
"""

import asyncio
import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from mcp import Client
from mcp_types import CallToolResult

from arc_core import Logger
from arc_core.settings import McpServerSettings
from arc_plugins.tools.mcp.listing import ListedTool, list_tools
from arc_plugins.tools.mcp.transports import transport_to

__all__ = ["McpServer", "McpServerDownError", "Reconnects"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconnects:
    """After how many seconds a lost server is tried again, each delay twice the one before."""

    first_delay_s: float = 0.5
    max_delay_s: float = 30.0

    def delay_s(self, attempt: int) -> float:
        """The pause before an attempt, counted from 0."""
        delay = min(self.first_delay_s * 2.0 ** min(attempt, 30), self.max_delay_s)
        return delay * random.uniform(0.75, 1.25)  # noqa: S311 -- spreads load, hides nothing


class McpServerDownError(Exception):
    """A tool was called whose server is not connected at this moment.

    Attributes:
        server: The server's name in the settings.
    """

    def __init__(self, *, server: str) -> None:
        super().__init__(server)
        self.server = server

    def __str__(self) -> str:
        return f"the MCP server {self.server} is not connected"


class McpServer:
    """A server of the settings.

    Args:
        name: In the settings.
        settings: Where it is, and what of it is used.
        reconnects: After the connection is lost or could not be made.
        logger: Told when it goes and when it comes back, once each.
        on_change: Called when its tools or its state have changed.

    Attributes:
        name: As given.
        listed: Its tools as last seen, also while it is down.
        tried: Set once the first attempt to connect has ended, however it did.
    """

    def __init__(
        self,
        name: str,
        *,
        settings: McpServerSettings,
        reconnects: Reconnects,
        logger: Logger,
        on_change: Callable[[], None],
    ) -> None:
        self.name, self._settings, self._reconnects = name, settings, reconnects
        self._logger, self._on_change = logger, on_change
        self.listed: tuple[ListedTool, ...] = ()
        self.tried = asyncio.Event()
        self._client: Client | None = None
        self._doubted = asyncio.Event()
        self._is_known_down = self._has_listed = False
        self._scope: anyio.CancelScope | None = None
        self._owner: asyncio.Task[None] | None = None

    @property
    def is_up(self) -> bool:
        """Whether its tools can be called now."""
        return self._client is not None

    def start(self) -> None:
        """Begin to connect."""
        self._scope = anyio.CancelScope()
        self._owner = asyncio.create_task(self._own(), name=f"arc-mcp-{self.name}")

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """Call a tool. Whenever no answer comes, the connection is examined afterwards.

        Raises:
            McpServerDownError: Not connected.
            Exception: What the SDK raises for a lost connection or an answer it cannot read.
        """
        if self._client is None:
            raise McpServerDownError(server=self.name)
        is_answered = False
        try:
            result = await self._client.call_tool(tool, dict(arguments))
            is_answered = True
            return result
        finally:
            if not is_answered:
                self._doubted.set()

    async def aclose(self) -> None:
        """Disconnect; a child process has ended afterwards."""
        # A second cancellation of the task itself would cut short the end of the child process,
        # which the SDK protects against cancelled scopes only.
        if self._scope is not None and self._owner is not None:
            self._scope.cancel()
            await asyncio.wait([self._owner])

    async def _own(self) -> None:
        assert self._scope is not None, "start makes it"
        with self._scope:
            failures = 0
            while True:
                began = anyio.current_time()
                cause = await self._connected()
                if anyio.current_time() - began > self._reconnects.max_delay_s:
                    failures = 0
                self._note_down(cause)
                await anyio.sleep(self._reconnects.delay_s(failures))
                failures += 1

    async def _connected(self) -> str:
        """Be connected as long as it lasts; the class of what ended it."""
        try:
            with anyio.CancelScope(deadline=self._deadline()) as scope:
                transport = transport_to(self._settings, on_end=self._doubted.set)
                async with Client(transport, cache=None) as client:
                    await self._keep(client, scope)
        except Exception as error:  # noqa: BLE001 -- whatever it was, the server is tried again
            return ", ".join(dict.fromkeys(type(each).__name__ for each in _leaves(error)))
        finally:
            self._client = None
            self._on_change()
        return TimeoutError.__name__

    async def _keep(self, client: Client, scope: anyio.CancelScope) -> None:
        """List the tools, now and whenever the connection is in doubt: a lost one raises."""
        while True:
            listed = await list_tools(
                client,
                server=self.name,
                allowed=self._settings.allowed_tools,
                logger=None if self._has_listed else self._logger,
            )
            self._has_listed = True
            scope.deadline = math.inf
            self._note_up(client, listed)
            await self._doubted.wait()
            self._doubted.clear()
            scope.deadline = self._deadline()

    def _deadline(self) -> float:
        return anyio.current_time() + self._settings.connect_timeout_s

    def _note_up(self, client: Client, listed: tuple[ListedTool, ...]) -> None:
        if self._is_known_down:
            self._logger.info("mcp server is back", server=self.name)
        self._is_known_down = False
        if self._client is not client or self.listed != listed:
            self._client, self.listed = client, listed
            self._on_change()
        self.tried.set()

    def _note_down(self, cause: str) -> None:
        if not self._is_known_down:
            self._logger.warning(
                "mcp server is down; it is tried again, and its tools are not offered until then",
                server=self.name,
                setting=f"mcp.servers.{self.name}",
                cause=cause,
            )
        self._is_known_down = True
        self.tried.set()


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error
