"""The suite for caches fails for caches that break their contract, and passes for good ones."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from arc_core import CachedResponse, ResponseCache
from arc_core.testing import DictResponseCache
from arc_core.testing.conformance.models import response_cache
from arc_core.testing.conformance.models.response_cache import ResponseCacheConformance


class DownCache(DictResponseCache):
    """Cannot do its work."""

    async def get(self, key: str) -> CachedResponse | None:
        raise ConnectionError


class TestDictResponseCache(ResponseCacheConformance):
    """A good cache passes."""

    def make_cache(self) -> ResponseCache:
        return DictResponseCache()

    def make_failing_cache(self) -> ResponseCache:
        return DownCache()


class ShortKeyCache(DictResponseCache):
    """Looks at the beginning of a key only."""

    async def get(self, key: str) -> CachedResponse | None:
        return await super().get(key[:40])

    async def put(self, key: str, response: CachedResponse) -> None:
        await super().put(key[:40], response)


class ForgetfulCache(DictResponseCache):
    """Forgets which tools were used."""

    async def put(self, key: str, response: CachedResponse) -> None:
        await super().put(key, replace(response, tools_used=()))


class FirstCache(DictResponseCache):
    """Keeps the first answer."""

    async def put(self, key: str, response: CachedResponse) -> None:
        self.responses.setdefault(key, response)


class ClingingCache(DictResponseCache):
    """Forgets nothing."""

    async def invalidate(self, key: str) -> None:
        return None

    async def invalidate_all(self) -> None:
        return None


class SweepingCache(DictResponseCache):
    """Forgets everything instead of one answer."""

    async def invalidate(self, key: str) -> None:
        self.responses.clear()


class StrictCache(DictResponseCache):
    """Takes forgetting what is not there for an error."""

    async def invalidate(self, key: str) -> None:
        del self.responses[key]


class MixingCache(DictResponseCache):
    """Remembers the key where the next run overwrites it."""

    key = ""

    async def get(self, key: str) -> CachedResponse | None:
        self.key = key
        await asyncio.sleep(0)
        return await super().get(self.key)


class DeafCache(DictResponseCache):
    """Takes a cancellation for a miss."""

    async def get(self, key: str) -> CachedResponse | None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as cancellation:
            return CachedResponse(content=f"{cancellation}")
        raise AssertionError


class OnceCache(DictResponseCache):
    """Is of no use after it was closed."""

    is_closed = False

    async def put(self, key: str, response: CachedResponse) -> None:
        if not self.is_closed:
            await super().put(key, response)

    async def aclose(self) -> None:
        self.is_closed = True


class HangingCache(DictResponseCache):
    """Waits for a server for ever."""

    async def get(self, key: str) -> CachedResponse | None:
        await asyncio.Event().wait()
        raise AssertionError


class AgeingCache(DictResponseCache):
    """Keeps answers until it is told that they are old."""

    is_old = False

    async def get(self, key: str) -> CachedResponse | None:
        return None if self.is_old else await super().get(key)

    async def put(self, key: str, response: CachedResponse) -> None:
        self.is_old = False
        await super().put(key, response)


class TestAgeingCache(TestDictResponseCache):
    """A cache whose answers expire passes."""

    def make_expiring_cache(self) -> ResponseCache:
        self._ageing = AgeingCache()
        return self._ageing

    async def let_answers_expire(self) -> None:
        self._ageing.is_old = True


class SuiteFor(ResponseCacheConformance):
    """The suite, applied to one wrong cache."""

    __test__ = False

    def make_expiring_cache(self) -> ResponseCache:
        return self.make_cache()

    async def let_answers_expire(self) -> None:
        return None

    def __init__(self, cache: Callable[[], Any]) -> None:
        self._cache = cache

    def make_cache(self) -> ResponseCache:
        cache: ResponseCache = self._cache()
        return cache

    def make_failing_cache(self) -> ResponseCache:
        return self.make_cache()


@pytest.mark.parametrize(
    ("cache", "test"),
    [
        (ShortKeyCache, "test_keys_are_told_apart_to_the_last_letter"),
        (FirstCache, "test_the_last_answer_counts"),
        (ClingingCache, "test_one_answer_can_be_forgotten"),
        (SweepingCache, "test_one_answer_can_be_forgotten"),
        (ClingingCache, "test_all_answers_can_be_forgotten"),
        (MixingCache, "test_answers_of_many_runs_do_not_mix"),
        (DeafCache, "test_a_cancellation_leaves_the_cache_usable"),
        (OnceCache, "test_it_can_be_started_again"),
        (DictResponseCache, "test_an_expired_answer_is_a_miss"),
        (dict, "test_it_is_a_cache"),
    ],
)
async def test_a_broken_contract_is_found(cache: Callable[[], Any], test: str) -> None:
    """Each way to be wrong fails the test that is about it."""
    suite = SuiteFor(cache)

    with pytest.raises(AssertionError):
        await getattr(suite, test)()


async def test_a_lost_field_is_found() -> None:
    """The tools and the usage belong to the answer."""
    with pytest.raises(AssertionError, match="tools_used"):
        await SuiteFor(ForgetfulCache).test_answers_come_back_as_they_were("answer")


async def test_an_error_for_an_unknown_key_is_found() -> None:
    """Forgetting what is not there is no error."""
    with pytest.raises(KeyError):
        await SuiteFor(StrictCache).test_an_unknown_key_is_a_miss()


async def test_a_server_that_is_waited_for_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dead server must not hold a run up."""
    monkeypatch.setattr(response_cache, "_DEAD_FOR_AT_MOST_S", 0.01)

    with pytest.raises(AssertionError, match="costs too much"):
        await SuiteFor(HangingCache).test_a_dead_server_costs_little()


async def test_a_cache_that_keeps_nothing_must_say_so() -> None:
    """A cache that loses answers is not a cache, unless it is there to keep none."""

    class LosingCache(DictResponseCache):
        async def get(self, key: str) -> CachedResponse | None:
            return None

    suite = SuiteFor(LosingCache)
    with pytest.raises(AssertionError, match="instead of CachedResponse"):
        await suite.test_an_unknown_usage_comes_back_as_unknown()

    suite.keeps_answers = False
    await suite.test_an_unknown_usage_comes_back_as_unknown()
