"""Keeps answers in Redis: for several processes that share them.

Costs a round trip for a look-up and one for an answer. A server that does not answer costs one
short time-out, and then nothing until it is back. Settings: `cache.enabled`, `cache.backend`,
`cache.redis_url`, `cache.ttl_minutes`, `cache.timeout_s`. Needs the extra `redis`.
"""

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from arc_core import CachedResponse, Logger, ResponseCache, TokenUsage
from arc_core.health_checks import check_response_cache
from arc_core.interfaces.optional import Health
from arc_core.stores.redis import RedisCircuit, RedisServer, SilentRedisError
from arc_plugins.caches.redis_cache import RedisCacheSettings

MAX_ENTRY_BYTES = 1_048_576
"""Larger answers are not kept."""

_VERSION = 1


def encode(response: CachedResponse) -> bytes | None:
    """An answer as it is kept; None if it is blank, or too large for that."""
    if not response.content.strip():
        return None
    usage = response.token_usage
    entry = json.dumps(
        {
            "version": _VERSION,
            "content": response.content,
            "tools_used": response.tools_used,
            "token_usage": usage and [usage.prompt_tokens, usage.completion_tokens],
        }
    ).encode("ascii")
    return entry if len(entry) <= MAX_ENTRY_BYTES else None


def decode(entry: bytes) -> CachedResponse | None:
    """The answer that is kept; None for what this release has not written, and for a blank one."""
    if len(entry) > MAX_ENTRY_BYTES:
        return None
    try:
        fields: Any = json.loads(entry)
    except (ValueError, RecursionError):
        return None
    match fields:
        case {
            "version": 1,
            "content": str(content),
            "tools_used": [*tools_used],
            "token_usage": None | [int(), int()] as usage,
        } if content.strip() and all(isinstance(name, str) for name in tools_used):
            return CachedResponse(
                content=content,
                tools_used=tuple(tools_used),
                token_usage=None if usage is None else TokenUsage(*usage),
            )
    return None


_PREFIX = "arc:response:"
_KEYS_PER_STEP = 500
_MILLISECONDS_PER_MINUTE = 60_000


class RedisResponseCache(ResponseCache):
    """Keeps each answer for a while; the server forgets it.

    Each call raises `OSError` if the server answers with an error, or not in time: `get` and `put`
    only the first time, and what is to be forgotten may still be there then.

    Args:
        settings: Where, and for how long.
        logger: Told when the server is gone and when it is back.

    Raises:
        ConfigurationError: The address is none.
    """

    def __init__(self, *, settings: RedisCacheSettings, logger: Logger) -> None:
        self._ttl_ms = max(1, round(settings.ttl_minutes * _MILLISECONDS_PER_MINUTE))
        self._circuit = RedisCircuit(
            lambda: self._redis.call(lambda redis: redis.ping()), logger=logger
        )
        self._redis = RedisServer(
            settings.redis_url,
            setting="cache.redis_url",
            # Half of what a run allows, so that the circuit opens before the run gives up.
            timeout_s=settings.timeout_s / 2,
            on_silence=self._circuit.open,
        )

    async def start(self) -> None:
        """Get ready for the running event loop; connections belong to one."""
        self._redis.connect_later()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._circuit.aclose()
        await self._redis.aclose()

    async def get(self, key: str) -> CachedResponse | None:
        """The answer under this key; None if there is none, and while the server is gone."""
        entry = await self._call_if_alive(lambda redis: redis.get(_PREFIX + key))
        return decode(entry) if isinstance(entry, bytes) else None

    async def put(self, key: str, response: CachedResponse) -> None:
        """Keep an answer, replacing the one before, unless too large or the server is gone."""
        entry = encode(response)
        if entry is not None:
            await self._call_if_alive(
                lambda redis: redis.set(_PREFIX + key, entry, px=self._ttl_ms)
            )

    async def invalidate(self, key: str) -> None:
        """Forget one answer; nothing happens if there is none."""
        await self._redis.call(lambda redis: redis.unlink(_PREFIX + key))

    async def invalidate_all(self) -> None:
        """Forget all answers of all processes, and nothing else in the database."""
        cursor = 0
        while True:
            cursor, keys = await self._redis.call(partial(_scan, cursor=cursor))
            if keys:
                await self._redis.call(partial(_unlink, keys=keys))
            if cursor == 0:
                return

    async def check_health(self) -> Health:
        """Keep an answer for a moment."""
        return await check_response_cache(self, name="redis")

    async def _call_if_alive(self, command: Callable[[Any], Awaitable[object]]) -> object:
        """Return the answer; None while the server is gone, also if it goes during the wait."""
        if not self._circuit.lets_pass():
            return None
        try:
            return await self._redis.call(command)
        except SilentRedisError:
            return None


def _scan(redis: Any, *, cursor: int) -> Awaitable[Any]:
    found: Awaitable[Any] = redis.scan(cursor, match=f"{_PREFIX}*", count=_KEYS_PER_STEP)
    return found


def _unlink(redis: Any, *, keys: list[bytes | str]) -> Awaitable[Any]:
    removed: Awaitable[Any] = redis.unlink(*keys)
    return removed
