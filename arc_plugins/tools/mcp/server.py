"""One server: connected, kept, and connected again, by a task of its own.

The SDK's client belongs to the task that entered it: a lost connection cancels that task, and no
other can leave it. So one task owns it, and everyone else only calls through it.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import anyio
from mcp import Client, MCPError
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.subscriptions import ToolsListChanged
from mcp_types import (
    URL_ELICITATION_REQUIRED,
    CallToolResult,
    GetPromptResult,
    InputRequest,
    PromptListChangedNotification,
    ReadResourceResult,
    Request,
    ResourceListChangedNotification,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from arc_core import Logger, Owner, ToolContext
from arc_core.timing.backoff import Backoff
from arc_plugins.tools.mcp.authorization import Challenge, LoginWantedError
from arc_plugins.tools.mcp.calls.open_calls import (
    CallBounds,
    McpReplyTooLargeError,
    McpServerDownError,
    OpenCalls,
    describe_call,
    relay_requests,
    report_log_messages,
    send_call,
)
from arc_plugins.tools.mcp.calls.server_requests import ServerRequests
from arc_plugins.tools.mcp.calls.task_messages import TasksExtension
from arc_plugins.tools.mcp.listing import (
    Catalogue,
    ListedTool,
    ServerLists,
    list_catalogue,
    list_tools,
)
from arc_plugins.tools.mcp.owned_servers import OwnedServers, OwnerCalls
from arc_plugins.tools.mcp.settings import McpServerSettings
from arc_plugins.tools.mcp.stdio import ServerOutput
from arc_plugins.tools.mcp.tool_files import ToolChanges
from arc_plugins.tools.mcp.transports import transport_to

_MAX_INSTRUCTIONS_CHARS = 8_000
_ResultT = TypeVar("_ResultT")


class McpServer:
    """A server of the settings."""

    def __init__(
        self,
        name: str,
        *,
        settings: McpServerSettings,
        bounds: CallBounds,
        reconnects: Backoff,
        logger: Logger,
        on_change: Callable[[], None],
        owned: OwnedServers | None = None,
    ) -> None:
        self.name, self.settings, self._bounds = name, settings, bounds
        self._reconnects, self._logger, self._on_change = reconnects, logger, on_change
        self._tokens: Sequence[str] = ()
        self._calls_of_owners: OwnerCalls[McpServer] | None = None
        if owned is not None and settings.has_owners:
            self._calls_of_owners = OwnerCalls(name, settings, owned=owned, make=self._make_owned)
        self.lists = ServerLists()
        self.tried, self.has_learned = asyncio.Event(), False
        self._listed_for, self._has_other_lists = set[Owner](), False
        self._changes = ToolChanges(name, pin=settings.pin, logger=logger)
        self._challenge: Challenge | None = None
        self._is_challenged = False
        self._client: Client | None = None
        self._doubted, self._is_list_old, self._wake = False, False, asyncio.Event()
        self._is_catalogue_old = False
        self._is_known_down = self._has_listed = False
        self._too_large = 0
        self._calls, self._requests = OpenCalls(), ServerRequests(name, settings, logger)
        self.task_changes: dict[str, asyncio.Event] = {}
        self._scope: anyio.CancelScope | None = None
        self._owner: asyncio.Task[None] | None = None

    @property
    def may_ask(self) -> bool:
        """True if it may ask the user of a run during a call, for a login among others."""
        return self.settings.elicitation or self._calls_of_owners is not None

    @property
    def is_up(self) -> bool:
        """True if it is connected."""
        return self._client is not None

    async def recall(self, listed: Sequence[ListedTool]) -> None:
        """Take over the last list of a server that wants a login, from before this process."""
        if listed and not self.lists.listed:
            offered = await self._changes.choose_offered(listed)
            self.lists = ServerLists(tuple(listed), offered)

    @property
    def asks_at_start(self) -> bool:
        """True if it lists its tools for one owner at a time, who logs in at the start of a run."""
        return self.wants_login and self.has_lists_of_owners

    @property
    def has_lists_of_owners(self) -> bool:
        """True if what it lists for one owner, if it wants a login, is offered to no other."""
        return self._has_other_lists or self.settings.login == "at_start"

    @property
    def wants_login(self) -> bool:
        """True if it says nothing without a login, and owners of runs can make one."""
        return self._challenge is not None and self._calls_of_owners is not None

    def start(self) -> None:
        """Begin to connect."""
        self._scope = anyio.CancelScope()
        self._owner = asyncio.create_task(self._own(self._scope), name=f"arc-mcp-{self.name}")

    async def call(
        self, tool: ListedTool, arguments: Mapping[str, Any], context: ToolContext
    ) -> CallToolResult:
        """Call a tool; a task may stand for the result.

        Whenever no answer comes, the connection is examined afterwards.

        Raises:
            McpServerDownError: Not connected.
            McpReplyTooLargeError: The reply was larger than it may be.
            Exception: What the SDK raises for a lost connection or an answer it cannot read.
        """

        def ask(client: Client) -> Awaitable[CallToolResult]:
            level = self.settings.log_level
            return send_call(client, tool, arguments, context=context, log_level=level)

        try:
            return await self._ask(context, ask)
        except MCPError as error:
            if error.error.code != URL_ELICITATION_REQUIRED or not self.settings.elicitation:
                raise
            await self._requests.ask_to_open(error.error, context)
        return await self._ask(context, ask)

    async def list_for(self, context: ToolContext) -> ServerLists:
        """Return the lists of the server for the owner of a run; raises what `call` does."""
        assert self._calls_of_owners is not None, "others have one list for all"
        return await self._calls_of_owners.ask(
            context,
            lambda server: server._get_lists(),  # noqa: SLF001 -- its own
        )

    async def find_resources(self, context: ToolContext) -> Catalogue:
        """Return the resources that the owner of a run may read; raises what `call` does."""
        if self.wants_login:
            return (await self.list_for(context)).catalogue
        return self.lists.catalogue

    async def _get_lists(self) -> ServerLists:
        if self._client is None:
            raise self._find_refusal()
        return self.lists

    async def send(self, request: Request[Any, Any], result_type: Any, context: ToolContext) -> Any:
        """Send a request about a task; raises what `call` does."""
        return await self._ask(
            context, lambda client: client.session.send_request(request, result_type)
        )

    async def answer(self, request: InputRequest, context: ToolContext) -> Any:
        """Answer what a task asks, if the server may ask it; see `ServerRequests.answer`."""
        return await self._requests.answer_if_allowed(request, context)

    async def read_resource(self, address: str, context: ToolContext) -> ReadResourceResult:
        """Read a resource; raises what `call` does, and `MCPError` if there is none."""

        def ask(client: Client) -> Awaitable[ReadResourceResult]:
            meta = describe_call(client, context, log_level=self.settings.log_level)
            return client.read_resource(address, meta=meta, cache_mode="refresh")

        return await self._ask(context, ask)

    async def get_prompt(self, name: str, arguments: Mapping[str, str]) -> GetPromptResult:
        """Have a prompt written; raises what `call` does, and `MCPError` if there is none."""
        return await self._ask(None, lambda client: client.get_prompt(name, dict(arguments)))

    async def _ask(
        self, context: ToolContext | None, ask: Callable[[Client], Awaitable[_ResultT]]
    ) -> _ResultT:
        """Ask the server something for a run, and doubt the connection unless it answers."""
        if self._calls_of_owners is not None and context is not None:
            return await self._calls_of_owners.ask(
                context,
                lambda server: server._ask(context, ask),  # noqa: SLF001 -- its own
            )
        if self._client is None:
            raise self._find_refusal()
        is_answered, too_large, call = False, self._too_large, None
        try:
            if context is None:
                result = await ask(self._client)
            else:
                with self._calls.begin(context) as call:
                    is_modern = self._client.protocol_version in MODERN_PROTOCOL_VERSIONS
                    hold_s = 0.0 if is_modern else self._bounds.hold_s
                    answer = partial(self._requests.answer, context=context, hold_s=hold_s)
                    result = await call.answer_while(ask(self._client), answer)
            is_answered = True
            return result
        except Exception as error:
            if self._too_large > too_large:
                raise McpReplyTooLargeError(server=self.name) from error
            if call is not None and call.challenge is not None:
                raise LoginWantedError(call.challenge) from error
            raise
        finally:
            if not is_answered:
                self._doubt()

    def _find_refusal(self) -> Exception:
        """Return why a server that is not connected cannot be asked."""
        if self._challenge is not None:
            return LoginWantedError(self._challenge)
        return McpServerDownError(server=self.name)

    def _make_owned(
        self, owner: Owner, settings: McpServerSettings, tokens: Sequence[str]
    ) -> "McpServer":
        """Return a connection of one owner; what is offered is known by one of the two."""
        wants_login = self.wants_login
        server = McpServer(
            self.name,
            settings=settings if wants_login else settings.model_copy(update={"pin": None}),
            bounds=self._bounds,
            reconnects=self._reconnects,
            logger=self._logger,
            on_change=lambda: self._learn(server, owner),
        )
        server._tokens, server.task_changes = tokens, self.task_changes
        if wants_login and not self.asks_at_start:  # else others would be told of as changes
            server._changes = self._changes
        return server

    def _learn(self, server: "McpServer", owner: Owner) -> None:
        """Take over what a server that wants a login lists for one who has made it.

        It is shown to others, until it is seen that the lists of two owners differ. That the list
        of an owner is another one than before says nothing of it: servers change.
        """
        if not self.wants_login or self.asks_at_start or not server.is_up:
            return
        lists = server.lists
        is_another = bool(self._listed_for) and owner not in self._listed_for
        self._listed_for.add(owner)
        if is_another and lists.listed != self.lists.listed:
            self._has_other_lists = True
            self._logger.warning(
                "mcp server lists other tools for another user: each is offered their own from now "
                'on, and a run asks for the login at its start, as with login = "at_start"',
                server=self.name,
                setting=f"mcp.servers.{self.name}.login",
            )
            lists = ServerLists()
        if lists != self.lists:
            self.lists, self.has_learned = lists, True
            self._on_change()

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
        self._doubted = self._is_list_old = self._is_catalogue_old = self._is_challenged = False
        transport = transport_to(
            self.settings.for_no_user(),
            max_reply_bytes=self._bounds.max_reply_bytes,
            output=ServerOutput(self.name, logger=self._logger, tokens=self._tokens),
            on_end=self._doubt,
            on_too_large=self._note_too_large,
            on_challenge=self._note_challenge,
            tokens=self._tokens,
        )
        try:
            with anyio.CancelScope(deadline=self._deadline()) as scope:
                async with (
                    self._make_client(transport) as client,
                    anyio.create_task_group() as group,
                ):
                    await self._list_catalogue(client)
                    await self._list(client)
                    group.start_soon(self._listen, client)
                    await self._keep(client, scope)
        except Exception as error:  # noqa: BLE001 -- whatever it was, the server is tried again
            return ", ".join(dict.fromkeys(type(each).__name__ for each in _leaves(error)))
        finally:
            self._client = None
            self._on_change()
        return TimeoutError.__name__

    def _make_client(self, transport: Any) -> Client:
        level, relay = self.settings.log_level, relay_requests(self._calls)
        return Client(
            transport,
            elicitation_callback=relay if self.settings.elicitation else None,
            sampling_callback=relay if self.settings.sampling else None,
            cache=None,
            extensions=[TasksExtension(self._wake_task)],
            message_handler=self._receive,
            logging_callback=(
                None if level == "off" else report_log_messages(self._calls, level=level)
            ),
        )

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
            if self._is_list_old or self._is_catalogue_old:
                await anyio.sleep(self._reconnects.first_delay_s)  # one list for many changes
            if self._is_catalogue_old:
                self._is_catalogue_old = False
                await self._list_catalogue(client)
            if self._is_list_old:
                self._is_list_old = False
                await self._list(client)

    async def _list(self, client: Client) -> None:
        listed = await list_tools(
            client,
            server=self.name,
            allowed=self.settings.allowed_tools,
            logger=None if self._has_listed else self._logger,
        )
        offered = await self._changes.choose_offered(listed)
        self._has_listed = True
        self._note_up(client, replace(self.lists, listed=listed, offered=offered))

    async def _list_catalogue(self, client: Client) -> None:
        """List resources and prompts; a server that is slow at it keeps its tools."""
        with anyio.move_on_after(self.settings.connect_timeout_s / 2):
            found = await list_catalogue(client, server=self.name, logger=self._logger)
            if found != self.lists.catalogue:
                if self._has_listed:
                    self._logger.info(
                        "mcp server offers other resources or prompts than before", server=self.name
                    )
                self.lists = replace(self.lists, catalogue=found)
                self._on_change()
        if self.settings.instructions:
            said = (client.instructions or "")[:_MAX_INSTRUCTIONS_CHARS]
            self.lists = replace(self.lists, instructions=said)

    async def _listen(self, client: Client) -> None:
        """Hear of changes from servers of the newer protocol; others tell them unasked."""
        while True:
            try:
                offered = client.server_capabilities
                async with client.listen(
                    tools_list_changed=True,
                    prompts_list_changed=offered.prompts is not None,
                    resources_list_changed=offered.resources is not None,
                ) as changes:
                    async for change in changes:
                        self._note_change(is_of_tools=isinstance(change, ToolsListChanged))
            except (ListenNotSupportedError, MCPError):
                return
            except (SubscriptionLost, TimeoutError):
                self._doubt()
            await anyio.sleep(self._reconnects.max_delay_s)
            self._note_change(is_of_tools=True)
            self._note_change(is_of_tools=False)

    async def _receive(self, message: IncomingMessage) -> None:
        match message:
            case ToolListChangedNotification():
                self._note_change(is_of_tools=True)
            case ResourceListChangedNotification() | PromptListChangedNotification():
                self._note_change(is_of_tools=False)

    def _wake_task(self, task_id: str) -> None:
        if (changed := self.task_changes.get(task_id)) is not None:
            changed.set()

    def _note_change(self, *, is_of_tools: bool) -> None:
        if is_of_tools:
            self._is_list_old = True
        else:
            self._is_catalogue_old = True
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

    def _note_challenge(self, challenge: Challenge) -> None:
        call = self._calls.find()
        if call is not None:
            call.challenge = challenge
        if self._client is None:
            self._challenge, self._is_challenged = challenge, True

    def _deadline(self) -> float:
        return anyio.current_time() + self.settings.connect_timeout_s

    def _note_up(self, client: Client, lists: ServerLists) -> None:
        if self._is_known_down:
            self._logger.info("mcp server is back", server=self.name)
        self._is_known_down, self._challenge = False, None
        if (self._client, self.lists) != (client, lists):
            self._client, self.lists = client, lists
            self._on_change()
        self.tried.set()

    def _note_down(self, cause: str) -> None:
        if not self._is_challenged:  # a process may end for want of the credential
            self._challenge = Challenge() if self.settings.env_services else None
        if self.wants_login:
            if not self._is_known_down:
                self._logger.info("mcp server wants a login of each user", server=self.name)
        elif not self._is_known_down:
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
