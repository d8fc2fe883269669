"""Keeps answers in Redis: for several processes that share them.

Costs a round trip for a look-up and one for an answer. A server that does not answer costs one
short time-out, and then nothing until it is back. Settings: `cache.enabled`, `cache.backend`,
`cache.redis_url`, `cache.ttl_minutes`, `cache.timeout_s`. Needs the extra `redis`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from arc_core import CachedResponse, ConfigurationError, Logger, ResponseCache
from arc_core.health_checks import check_response_cache
from arc_core.interfaces.optional import Health
from arc_plugins.caches.redis_cache.circuit import Circuit
from arc_plugins.caches.redis_cache.entries import decode, encode
from arc_plugins.caches.redis_cache.settings import RedisCacheSettings

__all__ = ["RedisResponseCache"]

T = TypeVar("T")

_PREFIX = "arc:response:"
_FIRST_CONNECTIONS = 4
_MAX_CONNECTIONS = 32
_KEYS_PER_STEP = 500
_MILLISECONDS_PER_MINUTE = 60_000
_UNANSWERED = (RedisConnectionError, RedisTimeoutError, OSError)


class RedisResponseCache(ResponseCache):
    """Keeps each answer for a while; the server forgets it.

    Args:
        settings: Where, and for how long.
        logger: Told when the server is gone and when it is back.

    Raises:
        ConfigurationError: The address is none.
    """

    def __init__(self, *, settings: RedisCacheSettings, logger: Logger) -> None:
        self._url = settings.redis_url
        self._ttl_ms = max(1, round(settings.ttl_minutes * _MILLISECONDS_PER_MINUTE))
        # Half of what a run allows, so that the circuit opens before the run gives up.
        self._timeout_s = settings.timeout_s / 2
        self._circuit = Circuit(self._ping, logger=logger)
        self._connect_later()

    async def start(self) -> None:
        """Get ready for the running event loop; connections belong to one."""
        self._connect_later()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._circuit.aclose()
        await self._redis.aclose()

    async def get(self, key: str) -> CachedResponse | None:
        """The answer under this key; None if there is none, and while the server is gone.

        Raises:
            redis.RedisError: The server answers with an error.
            OSError: It has not answered in time, for the first time.
        """
        entry = await self._send_if_alive(lambda: self._redis.get(_PREFIX + key))
        return decode(entry) if isinstance(entry, bytes) else None

    async def put(self, key: str, response: CachedResponse) -> None:
        """Keep an answer, replacing the one before, unless it is too large or the server is gone.

        Raises:
            redis.RedisError: The server answers with an error.
            OSError: It has not answered in time, for the first time.
        """
        entry = encode(response)
        if entry is not None:
            await self._send_if_alive(
                lambda: self._redis.set(_PREFIX + key, entry, px=self._ttl_ms)
            )

    async def invalidate(self, key: str) -> None:
        """Forget one answer; nothing happens if there is none.

        Raises:
            redis.RedisError: The server answers with an error.
            OSError: It has not answered in time; the answer may still be there.
        """
        await self._send(lambda: self._redis.unlink(_PREFIX + key))

    async def invalidate_all(self) -> None:
        """Forget all answers of all processes, and nothing else in the database.

        Raises:
            redis.RedisError: The server answers with an error.
            OSError: It has not answered in time; some answers may still be there.
        """
        cursor = 0
        while True:
            cursor, keys = await self._send(partial(self._scan, cursor))
            if keys:
                await self._send(partial(self._redis.unlink, *keys))
            if cursor == 0:
                return

    async def check_health(self) -> Health:
        """Keep an answer for a moment.

        Raises:
            redis.RedisError: The server answers with an error.
            OSError: It has not answered in time.
        """
        return await check_response_cache(self, name="redis")

    def _scan(self, cursor: int) -> Awaitable[tuple[int, list[bytes | str]]]:
        return self._redis.scan(cursor, match=f"{_PREFIX}*", count=_KEYS_PER_STEP)

    async def _ping(self) -> None:
        async with asyncio.timeout(self._timeout_s):
            await self._redis.ping()

    async def _send_if_alive(self, command: Callable[[], Awaitable[T]]) -> T | None:
        """The answer; None while the server is gone, also if it goes while this one waits."""
        if not self._circuit.lets_pass():
            return None
        async with self._connections:
            return await self._send_now(command) if self._circuit.lets_pass() else None

    async def _send(self, command: Callable[[], Awaitable[T]]) -> T:
        async with self._connections:
            return await self._send_now(command)

    async def _send_now(self, command: Callable[[], Awaitable[T]]) -> T:
        """Time what the server does, and nothing else.

        Waiting for a free connection comes before. A time-out after which other commands have had
        their answers says that this process is busy, or this command slow, and not that the server
        is gone.
        """
        answers_before = self._answers
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await command()
        except TimeoutError:
            if self._answers == answers_before:
                self._circuit.open()
            raise
        except _UNANSWERED:
            self._circuit.open()
            raise
        self._answers += 1
        if self._answers <= _MAX_CONNECTIONS - _FIRST_CONNECTIONS:
            self._connections.release()
        return answer

    def _connect_later(self) -> None:
        self._redis = self._client()
        # A few at first, and one more with each answer: opening all of them at once keeps this
        # process so busy that their time-outs pass.
        self._connections = asyncio.Semaphore(_FIRST_CONNECTIONS)
        self._answers = 0

    def _client(self) -> Redis:
        # Every command has a time-out here; the library's own would swallow cancellations.
        try:
            pool = BlockingConnectionPool.from_url(
                self._url.get_secret_value(),
                max_connections=_MAX_CONNECTIONS,
                timeout=None,
                socket_timeout=None,
                socket_connect_timeout=None,
                retry=Retry(NoBackoff(), 0),
            )
        except ValueError:  # its text may repeat a password
            raise ConfigurationError(
                "cache.redis_url is not an address of a Redis server",
                remedy="write it as redis://user:password@host:6379/0, "
                "with rediss: for TLS, or unix: for a socket",
            ) from None
        return Redis.from_pool(pool)
