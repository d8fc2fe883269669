"""Keeps no answers: the default until caching is switched on."""

from arc_core import Logger
from arc_core.defaults.inactive import EmptyResponseCache
from arc_core.health_checks import check_response_cache
from arc_core.interfaces.optional import Health, HealthStatus
from arc_plugins.caches.settings import MemoryCacheSettings


class NoResponseCache(EmptyResponseCache):
    """Every look-up misses.

    Args:
        is_wanted: Whether this is what was asked for; else another cache cannot be had.
    """

    def __init__(self, *, is_wanted: bool = True) -> None:
        self._is_wanted = is_wanted

    async def check_health(self) -> Health:
        """Nothing to check, unless answers should be kept."""
        if self._is_wanted:
            return Health(status=HealthStatus.SKIPPED, summary="cache.enabled is false")
        return await check_response_cache(self, name="none")


def no_response_cache(settings: MemoryCacheSettings, logger: Logger) -> NoResponseCache:
    """The cache that keeps nothing, with a warning if one was asked for that cannot be had."""
    if settings.enabled:
        logger.warning(
            "cache.enabled is true, and no answer is kept: the cache that cache.backend asks for "
            "cannot be used; `arc conditions` says what it needs",
            backend=settings.backend,
        )
    return NoResponseCache(is_wanted=not settings.enabled)
