"""What a run asks of the response cache, which may fail or hang."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.interfaces.response_cache import CachedResponse, ResponseCache

__all__ = ["CacheCalls"]


class CacheCalls:
    """The calls of one run; together they take no longer than one time-out.

    Args:
        cache: May raise, hang or return anything.
        boundary: Calls it.
        timeout_s: For all calls together.
    """

    def __init__(self, cache: ResponseCache, *, boundary: Boundary, timeout_s: float) -> None:
        self._cache = cache
        self._boundary = boundary
        self._left_s = timeout_s

    async def get(self, key: str) -> CachedResponse | None:
        """What is kept under a key; None if nothing is, or nothing that can be used."""
        return await self._call(partial(self._read, key))

    async def put(self, key: str, response: CachedResponse) -> None:
        """Keep a response, if there is time left for it."""
        await self._call(lambda: self._write(key, response))

    async def _call(
        self, work: Callable[[], Awaitable[CachedResponse | None]]
    ) -> CachedResponse | None:
        if self._left_s <= 0:
            return None
        loop = asyncio.get_running_loop()
        began = loop.time()
        result = await self._boundary.call(
            policies.RESPONSE_CACHE, self._cache, work, timeout_s=self._left_s
        )
        self._left_s -= loop.time() - began
        return None if isinstance(result, Failed) else result

    async def _read(self, key: str) -> CachedResponse | None:
        kept: object = await self._cache.get(key)
        if kept is None or (isinstance(kept, CachedResponse) and _is_usable(kept)):
            return kept
        raise TypeError(f"get returned a {type(kept).__name__} that cannot be used")

    async def _write(self, key: str, response: CachedResponse) -> None:
        await self._cache.put(key, response)


def _is_usable(response: CachedResponse) -> bool:
    """A blank answer is not: a run that has it fails, and would fail as long as it is kept."""
    content: object = response.content
    used: object = response.tools_used
    if not isinstance(content, str) or not content.strip() or not isinstance(used, tuple):
        return False
    return all(isinstance(name, str) for name in used)
