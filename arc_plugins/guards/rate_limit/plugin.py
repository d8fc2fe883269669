"""Registers the guard that counts prompts, if a limit is set."""

from importlib.util import find_spec

from arc_core import ConfigurationError, Guard, Logger, Registry, hookimpl
from arc_core.conditions import on_setting
from arc_plugins.guards.rate_limit.settings import RateLimitSettings


@hookimpl
def arc_register(registry: Registry) -> None:
    """One guard or the other: in Redis if its address is set, else in memory."""
    limited = on_setting("guard.rate_limit_per_minute") | on_setting("guard.rate_limit_per_hour")
    shared = on_setting("guard.rate_limit_redis_url")
    registry.contribute(
        Guard,
        "arc_plugins.guards.rate_limit.guard:RateLimitGuard",
        name="rate_limit",
        condition=limited & ~shared,
    )
    registry.contribute(
        Guard, redis_rate_limit_guard, name="redis_rate_limit", condition=limited & shared
    )


def redis_rate_limit_guard(settings: RateLimitSettings, logger: Logger) -> Guard:
    """A guard that counts in Redis.

    A missing package is an error here and no condition: a guard must not vanish quietly.

    Raises:
        ConfigurationError: The extra is not installed.
    """
    if find_spec("redis") is None:
        raise ConfigurationError(
            "guard.rate_limit_redis_url is set, and Redis cannot be reached from here",
            evidence=["the package redis is not installed"],
            remedy='pip install "arc-agents[redis]", or remove the setting',
        )
    from arc_plugins.guards.rate_limit.redis_guard import RedisRateLimitGuard

    return RedisRateLimitGuard(settings=settings, logger=logger)
