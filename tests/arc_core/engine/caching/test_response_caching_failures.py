"""Caches that fail: logged, counted, and no run is lost or held up."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from arc_core import (
    CachedResponse,
    CacheLookup,
    FaultSource,
    FinishReason,
    ResponseCache,
    UserMessage,
)
from arc_core.testing import DictResponseCache, RecordingMetrics, ScriptedChatModel
from tests.arc_core.engine.caching_agents import caching_agent, question

FAULT = FaultSource.RESPONSE_CACHE
TIMEOUT_S = 0.05


class Watched(DictResponseCache):
    """Remembers which of its methods were called, and tells when it hangs."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.hangs = asyncio.Event()

    async def hang(self) -> None:
        self.hangs.set()
        await asyncio.Event().wait()

    async def get(self, key: str) -> CachedResponse | None:
        self.calls.append("get")
        return await super().get(key)

    async def put(self, key: str, response: CachedResponse) -> None:
        self.calls.append("put")
        await super().put(key, response)


class RaisingGet(Watched):
    async def get(self, key: str) -> CachedResponse | None:
        await super().get(key)
        raise ConnectionError


class RaisingPut(Watched):
    async def put(self, key: str, response: CachedResponse) -> None:
        self.calls.append("put")
        raise ConnectionError


class HangingGet(Watched):
    async def get(self, key: str) -> CachedResponse | None:
        await super().get(key)
        await self.hang()
        raise AssertionError


class HangingPut(Watched):
    async def put(self, key: str, response: CachedResponse) -> None:
        await super().put(key, response)
        await self.hang()


class Foreign(Watched):
    """Gives what another version has written."""

    async def get(self, key: str) -> Any:
        self.calls.append("get")
        return {"content": "Busan"}


class Contentless(Watched):
    """Gives a response whose content is not a text."""

    async def get(self, key: str) -> CachedResponse | None:
        self.calls.append("get")
        nothing: Any = None
        return CachedResponse(content=nothing)


class Blank(Watched):
    """Gives a response of blanks."""

    async def get(self, key: str) -> CachedResponse | None:
        self.calls.append("get")
        return CachedResponse(content=" \n")


@pytest.mark.parametrize(
    ("cache", "calls", "faults"),
    [
        (Watched, ["get", "put"], []),
        (RaisingGet, ["get", "put"], [FAULT]),
        (RaisingPut, ["get", "put"], [FAULT]),
        (HangingGet, ["get"], [FAULT]),
        (HangingPut, ["get", "put"], [FAULT]),
        (Foreign, ["get", "put"], [FAULT]),
        (Contentless, ["get", "put"], [FAULT]),
        (Blank, ["get", "put"], [FAULT]),
    ],
)
async def test_a_cache_that_fails_costs_a_count_and_one_timeout(
    cache: Callable[[], Watched], calls: list[str], faults: list[FaultSource]
) -> None:
    """The answer comes from the model, even if the cache would never answer."""
    metrics, failing = RecordingMetrics(), cache()
    agent, _ = caching_agent(
        ["Seoul"],
        response_cache=failing,
        agent_metrics=metrics,
        cache={"timeout_s": TIMEOUT_S if cache in {HangingGet, HangingPut} else 60},
    )

    result = await agent.execute(question())

    assert result.content == "Seoul"
    assert (failing.calls, metrics.faults) == (calls, faults)
    assert metrics.cache_lookups == [CacheLookup.MISS]


async def test_an_answer_that_failed_to_be_read_is_written_anew() -> None:
    """What another version has left does not stand in the way for ever."""

    class Healing(Watched):
        async def get(self, key: str) -> CachedResponse | None:
            if not self.responses:
                raise ValueError("written by another version")
            return await super().get(key)

    agent, model = caching_agent(["Seoul"], response_cache=Healing())
    asked = question(conversation_history=(UserMessage("Hi"),))

    await agent.execute(asked)
    result = await agent.execute(asked)

    assert (result.content, len(model.requests)) == ("Seoul", 1)


async def test_a_failure_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """The log has the cache's name and its exception."""
    agent, _ = caching_agent(["Seoul"], response_cache=RaisingGet())

    await agent.execute(question())

    [record] = [each for each in caplog.records if "cache failed" in each.message]
    assert vars(record)["component"] == "RaisingGet"
    assert record.exc_info is not None
    assert record.exc_info[0] is ConnectionError


async def _cancel_in_cache(cache: Watched, model: ScriptedChatModel | None = None) -> None:
    """Cancel a run while it waits for its cache, and wait for its end."""
    turns = model or ["Seoul"]
    agent, _ = caching_agent(turns, response_cache=cache, cache={"timeout_s": 60})
    task = asyncio.create_task(agent.execute(question()))
    await cache.hangs.wait()
    task.cancel()
    await task


@pytest.mark.parametrize("hanging", [HangingGet, HangingPut])
async def test_a_cancellation_leaves_the_cache(hanging: Callable[[], Watched]) -> None:
    """A run that is cancelled while it waits for its cache is cancelled, not continued."""
    with pytest.raises(asyncio.CancelledError):
        await _cancel_in_cache(hanging())


async def test_a_cache_that_swallows_a_cancellation_does_not_keep_the_run() -> None:
    """The model is not asked for a run that no caller waits for any more."""

    class Deaf(Watched):
        async def get(self, key: str) -> CachedResponse | None:
            try:
                await self.hang()
            except asyncio.CancelledError as cancellation:
                return CachedResponse(content=f"stopped {cancellation}")
            raise AssertionError

    model = ScriptedChatModel(["Seoul"])

    with pytest.raises(asyncio.CancelledError):
        await _cancel_in_cache(Deaf(), model)

    assert model.requests == []


async def test_the_caller_is_not_told_of_the_cache() -> None:
    """A cache's failure leaves no trace in the result."""
    secret: ResponseCache = RaisingGet()
    agent, _ = caching_agent(["Seoul"], response_cache=secret)

    result = await agent.execute(question())

    assert (result.finish_reason, dict(result.metadata)) == (FinishReason.STOP, {})
