"""Answers in memory: for a while, and not too many."""

from arc_core import CachedResponse, ResponseCache
from arc_core.interfaces.optional import HealthStatus
from arc_core.testing.conformance.models.response_cache import ResponseCacheConformance
from arc_plugins.caches.in_memory_cache import InMemoryResponseCache
from arc_plugins.caches.settings import MemoryCacheSettings

ANSWER = CachedResponse(content="answer")


class Clock:
    """Stands still until it is told otherwise."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class TestConformance(ResponseCacheConformance):
    """It is a cache like any other."""

    def make_cache(self) -> ResponseCache:
        return InMemoryResponseCache(settings=MemoryCacheSettings())

    def make_expiring_cache(self) -> ResponseCache:
        self._clock = Clock()
        return InMemoryResponseCache(settings=MemoryCacheSettings(ttl_minutes=2), clock=self._clock)

    async def let_answers_expire(self) -> None:
        self._clock.now_s += 121


async def test_answers_expire() -> None:
    """An answer is there until its minutes are over, and then gone."""
    clock = Clock()
    cache = InMemoryResponseCache(settings=MemoryCacheSettings(ttl_minutes=2), clock=clock)
    await cache.put("key", ANSWER)

    clock.now_s = 119
    before = await cache.get("key")
    clock.now_s = 120
    after = await cache.get("key")

    assert (before, after) == (ANSWER, None)


async def test_an_answer_that_is_not_asked_for_makes_room() -> None:
    """Of too many answers the one not asked for longest is forgotten."""
    cache = InMemoryResponseCache(settings=MemoryCacheSettings(max_size=2))
    await cache.put("old", ANSWER)
    await cache.put("new", ANSWER)

    await cache.get("old")
    await cache.put("newest", ANSWER)

    assert [key for key in ("old", "new", "newest") if await cache.get(key)] == ["old", "newest"]


async def test_it_checks_its_health() -> None:
    """By keeping an answer for a moment."""
    health = await InMemoryResponseCache(settings=MemoryCacheSettings()).check_health()

    assert (health.status, health.summary) == (HealthStatus.OK, "memory keeps what is put")
