"""The cache in Redis is wired if the settings ask for it and its library is installed."""

from arc_plugins.caches.redis_cache import plugin
from tests.arc_plugins.registrations import registrations_of


def test_the_conditions_say_when_the_cache_is_wired() -> None:
    """The master switch, the backend, its package."""
    assert str(registrations_of(plugin)["redis"].condition) == (
        "setting cache.enabled is set and setting cache.backend is 'redis' "
        'and package redis>=8.1 is installed (pip install "arc-agents[redis]")'
    )
