"""One server: connected, kept, and connected again, by a task of its own.

The SDK's client belongs to the task that entered it: a lost connection cancels that task, and no
other can leave it. So one task owns it, and everyone else only calls through it.
"""

import asyncio
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import anyio
from mcp import Client, MCPError
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import CallToolResult, RequestParamsMeta, ToolListChangedNotification

from arc_core import Logger
from arc_core.timing.backoff import Backoff
from arc_plugins.tools.mcp.listing import ListedTool, list_tools
from arc_plugins.tools.mcp.pins import ToolChanges
from arc_plugins.tools.mcp.settings import McpServerSettings
from arc_plugins.tools.mcp.stdio import ServerOutput
from arc_plugins.tools.mcp.transports import transport_to


class McpServerDownError(Exception):
    """A tool was called whose server is not connected at this moment."""

    def __init__(self, *, server: str) -> None:
        super().__init__(server)
        self.server = server

    def __str__(self) -> str:
        return f"the MCP server {self.server} is not connected"


class McpReplyTooLargeError(Exception):
    """A reply was larger than `llm.max_reply_bytes`."""

    def __init__(self, *, server: str) -> None:
        super().__init__(server)
        self.server = server

    def __str__(self) -> str:
        return f"the MCP server {self.server} replies with more than llm.max_reply_bytes"


class McpServer:
    """A server of the settings."""

    def __init__(
        self,
        name: str,
        *,
        settings: McpServerSettings,
        max_reply_bytes: int,
        reconnects: Backoff,
        logger: Logger,
        on_change: Callable[[], None],
    ) -> None:
        self.name, self._settings, self._max_reply_bytes = name, settings, max_reply_bytes
        self._reconnects, self._logger, self._on_change = reconnects, logger, on_change
        self.listed: tuple[ListedTool, ...] = ()
        self.offered: tuple[ListedTool, ...] = ()
        self.tried = asyncio.Event()
        self._changes = ToolChanges(name, pin=settings.pin, logger=logger)
        self._client: Client | None = None
        self._doubted, self._is_list_old, self._wake = False, False, asyncio.Event()
        self._is_known_down = self._has_listed = False
        self._too_large = 0
        self._scope: anyio.CancelScope | None = None
        self._owner: asyncio.Task[None] | None = None

    @property
    def is_up(self) -> bool:
        """True if its tools can be called now."""
        return self._client is not None

    def start(self) -> None:
        """Begin to connect."""
        self._scope = anyio.CancelScope()
        self._owner = asyncio.create_task(self._own(self._scope), name=f"arc-mcp-{self.name}")

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        idempotency_key: str = "",
        report: ProgressFnT | None = None,
    ) -> CallToolResult:
        """Call a tool. Whenever no answer comes, the connection is examined afterwards.

        Raises:
            McpServerDownError: Not connected.
            McpReplyTooLargeError: The reply was larger than it may be.
            Exception: What the SDK raises for a lost connection or an answer it cannot read.
        """
        if self._client is None:
            raise McpServerDownError(server=self.name)
        is_answered, too_large = False, self._too_large
        meta = _read_meta(idempotency_key) if idempotency_key else None
        try:
            result = await self._client.call_tool(
                tool, dict(arguments), progress_callback=report, meta=meta
            )
            is_answered = True
            return result
        except Exception as error:
            if self._too_large > too_large:
                raise McpReplyTooLargeError(server=self.name) from error
            raise
        finally:
            if not is_answered:
                self._doubt()

    async def aclose(self) -> None:
        """Disconnect; a child process has ended afterwards."""
        # A second cancellation of the task itself would cut short the end of the child process,
        # which is protected against cancelled scopes only.
        if self._scope is not None:
            self._scope.cancel()
        if self._owner is not None:
            await asyncio.wait([self._owner])

    async def _own(self, scope: anyio.CancelScope) -> None:
        with scope:
            failures = 0
            while True:
                began = anyio.current_time()
                cause = await self._be_connected()
                if anyio.current_time() - began > self._reconnects.max_delay_s:
                    failures = 0
                self._note_down(cause)
                failures += 1
                await anyio.sleep(self._reconnects.delay_s(failures))

    async def _be_connected(self) -> str:
        """Be connected as long as it lasts; the class of what ended it."""
        self._doubted = self._is_list_old = False
        transport = transport_to(
            self._settings,
            max_reply_bytes=self._max_reply_bytes,
            output=ServerOutput(self.name, logger=self._logger),
            on_end=self._doubt,
            on_too_large=self._note_too_large,
        )
        try:
            with anyio.CancelScope(deadline=self._deadline()) as scope:
                async with (
                    Client(transport, cache=None, message_handler=self._receive) as client,
                    anyio.create_task_group() as group,
                ):
                    await self._list(client)
                    group.start_soon(self._listen, client)
                    await self._keep(client, scope)
        except Exception as error:  # noqa: BLE001 -- whatever it was, the server is tried again
            return ", ".join(dict.fromkeys(type(each).__name__ for each in _leaves(error)))
        finally:
            self._client = None
            self._on_change()
        return TimeoutError.__name__

    async def _keep(self, client: Client, scope: anyio.CancelScope) -> None:
        """See whether the connection lasts when it is in doubt, and list again what has changed.

        A lost connection raises. What a call without an answer shows of the list is not taken over:
        otherwise a server could change its tools without saying so.
        """
        while True:
            scope.deadline = math.inf
            await self._wake.wait()
            self._wake.clear()
            scope.deadline = self._deadline()
            if self._doubted:
                self._doubted = False
                await client.list_tools(cache_mode="refresh")
            if self._is_list_old:
                await anyio.sleep(self._reconnects.first_delay_s)  # one list for many changes
                self._is_list_old = False
                await self._list(client)

    async def _list(self, client: Client) -> None:
        listed = await list_tools(
            client,
            server=self.name,
            allowed=self._settings.allowed_tools,
            logger=None if self._has_listed else self._logger,
        )
        offered = await self._changes.choose_offered(listed)
        self._has_listed = True
        self._note_up(client, listed, offered)

    async def _listen(self, client: Client) -> None:
        """Hear of changes from servers of the newer protocol; others tell them unasked."""
        while True:
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    async for _ in changes:
                        self._note_list_is_old()
            except (ListenNotSupportedError, MCPError):
                return
            except (SubscriptionLost, TimeoutError):
                self._doubt()
            await anyio.sleep(self._reconnects.max_delay_s)
            self._note_list_is_old()

    async def _receive(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._note_list_is_old()

    def _note_list_is_old(self) -> None:
        self._is_list_old = True
        self._wake.set()

    def _doubt(self) -> None:
        self._doubted = True
        self._wake.set()

    def _note_too_large(self) -> None:
        self._too_large += 1
        self._logger.warning(
            "mcp server replies with more than llm.max_reply_bytes; the reply is not read",
            server=self.name,
        )

    def _deadline(self) -> float:
        return anyio.current_time() + self._settings.connect_timeout_s

    def _note_up(
        self, client: Client, listed: tuple[ListedTool, ...], offered: tuple[ListedTool, ...]
    ) -> None:
        if self._is_known_down:
            self._logger.info("mcp server is back", server=self.name)
        self._is_known_down = False
        seen = (self._client, self.listed, self.offered)
        if seen != (client, listed, offered):
            self._client, self.listed, self.offered = client, listed, offered
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


def _read_meta(idempotency_key: str) -> RequestParamsMeta:
    meta = RequestParamsMeta()
    cast("dict[str, object]", meta)["idempotencyKey"] = idempotency_key
    return meta


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error
