"""What runs may cost."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    AssistantMessage,
    ChatResponse,
    ConfigurationError,
    Limits,
    ResponseFormat,
    TokenUsage,
    ToolCall,
    tool,
)
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.fakes import FixedModelPrices
from tests.arc_core.engine.asking_agents import agent_of, ask, results_in
from tests.arc_core.engine.entry_points import executed, streamed
from tests.capped_budgets import CappedBudgets

EITHER = pytest.mark.parametrize("run", [executed, streamed])
PRICE = {"input": 10_000, "output": 20_000}
"""A call of the scripted model, with 10 and 5 tokens, costs 0.2."""


@tool
async def look() -> str:
    """Looks."""
    return "seen"


LOOK = AssistantMessage("I look. ", (ToolCall("1", "look", "{}"),))


def engine_of(turns: Sequence[Any], *agents: Agent[Any], **settings: Any) -> Any:
    """An engine whose model has a price, and the model."""
    model = ScriptedChatModel(turns)
    llm = {"price": PRICE, **settings.pop("llm", {})}
    checked = AgentSettings.model_validate({"llm": llm, **settings})
    named = {name: ScriptedChatModel([]) for name in llm.get("models", {})}
    agent = scripted_agent(model, checked, agents=agents, tools=[look], models=named)
    return agent, model


def within(max_cost: str, **fields: Any) -> AgentCommand:
    """A command whose costs are bounded."""
    limits = Limits(max_cost=Decimal(max_cost))
    return AgentCommand(user_prompt="Hi", limits=limits, **fields)


@EITHER
async def test_the_last_answer_comes_while_something_is_left_for_it(run: Any) -> None:
    """Of 0.5 two turns take 0.4, and one more would take 0.2."""
    engine, model = engine_of([LOOK, LOOK, "Done."])

    result: AgentResult = await run(engine, within("0.5"))

    assert (result.content, result.cost) == ("Done.", Decimal("0.6"))
    assert [request.tool_choice for request in model.requests] == ["auto", "auto", "none"]


@EITHER
async def test_with_nothing_left_the_run_ends_with_what_was_said(run: Any) -> None:
    """Not even a last answer is possible."""
    engine, _ = engine_of([LOOK])

    result: AgentResult = await run(engine, within("0.2"))

    assert result.error_code is AgentErrorCode.LIMIT_REACHED
    assert result.partial_content == "I look. "


async def test_of_command_agent_and_settings_the_smallest_bound_holds() -> None:
    """Whichever says it."""
    agent = agent_of("boss", tools=[look], limits=Limits(max_cost=Decimal("0.3")))
    engine, model = engine_of([LOOK, "Done."], agent, limits={"max_cost": 0.9})

    await engine.execute(within("0.7", agent="boss"))

    assert [request.tool_choice for request in model.requests] == ["auto", "none"]


async def test_costs_of_all_runs_count_together() -> None:
    """The agent below leaves the one above only its last answer."""
    agents = [agent_of("boss", "one"), agent_of("one", tools=[look])]
    engine, model = engine_of([[ask("one")], LOOK, "One.", "Done."], *agents)

    result = await engine.execute(within("0.7", agent="boss"))

    assert result.cost == Decimal("0.8")
    choices = [(request.system_prompt, request.tool_choice) for request in model.requests]
    assert choices == [("boss", "auto"), ("one", "auto"), ("one", "auto"), ("boss", "none")]


async def test_a_call_that_the_vendor_has_not_counted_uses_up_the_bound() -> None:
    """What the next one would be added to is not known."""
    engine, _ = engine_of([ChatResponse(LOOK, usage=None)])

    result = await engine.execute(within("9"))

    assert result.error_code is AgentErrorCode.LIMIT_REACHED


async def test_without_anything_left_no_repair_is_asked_for() -> None:
    """It is a call of the model like others."""
    engine, model = engine_of(["no json"])

    result = await engine.execute(within("0.2", response_format=ResponseFormat.JSON))

    assert result.error_code is AgentErrorCode.LIMIT_REACHED
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("llm", "asked", "named"),
    [
        ({"price": None}, None, "default"),
        ({"models": {"quick": {"model": "mini"}}}, "quick", "quick"),
        ({}, "another", "another"),
        ({"fallbacks": ["quick"], "models": {"quick": {"model": "mini"}}}, None, "quick"),
    ],
    ids=["default", "entry", "vendor's name", "fallback"],
)
async def test_a_command_may_not_bound_the_costs_of_a_model_without_a_price(
    llm: dict[str, Any], asked: str | None, named: str
) -> None:
    """The message names it, and it is not asked."""
    engine, model = engine_of([], llm=llm)

    result = await engine.execute(within("1", model=asked))

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert result.error_message == (
        f"The limit max_cost cannot be kept: the model {named!r} has no price."
    )
    assert model.requests == []


async def test_the_bound_of_a_run_is_one_of_the_runs_below_it() -> None:
    """One whose model has no price is refused, and the agent above is told of it."""
    one = agent_of("one", model="quick")
    llm = {"models": {"quick": {"model": "mini"}}}
    engine, model = engine_of([[ask("one")], "Done."], agent_of("boss", "one"), one, llm=llm)

    result = await engine.execute(within("1", agent="boss"))

    assert result.content == "Done."
    assert results_in(model.requests[1]) == [("failed", "Error: The agent 'one' has no answer")]


async def test_who_takes_over_needs_a_price_too() -> None:
    """The bound goes on with the run."""
    hand_over = ToolCall("1", "transfer_to_one", "{}")
    agents = [agent_of("boss", handoffs=["one"]), agent_of("one", model="quick")]
    engine, _ = engine_of([[hand_over]], *agents, llm={"models": {"quick": {"model": "mini"}}})

    result = await engine.execute(within("1", agent="boss"))

    assert result.error_code is AgentErrorCode.INVALID_INPUT


async def test_a_bound_of_the_settings_without_a_price_stops_the_start() -> None:
    """With the setting that is missing."""
    engine, _ = engine_of([], llm={"price": None}, limits={"max_cost": 1})

    with pytest.raises(ConfigurationError, match=r"limits\.max_cost cannot be kept") as raised:
        await engine.start()

    assert "llm.price" in raised.value.remedy


@pytest.mark.parametrize(
    "others", [{}, {"delegates": ["one"]}, {"handoffs": ["one"]}], ids=["own", "asked", "next"]
)
async def test_a_bound_of_an_agent_without_a_price_stops_the_start(others: Any) -> None:
    """Its own model, and those of the agents that run within its limits."""
    limits = Limits(max_cost=Decimal(1))
    model = None if others else "quick"
    agents = [Agent("boss", model=model, limits=limits, **others), Agent("one", model="quick")]
    engine, _ = engine_of([], *agents, llm={"models": {"quick": {"model": "mini"}}})

    with pytest.raises(
        ConfigurationError, match=r"^max_cost of the agent 'boss'.*'quick' has no price"
    ) as raised:
        await engine.start()

    assert "llm.models.quick.price" in raised.value.remedy


async def test_a_bound_of_the_settings_holds_for_every_agent() -> None:
    """It is the setting that is named, and the agent whose model lacks the price."""
    quick = {"models": {"quick": {"model": "mini"}}}
    engine, _ = engine_of([], Agent("one", model="quick"), llm=quick, limits={"max_cost": 1})

    with pytest.raises(ConfigurationError, match=r"^limits\.max_cost cannot be kept") as raised:
        await engine.start()

    assert "the agent 'one' may ask it" in raised.value.evidence[0]


async def test_a_vendors_name_needs_an_entry_with_a_price() -> None:
    """The price of `llm` is that of another model."""
    engine, _ = engine_of([], Agent("boss", model="big", limits=Limits(max_cost=Decimal(1))))

    with pytest.raises(ConfigurationError) as raised:
        await engine.start()

    assert '[llm.models."big"]' in raised.value.remedy


async def test_a_price_of_nothing_is_a_price() -> None:
    """As that of a model of one's own."""
    free = {"price": {"input": 0, "output": 0}}
    engine, _ = engine_of([LOOK, "Done."], llm=free, limits={"max_cost": 1})

    await engine.start()

    assert (await engine.execute(AgentCommand(user_prompt="Hi"))).content == "Done."


def test_usage_of_the_scripted_model_is_what_the_figures_are_made_of() -> None:
    """Ten tokens in and five out."""
    price = AgentSettings.model_validate({"llm": {"price": PRICE}}).llm.price

    assert price is not None
    assert price.of(TokenUsage(10, 5)) == Decimal("0.2")


BUDGETED: list[tuple[dict[str, Any], str]] = [
    ({"llm": {"price": None}}, "default"),
    ({"llm": {"fallbacks": ["quick"], "models": {"quick": {"model": "mini"}}}}, "quick"),
    ({"llm": {"models": {"quick": {"model": "mini"}}}, "budget": {"soft_model": "quick"}}, "quick"),
]


@pytest.mark.parametrize(("settings", "named"), BUDGETED, ids=["own", "fallback", "soft model"])
async def test_a_budget_of_costs_with_a_model_without_a_price_stops_the_start(
    settings: dict[str, Any], named: str
) -> None:
    """The remedy has the setting, and the package that knows prices."""
    llm = {"price": PRICE, **settings["llm"]}
    agent = scripted_agent(
        ScriptedChatModel([]),
        AgentSettings.model_validate({**settings, "llm": llm}),
        models={"quick": ScriptedChatModel([])},
        budgets=CappedBudgets(cost=Decimal(1)),
    )

    with pytest.raises(ConfigurationError, match=f"budget of costs.*'{named}' has no") as raised:
        await agent.start()

    assert "price; 0 is" in raised.value.remedy
    assert "arc-agents[prices]" in raised.value.remedy


@pytest.mark.parametrize("budgets", [CappedBudgets(cost=Decimal(1)), CappedBudgets(tokens=1)])
async def test_a_budget_starts_with_prices_that_are_listed_and_one_of_tokens_without(
    budgets: CappedBudgets,
) -> None:
    """Only costs need prices."""
    listed = {"large": (1, 1)} if budgets.bounds_costs else {}
    agent = scripted_agent(
        ScriptedChatModel([]),
        AgentSettings.model_validate({"llm": {"model": "large"}}),
        budgets=budgets,
        model_prices=FixedModelPrices(listed),
    )

    await agent.start()
