"""Which cache is wired is decided by the settings and by what is installed."""

import pytest

from arc_core import ResponseCache
from arc_plugins.caches.plugin import arc_register
from arc_plugins.caches.settings import MemoryCacheSettings
from tests.arc_plugins.registrations import RecordingRegistry


@pytest.fixture
def registry() -> RecordingRegistry:
    """What the plugin brings."""
    recording = RecordingRegistry()
    arc_register(recording)
    return recording


def test_the_conditions_say_which_cache_is_wired(registry: RecordingRegistry) -> None:
    """The master switch and the backend; else nothing is kept."""
    assert {name: str(each.condition) for name, each in registry.registrations.items()} == {
        "memory": "setting cache.enabled is set and setting cache.backend is 'memory'",
        "none": "no ResponseCache is there besides Arc's default",
    }


def test_the_cache_in_memory_is_made_of_settings(registry: RecordingRegistry) -> None:
    """The place given as text leads to a cache."""
    cache = registry.registrations["memory"].imported()(settings=MemoryCacheSettings())

    assert isinstance(cache, ResponseCache)
