"""Response caches in an application: which one is wired, why, and what it does."""

import logging

import pytest

from arc_autoconfig import Application
from arc_autoconfig.decide import conditions
from arc_core import CachedResponse, ResponseCache
from arc_core.testing import DictResponseCache
from arc_plugins.caches.settings import MemoryCacheSettings
from tests.responses.applications import QUESTION, application

ON = {"enabled": True}


def winner_of(app: Application) -> str:
    """The name of the cache that is wired."""
    winner = app.report.winner(ResponseCache)
    assert winner is not None
    return winner.name


async def test_the_default_keeps_nothing() -> None:
    """Two identical questions are two model calls, and the report says that caching is off."""
    app, model = application("fine")

    async with app:
        for _ in range(2):
            await app.execute(QUESTION)
        winner = winner_of(app)
        report = str(app.report)

    assert len(model.requests) == 2
    assert winner == "none"
    assert "condition not met: setting cache.enabled is set" in report


async def test_the_switch_wires_a_cache_in_memory() -> None:
    """One line of settings, and the second answer comes from the cache."""
    app, model = application("fine", cache=ON)

    async with app:
        results = [await app.execute(QUESTION) for _ in range(2)]
        winner = winner_of(app)

    assert [result.content for result in results] == ["fine", "fine"]
    assert [result.cache_hit for result in results] == [False, True]
    assert (len(model.requests), winner) == (1, "memory")


async def test_a_cache_of_the_users_own_replaces_the_default() -> None:
    """What is registered in code is what the engine uses."""

    class MyCache(DictResponseCache): ...

    cache = MyCache()
    app, _ = application("fine", cache, cache=ON)

    async with app:
        await app.execute(QUESTION)
        winner = winner_of(app)

    assert [kept.content for kept in cache.responses.values()] == ["fine"]
    assert winner == "MyCache"


async def test_answers_can_be_forgotten_by_a_program() -> None:
    """The cache is in the container, whichever it is."""
    app, model = application("fine", cache=ON)

    async with app:
        await app.execute(QUESTION)
        await app.container.response_cache().invalidate_all()
        await app.execute(QUESTION)

    assert len(model.requests) == 2


async def test_streams_do_not_use_the_cache() -> None:
    """A stream asks the model, before and after the same question was kept."""
    app, model = application("fine", cache=ON)

    async with app:
        for _ in range(2):
            _ = [piece async for piece in app.execute_stream(QUESTION)]
            await app.execute(QUESTION)

    assert len(model.requests) == 3


async def test_without_its_package_the_cache_in_redis_steps_back(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The application works, without answers kept; the report says what to install, as told."""

    def find_version(package: str) -> str | None:
        return None if package == "redis" else "99"

    monkeypatch.setattr(conditions, "get_installed_version", find_version)
    app, model = application("fine", cache=ON | {"backend": "redis"})

    with caplog.at_level(logging.WARNING):
        async with app:
            for _ in range(2):
                await app.execute(QUESTION)
            report = str(app.report)

    assert len(model.requests) == 2
    assert 'package redis>=8.1 is installed (pip install "arc-agents[redis]")' in report
    assert "`arc conditions` says what it needs" in caplog.text


async def test_the_sizes_of_the_settings_hold() -> None:
    """A cache for one answer forgets the first for the second."""
    app, _ = application("fine", cache=ON | {"max_size": 1})

    async with app:
        cache = app.container.response_cache()
        for key in ("a", "b"):
            await cache.put(key, CachedResponse(content=key))
        kept = [await cache.get(key) for key in ("a", "b")]

    assert kept == [None, CachedResponse(content="b")]
    assert MemoryCacheSettings().max_size == 1000
