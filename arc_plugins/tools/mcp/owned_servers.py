"""Connections of one owner each, made on first use, and closed when they are idle or too many.

Each has the credentials of its owner for as long as it lasts: a new token is a new connection.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

from arc_core import Credential, Logger, Owner, ToolContext
from arc_plugins.tools.mcp.authorization import LoginWantedError
from arc_plugins.tools.mcp.settings import McpServerSettings


class OwnedServer(Protocol):
    """A connection to a server, as far as it is kept here."""

    name: str
    tried: asyncio.Event

    def start(self) -> None:
        """Begin to connect."""

    async def aclose(self) -> None:
        """Disconnect."""


class TooManyConnectionsError(Exception):
    """Each of `mcp.max_connections` is in use at this moment."""


@dataclass(eq=False, slots=True)
class _Entry:
    server: OwnedServer
    tokens: str
    users: int = 0
    timer: asyncio.TimerHandle | None = None


class OwnedServers:
    """The connections of all owners to all servers that have one for each; idle ones are closed."""

    def __init__(self, *, idle_s: float, max_connections: int, logger: Logger) -> None:
        self._idle_s, self._max, self._logger = idle_s, max_connections, logger
        self._entries: dict[tuple[str, Owner], _Entry] = {}
        self._closing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def use(
        self, key: tuple[str, Owner], make: Callable[[], OwnedServer], *, tokens: str = ""
    ) -> AsyncGenerator[OwnedServer]:
        """The connection of an owner to a server, which has been tried, for the time of one call.

        With other tokens than before, of which a hash is given, it is made anew.

        Raises:
            TooManyConnectionsError: There are as many as may be, and all in use.
        """
        entry = self._entries.pop(key, None)
        if entry is not None and entry.tokens != tokens:
            self._close_unless_used(entry)
            entry = None
        if entry is None:
            self._make_room()
            entry = _Entry(make(), tokens)
            entry.server.start()
        self._entries[key] = entry  # the one that was used last is the last
        entry.users += 1
        if entry.timer is not None:
            entry.timer.cancel()
        try:
            await entry.server.tried.wait()
            yield entry.server
        finally:
            entry.users -= 1
            if entry.users == 0 and self._entries.get(key) is entry:
                loop = asyncio.get_running_loop()
                entry.timer = loop.call_later(self._idle_s, self._end_idle, key, entry)
            elif entry not in self._entries.values():
                self._close_unless_used(entry)

    def discard(self, key: tuple[str, Owner], *, tokens: str) -> None:
        """Let the next call have another connection than the one with these tokens."""
        entry = self._entries.get(key)
        if entry is not None and entry.tokens == tokens:
            del self._entries[key]
            self._close_unless_used(entry)

    async def aclose(self) -> None:
        """Close all of them."""
        while self._entries:
            self._close(self._entries.popitem()[1])
        if self._closing:
            await asyncio.wait(tuple(self._closing))

    def _make_room(self) -> None:
        """Begin to close a connection if there are as many as may be."""
        if len(self._entries) < self._max:
            return
        idle = next((key for key, each in self._entries.items() if each.users == 0), None)
        if idle is None:
            raise TooManyConnectionsError
        self._close(self._entries.pop(idle))

    def _end_idle(self, key: tuple[str, Owner], entry: _Entry) -> None:
        if entry.users == 0 and self._entries.get(key) is entry:
            del self._entries[key]
            self._close(entry)

    def _close_unless_used(self, entry: _Entry) -> None:
        if entry.users == 0:
            self._close(entry)

    def _close(self, entry: _Entry) -> None:
        if entry.timer is not None:
            entry.timer.cancel()
        self._logger.info("mcp connection of a user is closed", server=entry.server.name)
        task = asyncio.create_task(entry.server.aclose(), name="arc-mcp-closing")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


_ATTEMPTS = 3
_ServerT = TypeVar("_ServerT", bound=OwnedServer)
_ResultT = TypeVar("_ResultT")


class OwnerCalls(Generic[_ServerT]):
    """The calls of one server, each by a connection of the run's owner with their credentials."""

    def __init__(
        self,
        name: str,
        settings: McpServerSettings,
        *,
        owned: OwnedServers,
        make: Callable[[Owner, McpServerSettings, Sequence[str]], _ServerT],
    ) -> None:
        self._name, self._settings, self._owned, self._make = name, settings, owned, make
        self._own = f"mcp:{name}"
        self._services = settings.login_services(own=self._own)

    async def ask(
        self, context: ToolContext, ask: Callable[[_ServerT], Awaitable[_ResultT]]
    ) -> _ResultT:
        """Ask for a run; a token that is refused is renewed once, then a login is waited for.

        Raises:
            RunSuspended: The owner has to log in.
            LoginWantedError: The server takes no token.
            Exception: What asking raises.
        """
        owner = Owner(user_id=context.user_id, tenant_id=context.tenant_id)
        found = {each: await context.credential(each) for each in self._services}
        for attempt in range(_ATTEMPTS):
            try:
                return await self._ask_with(owner, found, ask)
            except LoginWantedError as error:
                if attempt == _ATTEMPTS - 1 or not found:
                    raise
                challenge = error.challenge
            for service in self._refusable:
                found[service] = await context.credential(
                    service,
                    rejected=found[service],
                    scopes=challenge.scopes if challenge.is_for_more else (),
                )
        raise AssertionError("the last attempt raises")

    @property
    def _refusable(self) -> Sequence[str]:
        """The services whose tokens the server has refused, if it wants a login."""
        return (self._own,) if self._own in self._services else self._services

    async def _ask_with(
        self,
        owner: Owner,
        found: dict[str, Credential],
        ask: Callable[[_ServerT], Awaitable[_ResultT]],
    ) -> _ResultT:
        texts = {name: each.token.get_secret_value() for name, each in found.items()}
        key, tokens = (self._name, owner), _hash_tokens(texts)
        settings = self._settings.fill_in(texts, own=self._own)
        make = partial(self._make, owner, settings, tuple(texts.values()))
        try:
            async with self._owned.use(key, make, tokens=tokens) as server:
                return await ask(server)  # type: ignore[arg-type]
        except LoginWantedError as error:
            if not error.challenge.is_for_more:
                self._owned.discard(key, tokens=tokens)
            raise


def _hash_tokens(tokens: Mapping[str, str]) -> str:
    """Return a text that is another one for other tokens, and tells nothing of them."""
    return hashlib.sha256(json.dumps(sorted(tokens.items())).encode()).hexdigest()
