"""Without a list nothing has a price."""

from arc_core import TokenUsage
from arc_plugins.prices.no_model_prices import NoModelPrices


def test_no_price_is_known() -> None:
    """Of no model."""
    assert NoModelPrices().cost_of(TokenUsage(1, 1), model="gpt-4o", provider="openai") is None
