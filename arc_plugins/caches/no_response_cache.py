"""Keeps no answers: the default until caching is switched on."""

from arc_core import CachedResponse, ResponseCache

__all__ = ["NoResponseCache"]


class NoResponseCache(ResponseCache):
    """Every look-up misses."""

    async def get(self, key: str) -> CachedResponse | None:
        """Nothing, whatever the key."""
        del key
        return None

    async def put(self, key: str, response: CachedResponse) -> None:
        """Forget it at once."""

    async def invalidate(self, key: str) -> None:
        """There is nothing to forget."""

    async def invalidate_all(self) -> None:
        """There is nothing to forget."""
