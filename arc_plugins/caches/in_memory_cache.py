"""Keeps answers in this process: right for one process; several keep their own each.

Costs microseconds, and memory for `cache.max_size` answers. Settings: `cache.enabled`,
`cache.backend`, `cache.max_size`, `cache.ttl_minutes`.
"""

import time
from collections.abc import Callable

from cachetools import TTLCache

from arc_core import CachedResponse, ResponseCache
from arc_core.health_checks import check_response_cache
from arc_core.interfaces.optional import Health
from arc_plugins.caches.settings import MemoryCacheSettings

_SECONDS_PER_MINUTE = 60


class InMemoryResponseCache(ResponseCache):
    """Keeps each answer for a while; of too many, the one not asked for longest is forgotten.

    Args:
        settings: How many, and how long.
        clock: Seconds; only their differences matter.
    """

    def __init__(
        self, *, settings: MemoryCacheSettings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._responses: TTLCache[str, CachedResponse] = TTLCache(
            maxsize=settings.max_size, ttl=settings.ttl_minutes * _SECONDS_PER_MINUTE, timer=clock
        )

    async def get(self, key: str) -> CachedResponse | None:
        """The answer under this key, None if there is none or it has expired."""
        try:
            return self._responses[key]  # `get` asks the clock more than once
        except KeyError:
            return None

    async def put(self, key: str, response: CachedResponse) -> None:
        """Keep an answer, replacing the one before."""
        self._responses[key] = response

    async def invalidate(self, key: str) -> None:
        """Forget one answer; nothing happens if there is none."""
        self._responses.pop(key, None)

    async def invalidate_all(self) -> None:
        """Forget all answers."""
        self._responses.clear()

    async def check_health(self) -> Health:
        """Keep an answer for a moment."""
        return await check_response_cache(self, name="memory")
