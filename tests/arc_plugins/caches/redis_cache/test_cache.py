"""Answers in Redis, on a real server."""

import asyncio
import secrets
import socket
import time
from collections.abc import AsyncIterator, Iterator

import pytest
from pydantic import SecretStr

from arc_core import CachedResponse, ConfigurationError, ResponseCache
from arc_core.interfaces.optional import HealthStatus
from arc_core.log import get_logger
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.models.response_cache import ResponseCacheConformance
from arc_plugins.caches.redis_cache import RedisCacheSettings
from tests.arc_plugins.caches.redis_cache.servers import MortalServer, mortal_server
from tests.ports import free_port

pytest.importorskip("redis", reason="needs the extra redis")
from redis.asyncio import Redis

from arc_plugins.caches.redis_cache.cache import RedisResponseCache

ANSWER = CachedResponse(content="answer")


def cache_at(url: str, *, ttl_minutes: float = 60, timeout_s: float = 0.5) -> RedisResponseCache:
    """A cache that keeps its answers there."""
    settings = RedisCacheSettings(
        redis_url=SecretStr(url), ttl_minutes=ttl_minutes, timeout_s=timeout_s
    )
    return RedisResponseCache(settings=settings, logger=get_logger("test"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MortalServer]:
    """A real server that no other test uses."""
    with mortal_server(tmp_path_factory.mktemp("redis")) as redis:
        yield redis


@pytest.fixture
async def client(server: MortalServer) -> AsyncIterator[Redis]:
    """Another client of the server."""
    async with Redis.from_url(server.url) as connected:
        yield connected


@pytest.fixture
def key() -> str:
    """A key that was never used before."""
    return secrets.token_hex(32)


@pytest.fixture
def silent_url() -> Iterator[str]:
    """The address of a server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"redis://127.0.0.1:{listening.getsockname()[1]}/0"


class TestConformance(ResponseCacheConformance):
    """It is a cache like any other."""

    @pytest.fixture(autouse=True)
    def _server(self, server: MortalServer) -> None:
        self._url = server.url

    def make_cache(self) -> ResponseCache:
        return cache_at(self._url)

    def make_expiring_cache(self) -> ResponseCache:
        return cache_at(self._url, ttl_minutes=0.6 / 60)

    async def let_answers_expire(self) -> None:
        await asyncio.sleep(0.7)  # the server has a clock of its own

    def make_failing_cache(self) -> ResponseCache:
        return cache_at(f"redis://127.0.0.1:{free_port()}/0")


async def test_the_server_forgets_by_itself(server: MortalServer, client: Redis, key: str) -> None:
    """Every answer has its end written beside it."""
    async with running(cache_at(server.url, ttl_minutes=2)) as cache:
        await cache.put(key, ANSWER)

        left_ms = await client.pttl(f"arc:response:{key}")

    assert 110_000 < left_ms <= 120_000


async def test_answers_expire(server: MortalServer, key: str) -> None:
    """An answer is gone when its time is over."""
    async with running(cache_at(server.url, ttl_minutes=0.05 / 60)) as cache:
        await cache.put(key, ANSWER)
        async with asyncio.timeout(30):
            while await cache.get(key) is not None:  # noqa: ASYNC110 -- the server's clock counts
                await asyncio.sleep(0.01)


async def test_only_answers_are_forgotten(server: MortalServer, client: Redis, key: str) -> None:
    """What others keep in the same database stays, whatever it is called."""
    others = ["session:1", "arc:rate_limit:1", "arc:responses", "xarc:response:1"]
    for other in others:
        await client.set(other, "kept")

    async with running(cache_at(server.url)) as cache:
        for number in range(1200):
            await client.set(f"arc:response:{number}", "any version")
        await cache.put(key, ANSWER)
        await cache.invalidate_all()

    assert await client.keys("arc:response:*") == []
    assert await client.mget(others) == [b"kept"] * 4


async def test_what_others_have_written_is_a_miss(
    server: MortalServer, client: Redis, key: str
) -> None:
    """Another version's answer is as good as none, and is replaced by the next."""
    await client.set(f"arc:response:{key}", '{"version": 99}')

    async with running(cache_at(server.url)) as cache:
        before = await cache.get(key)
        await cache.put(key, ANSWER)
        after = await cache.get(key)

    assert (before, after) == (None, ANSWER)


async def test_too_large_an_answer_is_not_kept(server: MortalServer, key: str) -> None:
    """One answer must not fill the server, and that is not an error."""
    async with running(cache_at(server.url)) as cache:
        await cache.put(key, CachedResponse(content="x" * 2_000_000))

        assert await cache.get(key) is None


async def test_an_error_of_the_server_is_told(
    server: MortalServer, client: Redis, key: str
) -> None:
    """A server that answers with an error is there: the error is told, and it is asked again."""
    await client.lpush(f"arc:response:{key}", "a list")

    async with running(cache_at(server.url)) as cache:
        for _ in range(2):
            with pytest.raises(OSError, match="answers with an error"):
                await cache.get(key)


@pytest.mark.parametrize("steps", range(8))
async def test_a_cancellation_leaves_at_every_step(
    server: MortalServer, key: str, steps: int
) -> None:
    """Wherever a look-up is cancelled, it ends so, and the next one does not get its answer."""
    async with running(cache_at(server.url)) as cache:
        await cache.put(key, CachedResponse(content="for another user"))
        await cache.put(key[::-1], ANSWER)
        lookup = asyncio.create_task(cache.get(key))
        for _ in range(steps):
            await asyncio.sleep(0)

        was_cancelled = lookup.cancel()
        await asyncio.wait((lookup,))

        assert lookup.cancelled() is was_cancelled
        assert await cache.get(key[::-1]) == ANSWER


@pytest.mark.timing
async def test_a_silent_server_costs_one_timeout(silent_url: str, key: str) -> None:
    """The first call waits for a part of what a run allows, and the others for nothing."""
    async with running(cache_at(silent_url, timeout_s=0.5)) as cache:
        began = time.perf_counter()
        with pytest.raises(TimeoutError):
            await cache.get(key)
        first_s = time.perf_counter() - began
        for _ in range(100):
            assert await cache.get(key) is None
            await cache.put(key, ANSWER)
        others_s = time.perf_counter() - began - first_s

    assert 0.2 < first_s < 0.5
    assert others_s < 0.1


async def test_many_at_once_pay_the_timeout_together(silent_url: str, key: str) -> None:
    """Of a hundred look-ups that find the server silent the first ones fail, the others miss."""
    async with running(cache_at(silent_url, timeout_s=0.2)) as cache:
        began = time.perf_counter()
        lookups = [asyncio.create_task(cache.get(key)) for _ in range(100)]
        await asyncio.wait(lookups)

    assert time.perf_counter() - began < 10  # one after the other, twenty
    failures = [lookup.exception() for lookup in lookups]
    assert 1 <= sum(isinstance(failure, OSError) for failure in failures) < 10
    assert all(lookup.result() is None for lookup in lookups if lookup.exception() is None)


async def test_forgetting_fails_where_nothing_can_be_forgotten(silent_url: str, key: str) -> None:
    """Who invalidates must not be told that it is done when it is not."""
    async with running(cache_at(silent_url, timeout_s=0.1)) as cache:
        for _ in range(2):
            with pytest.raises(TimeoutError):
                await cache.invalidate(key)
            with pytest.raises(TimeoutError):
                await cache.invalidate_all()


@pytest.mark.parametrize("url", ["http://h", "localhost:6379", "redis://:s3cret@host:none/0"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    """Start-up fails with the setting and the remedy, and without what may be a password."""
    with pytest.raises(ConfigurationError, match=r"cache.redis_url(.|\n)*redis://user") as caught:
        cache_at(url)

    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_it_works_on_one_event_loop_after_the_other(server: MortalServer, key: str) -> None:
    """A program that runs its application twice has a cache twice, for many runs at once."""
    cache = cache_at(server.url, timeout_s=20)  # what is claimed does not depend on the clock

    async def put_and_get(number: int) -> None:
        await cache.put(f"{key}{number}", ANSWER)
        assert await cache.get(f"{key}{number}") == ANSWER

    async def many() -> None:
        async with running(cache), asyncio.TaskGroup() as group:
            for number in range(100):
                group.create_task(put_and_get(number))

    for _ in range(2):
        with asyncio.Runner() as loop:
            loop.run(many())


async def test_a_cold_burst_does_not_open_the_circuit(server: MortalServer, key: str) -> None:
    """Five hundred look-ups that queue for connections which are still being opened find theirs."""
    async with running(cache_at(server.url)) as filling:
        await filling.put(key, ANSWER)

    async with running(cache_at(server.url)) as cache:
        lookups = [asyncio.create_task(cache.get(key)) for _ in range(500)]
        await asyncio.wait(lookups)
        is_asked = cache._circuit.lets_pass()

    found = [lookup.result() for lookup in lookups if lookup.exception() is None]
    assert found.count(ANSWER) > 250, "most of a burst is not answered"
    assert is_asked, "waiting for a connection was taken for a server that does not answer"


async def test_its_health_is_the_servers(server: MortalServer) -> None:
    """A server that answers is fine; one that does not raises, and `arc doctor` tells the cause."""
    async with running(cache_at(server.url)) as cache:
        health = await cache.check_health()
    unused = cache_at(f"redis://127.0.0.1:{free_port()}/0")

    assert (health.status, health.summary) == (HealthStatus.OK, "redis keeps what is put")
    async with running(unused) as cache:
        with pytest.raises(OSError, match="Redis"):
            await cache.check_health()
