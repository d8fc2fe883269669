"""An agent asks others, each in a run of its own below its own run."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    AgentStarted,
    Allowed,
    ChatRequest,
    GuardRequest,
    GuardResult,
    Hook,
    HookContext,
    Limits,
    RefusedError,
    Rejected,
    RejectionCategory,
    RunFinished,
    TokenUsage,
    ToolCall,
    ToolOutcome,
    UserMessage,
)
from arc_core.testing import ScriptedChatModel
from tests.arc_core.engine.asking_agents import (
    agent_of,
    ask,
    asking,
    engine_of,
    events_by_run,
    results_in,
)

BOSS = AgentCommand(user_prompt="Help.", agent="boss", user_id="ann", tenant_id="acme")
SPECIALISTS = ["one", "two", "three", "four", "five"]
TREE = {"boss": SPECIALISTS, "one": ["deep"], "two": ["deep"]}
AGENTS = [agent_of(name, *TREE.get(name, ())) for name in ("boss", *SPECIALISTS, "deep")]
ONE_PERMIT = {"concurrency": {"max_concurrent_requests": 1}}


class Waiting:
    """A model that takes long for one of the agents; for ever, unless it is told how long."""

    def __init__(self, agent: str, seconds: float | None = None) -> None:
        self.reached, self._agent, self._seconds = asyncio.Event(), agent, seconds
        self.script = asking(TREE)

    async def complete(self, request: ChatRequest) -> Any:
        await self._wait(request)
        return await self.script.complete(request)

    async def stream(self, request: ChatRequest) -> AsyncIterator[Any]:
        await self._wait(request)
        async for delta in self.script.stream(request):
            yield delta

    async def _wait(self, request: ChatRequest) -> None:
        if request.system_prompt == self._agent:
            over = asyncio.Event()
            self.reached.set()
            if self._seconds is not None:
                asyncio.get_running_loop().call_later(self._seconds, over.set)
            await over.wait()


class Ends(Hook):
    """Told of the end of every run."""

    def __init__(self) -> None:
        self.runs: list[tuple[HookContext, AgentResult]] = []

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        self.runs.append((context, response))


class NoCounting:
    """A guard that rejects a task."""

    order = 1

    async def check(self, request: GuardRequest) -> GuardResult:
        if request.text == "Count.":
            return Rejected("secret reason", RejectionCategory.OFF_TOPIC)
        return Allowed()


async def test_the_answer_of_another_agent_is_the_result_of_its_tool() -> None:
    """Its run sees the task alone, under its own instructions."""
    model = ScriptedChatModel([[ask("one", "Count.")], "Three.", "It is three."])
    engine = engine_of(model, agent_of("boss", "one"), agent_of("one"))

    result = await engine.execute(BOSS)

    _, inner, last = model.requests
    assert (inner.system_prompt, inner.messages[-1]) == ("one", UserMessage("Count."))
    assert len(inner.messages) == 1
    assert results_in(last) == [("success", "Three.")]
    assert (result.content, result.tools_used) == ("It is three.", ("ask_one",))


async def test_tokens_of_all_runs_count_with_the_first() -> None:
    """Eight runs, of which three ask twice: exactly the eleven calls of the model."""
    model = asking(TREE)

    result = await engine_of(model, *AGENTS).execute(BOSS)

    assert len(model.requests) == 11
    assert result.token_usage == TokenUsage(110, 55)


async def test_one_stream_has_the_events_of_all_runs_in_order() -> None:
    """Each run says who runs and below whom, and numbers its events without a gap."""
    runs = await events_by_run(engine_of(asking(TREE), *AGENTS), BOSS)

    started = {run_id: events[0] for run_id, events in runs.items()}
    above = {e.agent: e.parent_run_id for e in started.values() if isinstance(e, AgentStarted)}
    boss = next(iter(runs))
    assert [each.seq for events in runs.values() for each in events] == [
        number for events in runs.values() for number in range(1, len(events) + 1)
    ]
    assert {name: above[name] for name in SPECIALISTS} == dict.fromkeys(SPECIALISTS, boss)
    assert above["boss"] is None
    assert started[str(above["deep"])].agent in {"one", "two"}  # type: ignore[union-attr]
    assert all(isinstance(events[-1], RunFinished) for events in runs.values())
    assert len(runs) == 8


async def test_the_run_that_was_asked_ends_last() -> None:
    """A caller who reads to its end has read everything."""
    events = [e async for e in engine_of(asking(TREE), *AGENTS).stream_events(BOSS)]

    assert isinstance(events[-1], RunFinished)
    assert events[-1].run_id == events[0].run_id
    assert events[-1].result.content == "I am boss."


async def test_a_stream_of_texts_has_none_of_other_runs() -> None:
    """Only who was asked answers."""
    engine = engine_of(asking({"boss": ["one"]}), agent_of("boss", "one"), agent_of("one"))

    texts = [text async for text in engine.execute_stream(BOSS)]

    assert "".join(texts) == "I am boss."


async def test_inner_runs_need_no_permit() -> None:
    """One permit is enough for a tree of runs."""
    result = await engine_of(asking(TREE), *AGENTS, settings=ONE_PERMIT).execute(BOSS)

    assert result.content == "I am boss."


async def test_inner_runs_have_no_timeout_of_a_tool() -> None:
    """A tool may take a moment, an agent as long as the run that asks it."""
    model = Waiting("one", seconds=0.05)
    settings = {"concurrency": {"tool_call_timeout_s": 0.001}}

    result = await engine_of(model, *AGENTS, settings=settings).execute(BOSS)

    assert "ask_one" in result.tools_used
    assert ("success", "I am one.") in results_in(model.script.requests[-1])


async def test_guards_and_hooks_see_inner_runs() -> None:
    """With the caller's user and tenant, and the run above."""
    hook = Ends()
    engine = engine_of(
        asking({"boss": ["one"]}), agent_of("boss", "one"), agent_of("one"), hooks=(hook,)
    )

    result = await engine.execute(BOSS.model_copy(update={"session_id": "7"}))

    inner = next(each for each, _ in hook.runs if each.agent == "one")
    assert (inner.user_id, inner.tenant_id, inner.session_id) == ("ann", "acme", None)
    assert inner.parent_run_id == result.run_id != inner.run_id


@pytest.mark.parametrize("failure", [RefusedError("secret"), ValueError("secret"), None])
async def test_a_failure_is_told_in_general_words(failure: Exception | None) -> None:
    """Of the model or of a guard: no text of an exception reaches the model that asked."""
    turns = [failure] if failure else []
    model = ScriptedChatModel([[ask("one", "Wait." if failure else "Count.")], *turns, "Well."])
    engine = engine_of(model, agent_of("boss", "one"), agent_of("one"), guards=(NoCounting(),))

    result = await engine.execute(BOSS)

    told = ("failed", "Error: The agent 'one' has no answer")
    assert results_in(model.requests[-1]) == [told]
    assert result.content == "Well."


async def test_a_task_is_needed() -> None:
    """Wrong arguments are told as those of any tool."""
    model = ScriptedChatModel([[ToolCall("1", "ask_one", "{}")], "Well."])

    await engine_of(model, agent_of("boss", "one"), agent_of("one")).execute(BOSS)

    [(outcome, _)] = results_in(model.requests[-1])
    assert outcome == ToolOutcome.INVALID_ARGUMENTS


@pytest.mark.parametrize("max_depth", [0, 1, 2])
async def test_delegation_ends_at_the_bound(max_depth: int) -> None:
    """The agent there is told so, and answers itself."""
    chain = ["boss", "b", "c", "d"]
    following = dict(zip(chain, ([each] for each in chain[1:]), strict=False))
    agents = [agent_of(name, *following.get(name, ())) for name in chain]
    model = asking(following)

    await engine_of(model, *agents, settings={"agents": {"max_depth": max_depth}}).execute(BOSS)

    told = f"Error: Maximum depth of delegation ({max_depth}) reached"
    said = [result for request in model.requests for result in results_in(request)]
    assert (ToolOutcome.LIMIT_REACHED.value, told) in said
    asked = {request.system_prompt for request in model.requests}
    assert asked == set(chain[: max_depth + 1])


@pytest.mark.parametrize("streams", [False, True])
async def test_a_cancel_leaves_through_all_levels(streams: bool) -> None:  # noqa: FBT001
    """No task is left, every run has told its end, and the permit is free."""
    hook, model, before = Ends(), Waiting("deep"), asyncio.all_tasks()
    engine = engine_of(model, *AGENTS, hooks=(hook,), settings=ONE_PERMIT)

    work = events_by_run(engine, BOSS) if streams else engine.execute(BOSS)
    task = asyncio.ensure_future(work)
    await model.reached.wait()
    task.cancel()
    await asyncio.wait({task})

    ends = [(each.agent, result.error_code) for each, result in hook.runs]
    assert asyncio.all_tasks() == before
    cancelled = {agent for agent, code in ends if code is AgentErrorCode.CANCELLED}
    assert cancelled == {"boss", "one", "two", "deep"}
    assert (await engine.execute(AgentCommand(user_prompt="Hi", agent="five"))).success


async def test_the_deadline_of_the_caller_holds_for_all() -> None:
    """The run that was asked times out, and what it has started goes with it."""
    model, before = Waiting("deep"), asyncio.all_tasks()
    engine = engine_of(model, *AGENTS)

    result = await engine.execute(BOSS.model_copy(update={"limits": Limits(deadline_s=0.05)}))

    assert result.error_code is AgentErrorCode.TIMEOUT
    assert asyncio.all_tasks() == before


async def test_an_agent_that_is_a_tool_need_not_be_wired() -> None:
    """It stands among the tools of the one that asks it."""
    one = agent_of("one", description="Counts.")
    boss = Agent("boss", instructions="boss", tools=[one.as_tool()])
    model = asking({"boss": ["one"]})

    result = await engine_of(model, boss).execute(BOSS)

    assert model.requests[0].tools[0].description == "Counts."
    assert results_in(model.requests[-1]) == [("success", "I am one.")]
    assert result.success
