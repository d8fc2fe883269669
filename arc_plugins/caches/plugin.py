"""Registers the cache in memory, and the one that keeps nothing until caching is switched on."""

from arc_core import Registry, ResponseCache, hookimpl
from arc_core.conditions import on_missing, on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """The cache in memory if it is asked for; one that keeps nothing if no other is."""
    registry.provide(
        ResponseCache,
        "arc_plugins.caches.in_memory_cache:InMemoryResponseCache",
        name="memory",
        condition=on_setting("cache.enabled") & on_setting("cache.backend", "memory"),
    )
    registry.provide(
        ResponseCache,
        "arc_plugins.caches.no_response_cache:no_response_cache",
        name="none",
        condition=on_missing(ResponseCache),
    )
