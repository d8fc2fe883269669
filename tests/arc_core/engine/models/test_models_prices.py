"""What calls of models cost."""

from decimal import Decimal
from typing import Any

import pytest

from arc_core import AgentCommand, AgentResult, Limits, TokenUsage
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.models.circuit import ModelCircuit
from arc_core.engine.models.models import Prices, RunModel
from arc_core.settings import AgentSettings, CircuitSettings, LlmSettings
from arc_core.testing import RecordingMetrics, ScriptedChatModel, scripted_agent
from arc_core.testing.fakes import FixedModelPrices
from tests.arc_core.engine.entry_points import executed, streamed

EITHER = pytest.mark.parametrize("run", [executed, streamed])
LISTED = FixedModelPrices({"large": (100, 200), "mini": (10, 20)})
PRICE = {"input": 10_000, "output": 20_000}


class VendorModel(ScriptedChatModel):
    """Says what it asks for if it is asked for nothing."""

    provider_name = "acme"
    default_model = "mini"


def engine(llm: dict[str, Any], model: ScriptedChatModel, **components: Any) -> Any:
    """An engine with listed prices."""
    settings = AgentSettings.model_validate({"llm": llm})
    return scripted_agent(model, settings, **{"model_prices": LISTED, **components})


@EITHER
@pytest.mark.parametrize(
    ("llm", "cost"),
    [
        ({"model": "large"}, Decimal("0.002")),
        ({"model": "large", "price": PRICE}, Decimal("0.2")),
        ({"model": "unheard of"}, None),
        ({}, Decimal("0.0002")),
    ],
    ids=["listed", "of the settings", "not known", "the vendor's default"],
)
async def test_a_price_of_the_settings_goes_before_the_list(
    run: Any, llm: dict[str, Any], cost: Decimal | None
) -> None:
    """What a model costs that neither has is not known."""
    metrics = RecordingMetrics()

    result: AgentResult = await run(
        engine(llm, VendorModel(["Hi."]), agent_metrics=metrics), AgentCommand(user_prompt="Hi")
    )

    assert result.cost == cost
    assert [each.cost for each in metrics.model_calls] == [cost]


async def test_costs_can_be_bounded_by_listed_prices() -> None:
    """Without a price in the settings."""
    agent = engine({"model": "large"}, ScriptedChatModel(["Hi."]))

    result = await agent.execute(AgentCommand(user_prompt="Hi", limits=Limits(max_cost=Decimal(1))))

    assert (result.success, result.cost) == (True, Decimal("0.002"))


@pytest.mark.parametrize("cost", [Decimal("NaN"), Decimal("Infinity"), Decimal(-1)])
async def test_a_cost_that_is_none_is_not_known(cost: Decimal) -> None:
    """It is counted as a fault of the component."""

    class Wrong(FixedModelPrices):
        def cost_of(self, *args: Any, **named: Any) -> Decimal | None:
            return cost

    metrics = RecordingMetrics()
    agent = engine(
        {"model": "large"}, ScriptedChatModel(["Hi."]), model_prices=Wrong(), agent_metrics=metrics
    )

    result = await agent.execute(AgentCommand(user_prompt="Hi"))

    assert (result.success, result.cost, metrics.faults) == (True, None, ["model_prices"])


@pytest.mark.parametrize("llm", [{"model": "large"}, {"model": "large", "price": PRICE}])
async def test_less_than_nothing_has_no_cost(llm: dict[str, Any]) -> None:
    """A vendor that counts wrongly gives nothing back, so that limits of costs hold."""
    model = ScriptedChatModel(["Hi."], usage=TokenUsage(-1_000_000, 5))

    result = await engine(llm, model).execute(AgentCommand(user_prompt="Hi"))

    assert (result.success, result.cost) == (True, None)


def test_the_most_that_a_call_costs_has_its_prompt_written_into_the_cache() -> None:
    """If the vendor bills more for that."""

    class Writing(FixedModelPrices):
        def cost_of(self, usage: TokenUsage, **named: Any) -> Decimal | None:
            return Decimal(usage.total_tokens + usage.cache_write_tokens)

    prices = Prices(Writing(), boundary=Boundary())
    circuit = ModelCircuit(CircuitSettings(), model="default")
    model = RunModel.of(ScriptedChatModel([]), LlmSettings(model="large"), circuit=circuit)

    assert prices.get_highest_cost(model, "large", prompt=10, completion=5) == 25
