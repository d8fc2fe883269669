"""Which model a run asks, and what is told of it."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentResult,
    AssistantMessage,
    ChatResponse,
    ResponseFormat,
    TokenUsage,
    UserMessage,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.settings import AgentSettings, LlmSettings, Price
from arc_core.testing import DictResponseCache, RecordingMetrics, ScriptedChatModel, scripted_agent
from tests.arc_core.engine.entry_points import executed, streamed

LLM: dict[str, Any] = {
    "model": "large-4",
    "temperature": 0,
    "price": {"input": 10, "output": 20},
    "models": {"quick": {"model": "mini-4", "price": {"input": 1, "output": 2}}, "open": {}},
}
SAME_HISTORY: dict[str, Any] = {"conversation_history": (UserMessage("Hi"),)}


class World:
    """An agent with a model of its own for each entry."""

    def __init__(self, turns: Sequence[Any] = ("Hi.", "Hi."), **settings: Any) -> None:
        self.default, self.quick = ScriptedChatModel(turns), ScriptedChatModel(turns)
        self.metrics, self.cache = RecordingMetrics(), DictResponseCache()
        llm = LlmSettings.model_validate({**LLM, **settings.pop("llm", {})})
        self.agent: ReActAgentExecutor = scripted_agent(
            self.default,
            AgentSettings(llm=llm, **settings),
            models={"quick": self.quick, "open": ScriptedChatModel(turns)},
            agent_metrics=self.metrics,
            response_cache=self.cache,
        )

    async def execute(self, model: str | None = None, **fields: Any) -> AgentResult:
        """A run with a model."""
        return await self.agent.execute(AgentCommand(user_prompt="Hello", model=model, **fields))


@pytest.mark.parametrize("run", [executed, streamed])
async def test_a_command_names_an_entry(run: Any) -> None:
    """That model is asked, for the vendor's name of the entry; the result names the entry."""
    world = World()

    result = await run(world.agent, AgentCommand(user_prompt="Hello", model="quick"))

    assert (result.content, result.model) == ("Hi.", "quick")
    assert [each.model for each in world.quick.requests] == ["mini-4"]
    assert world.default.requests == []


@pytest.mark.parametrize(
    ("model", "asked"), [(None, "large-4"), ("default", "large-4"), ("huge-5", "huge-5")]
)
async def test_all_other_names_are_the_default_vendors(model: str | None, asked: str) -> None:
    """Of no entry, that of the settings, and any other one as it is."""
    world = World()

    result = await world.execute(model)

    assert [each.model for each in world.default.requests] == [asked]
    assert result.model == asked


async def test_an_answer_is_repaired_by_the_model_that_gave_it() -> None:
    """The second question goes where the first one went."""
    world = World(turns=["no JSON", "{}"])

    await world.execute("quick", response_format=ResponseFormat.JSON)

    assert [each.model for each in world.quick.requests] == ["mini-4", "mini-4"]


async def test_the_window_is_that_of_the_model() -> None:
    """What does not fit into the smaller one is sent to the larger one."""
    models = {"quick": {"max_output_tokens": 10, "max_context_window_tokens": 50}}
    world = World(llm={"models": models})
    history = (UserMessage("x" * 100),)

    small = await world.execute("quick", conversation_history=history)
    large = await world.execute(conversation_history=history)

    assert (small.dropped_messages, large.dropped_messages) == (1, 0)
    assert world.quick.requests[0].max_output_tokens == 10


async def test_metrics_have_the_name_and_what_the_vendor_calls_it() -> None:
    """For calls and for runs."""
    world = World()

    await world.execute("quick")
    await world.execute()

    assert [(each.name, each.model) for each in world.metrics.model_calls] == [
        ("quick", "mini-4"),
        (None, "large-4"),
    ]
    assert [(each.name, each.model) for each in world.metrics.runs] == [
        ("quick", "mini-4"),
        (None, "large-4"),
    ]


async def test_models_do_not_share_cached_answers() -> None:
    """Even if their vendors call them the same."""
    world = World(cache={"enabled": True})

    models = (None, "open", "open", "quick")
    hits = [(await world.execute(each, **SAME_HISTORY)).cache_hit for each in models]

    assert hits == [False, False, True, False]


def test_cached_input_has_a_price_of_its_own() -> None:
    """Without one it costs what other input costs."""
    usage = TokenUsage(prompt_tokens=1_000_000, completion_tokens=500_000, cached_tokens=400_000)

    dear = Price(input=Decimal(3), output=Decimal(10))
    cheap = Price(input=Decimal(3), output=Decimal(10), cached_input=Decimal("0.5"))

    assert dear.of(usage) == Decimal(8)
    assert cheap.of(usage) == Decimal("7.0")


@pytest.mark.parametrize("model", [None, "quick"])
async def test_a_run_costs_the_sum_of_its_calls(model: str | None) -> None:
    """At the price of the model that was asked, exactly, for result and metrics."""
    world = World(turns=["no JSON", "{}"])  # 10 tokens are sent and 5 received, twice
    of_a_call = {None: Decimal("0.0002"), "quick": Decimal("0.00002")}[model]

    result = await world.execute(model, response_format=ResponseFormat.JSON)

    assert result.cost == 2 * of_a_call
    assert [each.cost for each in world.metrics.model_calls] == [of_a_call, of_a_call]
    assert [each.cost for each in world.metrics.runs] == [2 * of_a_call]


@pytest.mark.parametrize("model", ["open", "huge-5"])
async def test_what_has_no_price_has_no_cost(model: str) -> None:
    """An entry without one that has a model of its own, and another model of the vendor's."""
    models = {"quick": {}, "open": {"model": "other-4"}}
    world = World(llm={"models": models})

    assert (await world.execute(model)).cost is None


async def test_a_sum_in_which_one_cost_is_missing_is_not_told() -> None:
    """It would look smaller than it is."""
    uncounted = ChatResponse(AssistantMessage("{}"))
    world = World(turns=["no JSON", uncounted])

    result = await world.execute("quick", response_format=ResponseFormat.JSON)

    assert result.cost is None


async def test_an_answer_from_the_cache_costs_nothing() -> None:
    """Which is known, if the price is."""
    world = World(cache={"enabled": True})

    await world.execute("quick", **SAME_HISTORY)

    assert (await world.execute("quick", **SAME_HISTORY)).cost == 0
