"""Registers the cache in Redis; `cache.enabled` and `cache.backend` choose it."""

from arc_core import Registry, ResponseCache, hookimpl
from arc_core.conditions import on_package, on_setting


@hookimpl
def arc_register(registry: Registry) -> None:
    """The cache, if it is asked for and its library is installed."""
    registry.provide(
        ResponseCache,
        "arc_plugins.caches.redis_cache.cache:RedisResponseCache",
        name="redis",
        condition=on_setting("cache.enabled")
        & on_setting("cache.backend", "redis")
        & on_package("redis>=8.1", install="arc-agents[redis]"),
    )
