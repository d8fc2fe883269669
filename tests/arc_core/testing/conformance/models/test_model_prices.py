"""The suite for prices fails for those that break their contract, and passes for good ones."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from arc_core import ModelPrices, TokenUsage
from arc_core.testing.budgets import FixedModelPrices
from arc_core.testing.conformance.models.model_prices import ModelPricesConformance

BOTH = TokenUsage(10, 10)


class TestFixedModelPrices(ModelPricesConformance):
    """Good prices pass."""

    known = ("large", None)

    def make_prices(self) -> ModelPrices:
        return FixedModelPrices({"large": (1, 2)})


class FloatingPrices(ModelPrices):
    """Counts in floats."""

    def cost_of(self, usage: TokenUsage, *, model: str, provider: str | None) -> Any:
        return usage.total_tokens / 3


class GenerousPrices(ModelPrices):
    """Gives money for what comes from the cache."""

    def cost_of(self, usage: TokenUsage, *, model: str, provider: str | None) -> Decimal | None:
        return Decimal(usage.prompt_tokens - usage.cached_tokens)


class RebatePrices(ModelPrices):
    """Gets cheaper as answers get longer."""

    def cost_of(self, usage: TokenUsage, *, model: str, provider: str | None) -> Decimal | None:
        return Decimal(1_000_000 - usage.completion_tokens)


class GuessingPrices(ModelPrices):
    """Has a price for everything."""

    def cost_of(self, usage: TokenUsage, *, model: str, provider: str | None) -> Decimal | None:
        return Decimal(1)


class LazyPrices(ModelPrices):
    """Needs to be started."""

    _price: Decimal | None = None

    async def start(self) -> None:
        self._price = Decimal(1)

    def cost_of(self, usage: TokenUsage, *, model: str, provider: str | None) -> Decimal | None:
        return self._price


class SuiteFor(ModelPricesConformance):
    """The suite, applied to wrong prices."""

    __test__ = False
    known = ("large", None)

    def __init__(self, prices: Callable[[], Any]) -> None:
        self._prices = prices

    def make_prices(self) -> ModelPrices:
        prices: ModelPrices = self._prices()
        return prices


@pytest.mark.parametrize(
    ("prices", "usage", "complaint"),
    [
        (FloatingPrices, BOTH, "returned 6.6"),
        (GenerousPrices, TokenUsage(10, 10, 1000), "a cost of -990"),
    ],
)
async def test_costs_that_are_none_are_found(
    prices: type[ModelPrices], usage: TokenUsage, complaint: str
) -> None:
    """A cost is a decimal, and not below 0."""
    with pytest.raises(AssertionError, match=complaint):
        await SuiteFor(prices).test_whatever_was_counted_has_a_cost(usage)


async def test_rebates_are_found() -> None:
    """Longer answers cost no less."""
    with pytest.raises(AssertionError, match="longer answers cost less"):
        await SuiteFor(RebatePrices).test_a_longer_answer_costs_no_less()


async def test_guesses_are_found() -> None:
    """A price that is not known is none."""
    with pytest.raises(AssertionError, match="a model that does not exist"):
        await SuiteFor(GuessingPrices).test_a_model_that_is_not_known_has_no_price("x")


async def test_a_missing_start_is_found() -> None:
    """Prices are known without a start."""
    with pytest.raises(AssertionError, match="before the start"):
        await SuiteFor(LazyPrices).test_they_work_before_their_start()


async def test_a_stranger_is_found() -> None:
    """What cannot tell a cost has no prices."""
    with pytest.raises(AssertionError, match="lacks cost_of"):
        await SuiteFor(object).test_they_are_prices()
