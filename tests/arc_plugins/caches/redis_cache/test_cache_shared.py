"""Processes share answers in Redis, and lose no run when it dies."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from arc_core import (
    AgentCommand,
    AgentResult,
    ChatRequest,
    ChatResponse,
    FaultSource,
    FinishReason,
    UserMessage,
)
from arc_core.log import get_logger
from arc_core.messages import AssistantMessage
from arc_core.settings import AgentSettings, LlmSettings
from arc_core.testing import (
    ListConversationManager,
    RecordingMetrics,
    ScriptedChatModel,
    scripted_agent,
)
from arc_core.testing.conformance.components import running
from arc_plugins.caches.redis_cache import RedisCacheSettings
from tests.arc_plugins.caches.redis_cache.servers import MortalServer, mortal_server

pytest.importorskip("redis", reason="needs the extra redis")
from arc_core.stores import redis as redis_store
from arc_plugins.caches.redis_cache.cache import RedisResponseCache

TIMEOUT_S = 0.4

_PROCESS = """
import asyncio, json, sys
from arc_autoconfig import Application, ArcSettings
from arc_core import AgentCommand
from arc_core.testing import ScriptedChatModel

async def main(url, answer):
    settings = ArcSettings(
        llm={"temperature": 0.0}, cache={"enabled": True, "backend": "redis", "redis_url": url}
    )
    model = ScriptedChatModel([answer])
    async with Application(settings, register=[model], plugins=True) as app:
        result = await app.execute(AgentCommand(user_prompt="Which city?", user_id="ann"))
    print(json.dumps([result.content, result.cache_hit, len(model.requests)]))

asyncio.run(main(sys.argv[1], sys.argv[2]))
"""


class RepeatingModel(ScriptedChatModel):
    """Answers with the question."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Repeat the question."""
        [*_, question] = request.messages
        assert isinstance(question, UserMessage)
        return ChatResponse(AssistantMessage(question.text), None, FinishReason.STOP)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MortalServer]:
    """A real server that no other test uses."""
    with mortal_server(tmp_path) as redis:
        yield redis


def run_in_a_process(url: str, answer: str) -> list[object]:
    """Content, hit and model calls of a run in a process of its own, whose model says `answer`."""
    ended = subprocess.run(
        [sys.executable, "-c", _PROCESS, url, answer],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    result: list[object] = json.loads(ended.stdout.splitlines()[-1])
    return result


@pytest.mark.slow
def test_two_processes_share_an_answer(server: MortalServer) -> None:
    """What one process has asked, the other is given without asking."""
    first = run_in_a_process(server.url, "Seoul")
    second = run_in_a_process(server.url, "Busan")

    assert (first, second) == (["Seoul", False, 1], ["Seoul", True, 0])


class Load:
    """Runs without a pause, each timed.

    Attributes:
        results: Of all runs so far.
        slowest_s: What the slowest of them took.
    """

    def __init__(self, cache: RedisResponseCache) -> None:
        self.metrics = RecordingMetrics()
        self.results: list[AgentResult] = []
        self.slowest_s = 0.0
        self.is_over = False
        self._agent = scripted_agent(
            RepeatingModel([]),
            AgentSettings(
                llm=LlmSettings(temperature=0.0),
                cache=RedisCacheSettings(enabled=True, timeout_s=TIMEOUT_S),
            ),
            response_cache=cache,
            conversation_manager=ListConversationManager(),
            agent_metrics=self.metrics,
        )

    async def run(self, user_id: str) -> None:
        """Ask the same five questions again and again, until it is over."""
        number = 0
        while not self.is_over:
            number += 1
            command = AgentCommand(
                user_prompt=f"{user_id} asks {number % 5}",
                user_id=user_id,
                conversation_history=(UserMessage("Hi"),),
            )
            began = time.perf_counter()
            result = await self._agent.execute(command)
            self.slowest_s = max(self.slowest_s, time.perf_counter() - began)
            assert result.content == command.user_prompt
            self.results.append(result)

    async def share_of_hits(self, count: int = 200) -> float:
        """How many of the next runs, that many or some more, are hits."""
        already = len(self.results)
        while len(self.results) < already + count:  # noqa: ASYNC110 -- real time is what it is about
            await asyncio.sleep(0.01)
        hits = [result.cache_hit for result in self.results[already:]]
        return sum(hits) / len(hits)


@pytest.fixture
async def load(server: MortalServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Load]:
    """Three users who ask without a pause."""
    monkeypatch.setattr(redis_store, "_PROBE_EVERY_S", 0.1)
    settings = RedisCacheSettings(redis_url=SecretStr(server.url), timeout_s=TIMEOUT_S)
    async with running(RedisResponseCache(settings=settings, logger=get_logger("test"))) as cache:
        asking = Load(cache)
        tasks = [asyncio.create_task(asking.run(user)) for user in ("ann", "bob", "cid")]
        yield asking
        asking.is_over = True
        await asyncio.wait(tasks)
        for task in tasks:
            task.result()


@pytest.mark.slow
async def test_a_server_that_dies_and_returns_costs_no_run(
    server: MortalServer, load: Load
) -> None:
    """Under load, runs are hits, then misses while it is dead, then hits: none fails or waits."""
    await load.share_of_hits()
    alive = await load.share_of_hits()

    server.kill()
    await load.share_of_hits()
    dead = await load.share_of_hits()

    await asyncio.to_thread(server.start)
    while not load.results[-1].cache_hit:
        await load.share_of_hits()
    again = await load.share_of_hits()

    assert (alive, dead) == (1, 0)
    assert again > 0.9
    assert all(result.success for result in load.results)
    assert load.slowest_s < TIMEOUT_S + 10
    assert set(load.metrics.faults) == {FaultSource.RESPONSE_CACHE}
    assert len(load.metrics.faults) < 20
