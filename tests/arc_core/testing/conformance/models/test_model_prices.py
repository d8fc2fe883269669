"""The suite for prices fails for those that break their contract, and passes for good ones."""

from decimal import Decimal
from typing import Any

import pytest

from arc_core import ModelPrices, TokenUsage
from arc_core.testing.conformance.models.model_prices import ModelPricesConformance
from arc_core.testing.fakes import FixedModelPrices
from tests.arc_core.testing.conformance.suites import Fault

BOTH, CACHED = TokenUsage(10, 10), TokenUsage(10, 10, 1000)


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


FAULTS = [
    Fault(FloatingPrices, "whatever_was_counted_has_a_cost", BOTH, match="returned 6.6"),
    Fault(GenerousPrices, "whatever_was_counted_has_a_cost", CACHED, match="a cost of -990"),
    Fault(RebatePrices, "a_longer_answer_costs_no_less", match="longer answers cost less"),
    Fault(GuessingPrices, "a_model_that_is_not_known_has_no_price", "x", match="does not exist"),
    Fault(LazyPrices, "they_work_before_their_start", match="before the start"),
    Fault(object, "they_are_prices", match="lacks cost_of"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
async def test_a_fault_is_found(fault: Fault) -> None:
    """By the rule that is about it."""
    await fault.check(ModelPricesConformance, known=("large", None))
