"""No answer is kept."""

from arc_core import CachedResponse
from arc_plugins.caches.no_response_cache import NoResponseCache


async def test_what_is_put_is_not_there() -> None:
    """A look-up misses even right after the answer was put."""
    cache = NoResponseCache()

    await cache.put("key", CachedResponse(content="answer"))
    await cache.invalidate("key")
    await cache.invalidate_all()

    assert await cache.get("key") is None
