"""No answer is kept, and no user is left in doubt about it."""

import logging

import pytest

from arc_core import ResponseCache
from arc_core.interfaces.optional import HealthStatus
from arc_core.log import get_logger
from arc_core.testing.conformance.models.response_cache import ResponseCacheConformance
from arc_plugins.caches.no_response_cache import NoResponseCache, no_response_cache
from arc_plugins.caches.settings import MemoryCacheSettings


class TestConformance(ResponseCacheConformance):
    """It is a cache like any other, but for what it keeps."""

    keeps_answers = False

    def make_cache(self) -> ResponseCache:
        return NoResponseCache()


def test_a_cache_that_cannot_be_had_is_told(caplog: pytest.LogCaptureFixture) -> None:
    """Who has switched caching on, and gets none, reads it, and where it says what to install."""
    settings = MemoryCacheSettings(enabled=True, backend="acme")

    with caplog.at_level(logging.WARNING):
        no_response_cache(settings, get_logger("test"))

    assert "`arc conditions` says what it needs" in caplog.text


def test_who_wants_no_cache_is_told_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """The default is silent."""
    no_response_cache(MemoryCacheSettings(), get_logger("test"))

    assert caplog.text == ""


@pytest.mark.parametrize(
    ("enabled", "status"), [(False, HealthStatus.SKIPPED), (True, HealthStatus.ERROR)]
)
async def test_its_health_is_what_was_asked_for(status: HealthStatus, *, enabled: bool) -> None:
    """Nothing to check if caching is off, and an error if answers should be kept."""
    cache = no_response_cache(MemoryCacheSettings(enabled=enabled), get_logger("test"))

    assert (await cache.check_health()).status is status
