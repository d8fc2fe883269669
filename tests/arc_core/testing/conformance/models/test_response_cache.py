"""The suite for caches fails for caches that break their contract, and passes for good ones."""

import asyncio
from dataclasses import replace

import pytest

from arc_core import CachedResponse, ResponseCache
from arc_core.testing import DictResponseCache
from arc_core.testing.conformance.models import response_cache
from arc_core.testing.conformance.models.response_cache import ResponseCacheConformance
from tests.arc_core.testing.conformance.suites import Fault, make_suite, swallow_cancellation


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
        await swallow_cancellation()
        return CachedResponse(content="answer")


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


class LosingCache(DictResponseCache):
    """Loses answers, and does not say so."""

    async def get(self, key: str) -> CachedResponse | None:
        return None


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


FAULTS = [
    Fault(ShortKeyCache, "keys_are_told_apart_to_the_last_letter"),
    Fault(FirstCache, "answers_come_back_as_they_were", "answer"),
    Fault(ClingingCache, "one_answer_can_be_forgotten"),
    Fault(SweepingCache, "one_answer_can_be_forgotten"),
    Fault(ClingingCache, "all_answers_can_be_forgotten"),
    Fault(MixingCache, "answers_of_many_runs_do_not_mix"),
    Fault(DeafCache, "a_cancellation_leaves_the_cache_usable", match="swallows"),
    Fault(OnceCache, "a_cache_can_be_started_again"),
    Fault(DictResponseCache, "an_expired_answer_is_a_miss"),
    Fault(dict, "it_is_a_cache"),
    Fault(ForgetfulCache, "answers_come_back_as_they_were", "answer", match="tools_used"),
    Fault(StrictCache, "an_unknown_key_is_a_miss", error=KeyError),
    Fault(HangingCache, "a_dead_server_costs_little", match="costs too much"),
    Fault(LosingCache, "answers_come_back_as_they_were", "answer", match="instead of"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
async def test_a_fault_is_found(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the rule that is about it."""
    monkeypatch.setattr(response_cache, "_DEAD_FOR_AT_MOST_S", 0.01)

    async def expire(self: object) -> None:
        """Let no time pass."""

    await fault.check(ResponseCacheConformance, let_answers_expire=expire)


async def test_a_cache_that_is_there_to_keep_nothing_passes() -> None:
    """If it says so."""
    suite = make_suite(ResponseCacheConformance, LosingCache, keeps_answers=False)

    await suite.test_answers_come_back_as_they_were("answer")
