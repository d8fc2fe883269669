"""Asks a Redis server, which answers within a second or has failed.

The second is one of an event loop that is on time, see `LoopTimeout`. A call for which no
connection is free waits for one, however long: those before it end within a second. If the server
is silent to them, those that wait fail with them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pydantic import SecretStr
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.commands.core import AsyncScript
from redis.exceptions import RedisError, ResponseError

from arc_core import ConfigurationError
from arc_core.timing.loop_timeout import LoopTimeout

__all__ = ["RedisCalls"]

_ANSWER_WITHIN_S = 1.0
_MAX_CONNECTIONS = 32


class RedisCalls:
    """Calls of one server; nothing is tried twice, and a free connection is waited for first.

    Args:
        address: Of the server.

    Raises:
        ConfigurationError: The address is none.
    """

    def __init__(self, address: SecretStr) -> None:
        self._address = address
        self.connect_later()

    def connect_later(self) -> None:
        """Get ready for another event loop."""
        self._redis = self._client()
        self._scripts: dict[str, AsyncScript] = {}
        self._connections = asyncio.Semaphore(_MAX_CONNECTIONS)
        self._is_silent, self._silences = False, 0

    async def run(
        self, script: str, *, keys: Sequence[str], arguments: Sequence[str | int]
    ) -> Sequence[bytes]:
        """Run a script, which the server keeps.

        Raises:
            OSError: The server cannot be reached, answers with an error, or not in time.
        """
        if script not in self._scripts:
            self._scripts[script] = self._redis.register_script(script)
        registered = self._scripts[script]
        reply: Sequence[bytes] = await self._ask(lambda: registered([*keys], [*arguments]))
        return reply

    async def members(self, key: str) -> list[str]:
        """The members of a sorted set, in ASCII.

        Raises:
            OSError: The server cannot be reached, answers with an error, or not in time.
        """
        found = await self._ask(lambda: self._redis.zrange(key, 0, -1))
        return [each.decode("ascii") for each in found]

    async def forgets_when_full(self) -> bool:
        """Whether the server drops keys when its memory is full.

        Raises:
            OSError: The server cannot be reached, answers with an error, or not in time.
        """
        memory = await self._ask(lambda: self._redis.info("memory"))
        policy = memory.get("maxmemory_policy", "noeviction")
        return bool(memory.get("maxmemory")) and policy != "noeviction"

    async def aclose(self) -> None:
        """Close the connections."""
        await self._redis.aclose()

    async def _ask(self, call: Callable[[], Awaitable[Any]]) -> Any:
        """Call with a free connection, with one kind of error for whatever goes wrong."""
        silences = self._silences
        async with self._connections:
            if self._is_silent and self._silences > silences:
                raise TimeoutError("Redis has not answered those who were asked before")
            try:
                async with LoopTimeout(_ANSWER_WITHIN_S):
                    reply = await call()
            except TimeoutError as error:
                self._note_silence()
                raise TimeoutError("Redis does not answer within a second") from error
            except RedisError as error:
                if not isinstance(error, ResponseError):
                    self._note_silence()
                raise ConnectionError(f"Redis cannot be used: {type(error).__name__}") from error
            self._is_silent = False
            return reply

    def _note_silence(self) -> None:
        """Let those who wait for a connection fail with this call, instead of a second later."""
        self._is_silent = True
        self._silences += 1

    def _client(self) -> Redis:
        try:
            pool = BlockingConnectionPool.from_url(
                self._address.get_secret_value(),
                max_connections=_MAX_CONNECTIONS,
                timeout=None,  # with a time-out of its own, redis-py swallows cancellations
                socket_timeout=None,
                socket_connect_timeout=None,
                retry=Retry(NoBackoff(), 0),
            )
        except ValueError:  # its text may repeat a password
            raise ConfigurationError(
                "budget.redis_url is not an address of a Redis server",
                remedy="write it as redis://user:password@host:6379/0, "
                "with rediss: for TLS, or unix: for a socket",
            ) from None
        return Redis.from_pool(pool)
