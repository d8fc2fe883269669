"""Identical runs at the same time: one of them asks the model."""

import asyncio
from typing import Any

from arc_core import (
    AgentResult,
    CacheLookup,
    InvalidRequestError,
    TokenUsage,
    ToolCall,
    UserMessage,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.settings import AgentSettings, CacheSettings, ConcurrencySettings, LlmSettings
from arc_core.testing import DictResponseCache, RecordingMetrics, scripted_agent
from tests.arc_core.engine.caching_agents import PatientModel, question, settle

AT_ONCE = 100


def patient_agent(turns: list[Any], **components: Any) -> tuple[ReActAgentExecutor, PatientModel]:
    """An agent that lets every run in, with a model that waits."""
    model = PatientModel(turns)
    settings = AgentSettings(
        llm=LlmSettings(temperature=0.0),
        cache=CacheSettings(enabled=True),
        concurrency=ConcurrencySettings(max_concurrent_requests=AT_ONCE),
    )
    return scripted_agent(model, settings, **components), model


async def started(agent: ReActAgentExecutor, count: int) -> list[asyncio.Task[AgentResult]]:
    """So many identical runs, each as far as it gets."""
    asked = question(conversation_history=(UserMessage("Hi"),))
    tasks = [asyncio.create_task(agent.execute(asked)) for _ in range(count)]
    await settle()
    return tasks


async def results_of(tasks: list[asyncio.Task[AgentResult]]) -> list[AgentResult]:
    """The results, once all are there."""
    await asyncio.wait(tasks)
    return [task.result() for task in tasks]


async def test_one_model_call_serves_them_all() -> None:
    """A hundred identical runs cost one call; the others are hits at no cost."""
    metrics = RecordingMetrics()
    agent, model = patient_agent(["Seoul"], agent_metrics=metrics)
    tasks = await started(agent, AT_ONCE)

    model.may_answer.set()
    results = await results_of(tasks)

    assert model.asked == 1
    assert {result.content for result in results} == {"Seoul"}
    assert [r.token_usage for r in results].count(TokenUsage(0, 0)) == AT_ONCE - 1
    assert [r.cache_hit for r in results].count(True) == AT_ONCE - 1
    assert metrics.cache_lookups.count(CacheLookup.HIT) == AT_ONCE - 1
    assert metrics.cache_lookups.count(CacheLookup.MISS) == 1


async def test_after_the_first_is_cancelled_there_is_exactly_one_more_call() -> None:
    """One of those who wait takes over, and serves the rest."""
    agent, model = patient_agent(["Seoul"])
    first, *others = await started(agent, AT_ONCE)

    first.cancel()
    await settle()
    assert model.asked == 2
    model.may_answer.set()
    results = await results_of(others)

    assert first.cancelled()
    assert model.asked == 2
    assert {result.content for result in results} == {"Seoul"}


async def test_a_failure_is_not_shared() -> None:
    """When the first run fails, one of the others asks again."""
    agent, model = patient_agent([InvalidRequestError(), "Seoul"])
    tasks = await started(agent, 10)

    model.may_answer.set()
    results = await results_of(tasks)

    assert [result.success for result in results] == [False] + [True] * 9
    assert model.asked == 2


async def test_other_users_do_not_wait() -> None:
    """At the default scope two users' runs never share a call."""
    agent, model = patient_agent(["Seoul", "Busan"])

    tasks = [asyncio.create_task(agent.execute(question(user_id=user))) for user in ("ann", "bob")]
    await settle()
    assert model.asked == 2
    model.may_answer.set()

    assert {result.content for result in await results_of(tasks)} == {"Seoul", "Busan"}


async def test_an_answer_that_must_not_be_kept_is_not_shared() -> None:
    """Each run asks for itself where a tool forbids that answers are given again."""

    @tool(cacheable=False)
    def now() -> str:
        """What time is it?"""
        return "noon"

    turns: list[Any] = [[ToolCall("1", "now", "{}")], "noon"]
    agent, model = patient_agent([*turns, *[turns[0]] * 9, *["noon"] * 9], tools=(now,))
    tasks = await started(agent, 10)
    assert model.asked == 1

    model.may_answer.set()
    results = await results_of(tasks)

    assert model.asked == 20
    assert not any(result.cache_hit for result in results)


async def test_a_kept_answer_is_looked_up_once_for_all() -> None:
    """Those who wait for the one that looks up get what it finds."""

    class Slow(DictResponseCache):
        lookups = 0

        async def get(self, key: str) -> Any:
            self.lookups += 1
            await asyncio.sleep(0)
            return await super().get(key)

    cache = Slow()
    agent, model = patient_agent(["Seoul"], response_cache=cache)
    model.may_answer.set()
    [kept] = await results_of(await started(agent, 1))
    cache.lookups = 0

    results = await results_of(await started(agent, 10))

    assert (kept.content, model.asked, cache.lookups) == ("Seoul", 1, 1)
    assert all(result.cache_hit for result in results)
