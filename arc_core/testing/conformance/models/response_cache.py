"""Rules of every `ResponseCache` that the engine relies on."""

import asyncio
import secrets
import time
from abc import abstractmethod

import pytest

from arc_core.interfaces.models.response_cache import CachedResponse, ResponseCache
from arc_core.testing.conformance.components import (
    AsyncSuite,
    call_together,
    check_cancellation_leaves,
    check_interface,
    require,
    running,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS
from arc_core.usage import TokenUsage

_AT_ONCE = 50
_DEAD_FOR_AT_MOST_S = 2.0
_LONG_ENOUGH_S = 0.2
_ANSWERS = {name: text for name, text in HOSTILE_TEXTS.items() if text.strip()}
"""A blank text is not an answer: no run puts one, and a cache need not give one back."""


class ResponseCacheConformance(AsyncSuite):
    """Inherit from it and say how your cache is made.

    Attributes:
        keeps_answers: False for a cache that is there to keep none.
    """

    keeps_answers = True

    @abstractmethod
    def make_cache(self) -> ResponseCache:
        """A new cache, not started, with room for a hundred answers."""

    def make_expiring_cache(self) -> ResponseCache | None:
        """A cache whose answers last a short time only; None if they last until forgotten."""
        return None

    async def let_answers_expire(self) -> None:
        """Let more time pass than answers of `make_expiring_cache` last.

        It waits for a fifth of a second; override it to move a clock instead.
        """
        await asyncio.sleep(_LONG_ENOUGH_S)

    def make_failing_cache(self) -> ResponseCache | None:
        """A cache that cannot do its work, its server down; None if nothing can fail."""
        return None

    async def test_it_is_a_cache(self) -> None:
        """It has the four methods."""
        check_interface(self.make_cache(), ResponseCache)

    async def test_an_unknown_key_is_a_miss(self) -> None:
        """A key that was never put gives None, and forgetting it is not an error."""
        key = _key()

        async with running(self.make_cache()) as cache:
            await cache.invalidate(key)
            kept: object = await cache.get(key)

        assert kept is None, f"get returned {kept!r} for a key that was never put"

    @pytest.mark.parametrize("text", _ANSWERS.values(), ids=_ANSWERS)
    async def test_answers_come_back_as_they_were(self, text: str) -> None:
        """With tools and usage, also one that is not known, and in the place of earlier ones."""
        key, tools = _key(), ("b", "a")
        responses = [CachedResponse(content=text, tools_used=tools, token_usage=TokenUsage(10, 5))]
        responses.append(CachedResponse(content=text))

        async with running(self.make_cache()) as cache:
            for response in responses:
                await cache.put(key, response)
                self._check(await cache.get(key), response)

    async def test_keys_are_told_apart_to_the_last_letter(self) -> None:
        """Keys that are nearly the same have their own answers: scopes are part of the key."""
        key = _key()
        keys = [key, key[:-1] + ("0" if key[-1] != "0" else "1"), key[::-1]]

        async with running(self.make_cache()) as cache:
            await cache.put(keys[0], CachedResponse(content=keys[0]))
            strangers = [await cache.get(other) for other in keys[1:]]

        assert strangers == [None, None], "an answer is given under another key"

    async def test_an_expired_answer_is_a_miss(self) -> None:
        """An answer older than the cache keeps them is gone, and a new one takes its place."""
        cache, key = require(self.make_expiring_cache(), "make_expiring_cache"), _key()

        async with running(cache):
            await cache.put(key, CachedResponse(content="old"))
            fresh = await cache.get(key)
            await self.let_answers_expire()
            expired: object = await cache.get(key)
            await cache.put(key, CachedResponse(content="new"))
            renewed = await cache.get(key)

        self._check(fresh, CachedResponse(content="old"))
        assert expired is None, f"get returned {expired!r}, which has expired"
        self._check(renewed, CachedResponse(content="new"))

    async def test_one_answer_can_be_forgotten(self) -> None:
        """Invalidating a key leaves the others."""
        forgotten, other = _key(), _key()
        response = CachedResponse(content="answer")

        async with running(self.make_cache()) as cache:
            await cache.put(forgotten, response)
            await cache.put(other, response)
            await cache.invalidate(forgotten)
            kept = [await cache.get(forgotten), await cache.get(other)]

        assert kept[0] is None, "an answer is still there after invalidate"
        self._check(kept[1], response)

    async def test_all_answers_can_be_forgotten(self) -> None:
        """After `invalidate_all` nothing is left, and new answers are kept."""
        keys, response = [_key() for _ in range(_AT_ONCE)], CachedResponse(content="answer")

        async with running(self.make_cache()) as cache:
            for key in keys:
                await cache.put(key, response)
            await cache.invalidate_all()
            left = [key for key in keys if await cache.get(key) is not None]
            await cache.put(keys[0], response)
            kept = await cache.get(keys[0])

        assert left == [], "answers are still there after invalidate_all"
        self._check(kept, response)

    async def test_answers_of_many_runs_do_not_mix(self) -> None:
        """Runs share their cache: each gets its own answer."""
        responses = {_key(): CachedResponse(content=f"answer {n}") for n in range(_AT_ONCE)}

        async def put_and_get(key: str) -> CachedResponse | None:
            await cache.put(key, responses[key])
            return await cache.get(key)

        async with running(self.make_cache()) as cache:
            found = await call_together(map(put_and_get, responses))

        for kept, response in zip(found, responses.values(), strict=True):
            self._check(kept, response)

    async def test_a_cancellation_leaves_the_cache_usable(self) -> None:
        """A cancelled look-up gives nothing, and the next one works."""
        key, response = _key(), CachedResponse(content="answer")

        async with running(self.make_cache()) as cache:
            await cache.put(key, response)
            await check_cancellation_leaves(cache.get(key))
            kept = await cache.get(key)

        self._check(kept, response)

    async def test_a_cache_can_be_started_again(self) -> None:
        """An application that is closed and entered again finds a cache that works."""
        cache, key, response = self.make_cache(), _key(), CachedResponse(content="answer")

        async with running(cache):
            await cache.put(_key(), response)
        async with running(cache):
            await cache.put(key, response)
            kept = await cache.get(key)

        self._check(kept, response)

    async def test_a_dead_server_costs_little(self) -> None:
        """If nothing answers, calls end soon: by an exception, or as a miss."""
        failing = require(self.make_failing_cache(), "make_failing_cache")

        began = time.perf_counter()
        try:
            async with running(failing) as cache, asyncio.timeout(_DEAD_FOR_AT_MOST_S):
                kept: object = await cache.get(_key())
        except Exception:  # noqa: BLE001 -- the engine goes on without the cache
            kept = None

        assert kept is None, f"get returned {kept!r} without a server"
        assert time.perf_counter() - began < _DEAD_FOR_AT_MOST_S, "a dead server costs too much"

    def _check(self, kept: object, response: CachedResponse) -> None:
        expected = response if self.keeps_answers else None
        assert kept == expected, f"get returned {kept!r} instead of {expected!r}"


def _key() -> str:
    return secrets.token_hex(32)
