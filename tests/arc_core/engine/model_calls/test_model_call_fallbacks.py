"""Another model answers if one is down."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    AuthenticationError,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    ContextTooLongError,
    ModelError,
    ModelOverloadedError,
    ModelTimeoutError,
    ModelUnavailableError,
    RateLimitError,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    tool,
)
from arc_core.settings import AgentSettings
from arc_core.testing import BrokenOff, RecordingMetrics, ScriptedChatModel, scripted_agent
from tests.arc_core.engine.caching_agents import settle
from tests.arc_core.engine.entry_points import executed, streamed

LLM: dict[str, Any] = {
    "model": "large-4",
    "fallbacks": ["quick"],
    "models": {
        "quick": {"model": "mini-4", "max_output_tokens": 100, "fallbacks": ["local"]},
        "local": {"model": "tiny-4"},
    },
}
Script = Sequence[Any] | ScriptedChatModel
SAME_HISTORY: dict[str, Any] = {"conversation_history": (UserMessage("Hi"),)}


class World:
    """An agent with three models, of which each falls back on the next."""

    def __init__(
        self,
        *scripts: Sequence[Any] | ScriptedChatModel,
        attempts: int = 1,
        model: ChatModel | None = None,
        **settings: Any,
    ) -> None:
        filled = (*scripts, *[()] * (3 - len(scripts)))
        self.default, self.quick, self.local = map(_model, filled)
        self.metrics = RecordingMetrics()
        retry = {"max_attempts": attempts, "initial_delay_s": 0}
        self.agent = scripted_agent(
            model or self.default,
            AgentSettings.model_validate({"llm": LLM, "retry": retry, **settings}),
            models={"quick": self.quick, "local": self.local},
            agent_metrics=self.metrics,
            tools=[look],
        )

    async def execute(self, **fields: Any) -> AgentResult:
        """A run."""
        return await self.agent.execute(AgentCommand(user_prompt="Hello", **fields))


def _model(script: Script) -> ScriptedChatModel:
    return script if isinstance(script, ScriptedChatModel) else ScriptedChatModel(script)


@tool
async def look() -> str:
    """Look."""
    return "seen"


@pytest.mark.parametrize(
    "error",
    [
        ModelUnavailableError(),
        ModelOverloadedError(),
        RateLimitError(),
        ModelTimeoutError(),
        AuthenticationError(),
    ],
    ids=lambda error: error.code.value,
)
@pytest.mark.parametrize("run", [executed, streamed])
async def test_the_next_model_answers(run: Any, error: ModelError) -> None:
    """The result says which it was, and it is asked as its own settings say."""
    world = World([error], ["Hi."])

    result = await run(world.agent, AgentCommand(user_prompt="Hello"))

    assert (result.content, result.model) == ("Hi.", "quick")
    (asked,) = world.quick.requests
    assert (asked.model, asked.max_output_tokens) == ("mini-4", 100)


async def test_no_other_model_is_asked_for_the_callers_fault() -> None:
    """It would be the same there."""
    world = World([ContextTooLongError()])

    result = await world.execute()

    assert result.error_code is AgentErrorCode.CONTEXT_TOO_LONG
    assert world.quick.requests == []


async def test_no_other_model_goes_on_with_what_was_handed_out() -> None:
    """A reader would get two beginnings."""
    world = World([BrokenOff("One and", ModelUnavailableError())])

    result = await streamed(world.agent, AgentCommand(user_prompt="Hello"))

    assert result.error_code is AgentErrorCode.UNAVAILABLE
    assert world.quick.requests == []


async def test_a_model_gets_a_retry_before_another_is_asked() -> None:
    """As often as the retries say."""
    world = World([ModelOverloadedError(), ModelOverloadedError()], ["Hi."], attempts=2)

    await world.execute()

    assert [each.attempts for each in world.metrics.model_calls] == [2, 1]


async def test_fallbacks_of_a_fallback_follow() -> None:
    """Until one answers."""
    world = World([ModelUnavailableError()], [AuthenticationError()], ["Hi."])

    assert (await world.execute()).model == "local"


async def test_if_all_are_down_the_run_ends_with_the_last_error() -> None:
    """That of the model that was asked last."""
    world = World([ModelUnavailableError()], [RateLimitError()], [ModelOverloadedError()])

    result = await world.execute()

    assert (result.error_code, result.model) == (AgentErrorCode.OVERLOADED, "local")


async def test_metrics_count_each_switch() -> None:
    """In the record of the model that has failed."""
    world = World([ModelUnavailableError()], [RateLimitError()], ["Hi."])

    await world.execute()

    assert [each.fallback for each in world.metrics.model_calls] == ["quick", "local", None]


async def test_each_turn_begins_with_the_model_of_the_run() -> None:
    """It may be up again, and the tool turn of the other one goes with it."""
    world = World([ModelUnavailableError(), "Back."], [[ToolCall("1", "look", "{}")]])

    result = await world.execute()

    assert (result.content, result.model) == ("Back.", "large-4")
    results = world.default.requests[1].messages[-1]
    assert isinstance(results, ToolResultMessage)
    assert [each.content for each in results.results] == ["seen"]


async def test_an_answer_of_another_model_is_not_kept_for_the_next_run() -> None:
    """The cache would give it as that of the model itself."""
    world = World(
        [ModelUnavailableError(), "Mine."],
        ["Another's."],
        cache={"enabled": True, "cacheable_temperature": 1},
        llm={**LLM, "temperature": 0},
    )

    results = [await world.execute(**SAME_HISTORY) for _ in range(2)]

    assert [each.content for each in results] == ["Another's.", "Mine."]


async def test_a_model_that_could_not_be_started_is_fallen_back_from() -> None:
    """One that the settings list, and the wiring does not have."""
    models = {"quick": {"fallbacks": ["local"]}, "local": {}}
    settings = AgentSettings.model_validate({"llm": {"models": models}})
    agent = scripted_agent(
        ScriptedChatModel([]), settings, models={"local": ScriptedChatModel(["Hi."])}
    )

    result = await agent.execute(AgentCommand(user_prompt="Hello", model="quick"))

    assert (result.content, result.model) == ("Hi.", "local")


async def test_an_open_circuit_is_fallen_back_from_without_asking() -> None:
    """The model that has failed often enough is left alone."""
    world = World([ModelUnavailableError()], ["a", "b"], circuit={"failure_threshold": 1})

    results = [await world.execute(**SAME_HISTORY) for _ in range(2)]

    assert [each.content for each in results] == ["a", "b"]
    assert len(world.default.requests) == 1
    assert [each.attempts for each in world.metrics.model_calls] == [1, 1, 0, 1]


async def test_without_fallbacks_an_open_circuit_ends_the_run_at_once() -> None:
    """With the code of what it is taken for."""
    model = ScriptedChatModel([ModelUnavailableError()])
    settings = {"circuit": {"failure_threshold": 1}, "retry": {"max_attempts": 1}}
    agent = scripted_agent(model, AgentSettings.model_validate(settings))

    for _ in range(2):
        result = await agent.execute(AgentCommand(user_prompt="Hello"))
        assert result.error_code is AgentErrorCode.UNAVAILABLE

    assert len(model.requests) == 1


class Gated(ScriptedChatModel):
    """Answers only while its gate is open."""

    def __init__(self, turns: Iterable[Any]) -> None:
        super().__init__(turns)
        self.gate = asyncio.Event()
        self.gate.set()

    async def complete(self, request: ChatRequest) -> ChatResponse:
        await self.gate.wait()
        return await super().complete(request)


async def test_under_many_runs_one_tries_and_the_circuit_closes() -> None:
    """All the others are answered by the next model meanwhile."""
    down = [ModelUnavailableError()] * 3
    model, instead = Gated([*down, "Back.", "Back."]), ["Instead."] * 202
    settings: dict[str, Any] = {
        "circuit": {"failure_threshold": 3, "open_s": 0},
        "concurrency": {"max_concurrent_requests": 300},
    }
    world = World(model, instead, **settings)
    for _ in down:
        await world.execute(**SAME_HISTORY)

    model.gate.clear()
    async with asyncio.TaskGroup() as group:
        runs = [group.create_task(world.execute(**SAME_HISTORY)) for _ in range(200)]
        await settle()
        model.gate.set()

    assert Counter(each.result().content for each in runs) == {"Back.": 1, "Instead.": 199}
    assert (await world.execute(**SAME_HISTORY)).content == "Back."


async def test_a_trial_that_is_cancelled_makes_room_for_the_next() -> None:
    """Its caller has left; the vendor has said nothing."""
    model = Gated([ModelUnavailableError(), "Back."])
    world = World(model, ["Instead."], circuit={"failure_threshold": 1, "open_s": 0})
    await world.execute(**SAME_HISTORY)

    model.gate.clear()
    trial = asyncio.create_task(world.execute(**SAME_HISTORY))
    await settle()
    trial.cancel()
    await asyncio.wait([trial])
    model.gate.set()

    assert (await world.execute(**SAME_HISTORY)).content == "Back."


@pytest.mark.parametrize("run", [executed, streamed])
async def test_if_all_circuits_are_open_the_run_ends_at_once(run: Any) -> None:
    """With the code of what the models are taken for, and none is asked."""
    down = [ModelUnavailableError()]
    world = World(down, down, down, circuit={"failure_threshold": 1})

    results = [await run(world.agent, AgentCommand(user_prompt="Hello")) for _ in range(2)]

    assert {each.error_code for each in results} == {AgentErrorCode.UNAVAILABLE}
    assert [each.attempts for each in world.metrics.model_calls] == [1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize("run", [executed, streamed])
async def test_a_retry_after_above_the_cap_falls_back_at_once(run: Any) -> None:
    """The vendor says that no retry will help."""
    world = World([RateLimitError(retry_after_s=60)], ["Hi."], attempts=3)

    result = await run(world.agent, AgentCommand(user_prompt="Hello"))

    assert (result.content, result.model) == ("Hi.", "quick")
    assert [each.attempts for each in world.metrics.model_calls] == [1, 1]


async def test_a_retry_after_within_the_cap_is_waited_for() -> None:
    """Though there is a fallback."""
    world = World([RateLimitError(retry_after_s=0), "Hi."], attempts=2)

    assert (await world.execute()).model == "large-4"


async def test_without_a_fallback_that_fits_a_retry_after_above_the_cap_is_tried_again() -> None:
    """After the cap: a late answer is better than none."""
    settings: dict[str, Any] = {
        "retry": {"max_attempts": 2, "max_delay_s": 0},
        "llm": {"model": "large-4"},
    }
    world = World([RateLimitError(retry_after_s=60), "Hi."], **settings)

    result = await world.execute()

    assert result.content == "Hi."
    assert [each.attempts for each in world.metrics.model_calls] == [2]


class Slow(ChatModel):
    """Fails after a while, as a vendor does that says nothing."""

    def __init__(self, after_s: float) -> None:
        self.after_s, self.asked = after_s, 0

    async def complete(self, request: ChatRequest) -> ChatResponse:
        self.asked += 1
        await asyncio.sleep(self.after_s)
        raise ModelTimeoutError

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        await self.complete(request)
        yield ChatDelta()


async def test_a_retry_that_would_outlast_the_run_is_left_to_the_fallback() -> None:
    """What failed after half of the run's time would end with the run."""
    slow, limits = Slow(0.3), {"request_timeout_s": 0.59}
    world = World([], ["Hi."], attempts=3, concurrency=limits, model=slow)

    result = await world.execute()

    assert (result.content, result.model) == ("Hi.", "quick")
    assert slow.asked == 1


async def test_a_deadline_in_a_retry_counts_for_the_circuit() -> None:
    """The vendor has failed already; without a failure before, a deadline counts for nothing."""
    settings: dict[str, Any] = {
        "concurrency": {"request_timeout_s": 0.5},
        "circuit": {"failure_threshold": 1},
        "llm": {"model": "large-4"},
    }
    slow = Slow(0.3)
    world = World(attempts=3, model=slow, **settings)

    codes = [(await world.execute()).error_code for _ in range(2)]

    assert codes == [AgentErrorCode.TIMEOUT, AgentErrorCode.UNAVAILABLE]
    assert slow.asked == 2
