"""Rules of every `ModelPrices` that the engine relies on."""

from abc import abstractmethod
from decimal import Decimal

import pytest

from arc_core.interfaces.models.model_prices import ModelPrices
from arc_core.testing.conformance.components import AsyncSuite, check_names, running
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS
from arc_core.usage import TokenUsage

_USAGES = {
    "nothing": TokenUsage(),
    "a prompt": TokenUsage(prompt_tokens=1000),
    "an answer": TokenUsage(completion_tokens=1000),
    "both": TokenUsage(1000, 1000),
    "from the cache": TokenUsage(1000, 10, cached_tokens=1000),
    "into the cache": TokenUsage(1000, 10, cache_write_tokens=1000),
    "more from the cache than there is": TokenUsage(10, 10, 1000, 1000),
    "very much": TokenUsage(10**9, 10**9),
}


class ModelPricesConformance(AsyncSuite):
    """Inherit from it and say how your prices are made, and of which model there is one."""

    known: tuple[str, str | None]
    """The vendor's name of a model with a price, and the vendor."""

    @abstractmethod
    def make_prices(self) -> ModelPrices:
        """New prices, not started."""

    async def test_they_are_prices(self) -> None:
        """They can be asked."""
        prices = self.make_prices()

        assert isinstance(prices, ModelPrices), f"{type(prices).__name__} lacks cost_of"
        check_names(prices, ModelPrices)

    @pytest.mark.parametrize("usage", _USAGES.values(), ids=_USAGES)
    async def test_whatever_was_counted_has_a_cost(self, usage: TokenUsage) -> None:
        """A finite decimal of 0 or more, so that sums stay exact."""
        model, provider = self.known
        async with running(self.make_prices()) as prices:
            cost: object = prices.cost_of(usage, model=model, provider=provider)

        assert isinstance(cost, Decimal), f"cost_of returned {cost!r}"
        assert cost.is_finite() and cost >= 0, f"a cost of {cost}"  # noqa: PT018 -- of NaN no order

    async def test_a_longer_answer_costs_no_less(self) -> None:
        """The reservation for an answer is enough for a shorter one."""
        model, provider = self.known
        async with running(self.make_prices()) as prices:
            costs = [
                prices.cost_of(TokenUsage(1000, length), model=model, provider=provider) or 0
                for length in (0, 1, 10, 1000, 100_000)
            ]

        assert costs == sorted(costs), f"longer answers cost less: {costs}"

    @pytest.mark.parametrize("name", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
    async def test_a_model_that_is_not_known_has_no_price(self, name: str) -> None:
        """Nothing is raised, whatever its name is, and that of its vendor."""
        usage = TokenUsage(10, 10)
        async with running(self.make_prices()) as prices:
            for provider in (None, self.known[1], f"no vendor {name}"):
                cost = prices.cost_of(usage, model=f"no model {name}", provider=provider)

                assert cost is None, f"a price for a model that does not exist: {cost}"

    async def test_they_work_before_their_start(self) -> None:
        """Engines in tests start nothing."""
        model, provider = self.known

        cost = self.make_prices().cost_of(TokenUsage(1, 1), model=model, provider=provider)

        assert cost is not None, "no price before the start"
