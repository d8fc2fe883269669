"""What a run asks of the response cache, which may fail or hang."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeGuard, TypeVar

from arc_core.cancellation import leave_if_cancelled
from arc_core.interfaces.agent_metrics import AgentMetrics, FaultSource
from arc_core.interfaces.response_cache import CachedResponse, ResponseCache
from arc_core.log import get_logger

__all__ = ["CacheCalls"]

T = TypeVar("T")

logger = get_logger("response_cache")


class CacheCalls:
    """The calls of one run; together they take no longer than one time-out.

    Args:
        cache: May raise, hang or return anything.
        metrics: Told when it does.
        timeout_s: For all calls together.
    """

    def __init__(self, cache: ResponseCache, *, metrics: AgentMetrics, timeout_s: float) -> None:
        self._cache = cache
        self._metrics = metrics
        self._left_s = timeout_s

    async def get(self, key: str) -> CachedResponse | None:
        """What is kept under a key; None if nothing is, or nothing but blanks or foreign values."""
        kept: object = await self._safely("get", lambda: self._cache.get(key))
        if kept is None:
            return None
        if _is_answer(kept):
            return kept
        self._report(operation="get", returned=type(kept).__name__)
        return None

    async def put(self, key: str, response: CachedResponse) -> None:
        """Keep a response, if there is time left for it."""
        await self._safely("put", lambda: self._cache.put(key, response))

    async def _safely(self, operation: str, call: Callable[[], Awaitable[T]]) -> T | None:
        if self._left_s <= 0:
            return None
        loop = asyncio.get_running_loop()
        began = loop.time()
        result = None
        try:
            async with asyncio.timeout(self._left_s):
                result = await call()
        except Exception:  # noqa: BLE001 -- fail open: a run can do without its cache
            self._report(operation=operation, exc_info=True)
        leave_if_cancelled()
        self._left_s -= loop.time() - began
        return result

    def _report(self, **details: object) -> None:
        logger.error(
            "response cache failed, the run goes on without it",
            cache=type(self._cache).__name__,
            **details,
        )
        self._metrics.record_fault(FaultSource.RESPONSE_CACHE)


def _is_answer(kept: object) -> TypeGuard[CachedResponse]:
    """A blank answer is none: a run that has it fails, and would fail as long as it is kept."""
    content: object = kept.content if isinstance(kept, CachedResponse) else None
    return isinstance(content, str) and bool(content.strip())
