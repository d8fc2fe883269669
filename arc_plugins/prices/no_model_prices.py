"""Knows no prices: what the settings do not say is not known."""

from decimal import Decimal

from arc_core import ModelPrices, TokenUsage


class NoModelPrices(ModelPrices):
    """The default without the extra `prices`: `llm.price` alone says what a model costs."""

    def cost_of(self, usage: TokenUsage, *, model: str, provider: str | None) -> Decimal | None:
        """It is not known."""
        return None
