"""Registers the cache in memory, and the one that keeps nothing until caching is switched on."""

from arc_core import Registry, ResponseCache, hookimpl
from arc_core.conditions import on_missing, on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """The cache in memory if it is asked for; one that keeps nothing if no other is."""
    in_memory = on_setting("cache.enabled") & on_setting("cache.backend", "memory")
    for name, component, condition in (
        ("memory", "in_memory_cache:InMemoryResponseCache", in_memory),
        ("none", "no_response_cache:no_response_cache", on_missing(ResponseCache)),
    ):
        place = f"arc_plugins.caches.{component}"
        registry.provide(ResponseCache, place, name=name, condition=condition)
