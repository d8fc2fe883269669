"""The prices of models that have no `price` in the settings.

The engine asks after each call of a model without a `price`, and before it, to know what to reserve
of a budget. Fails open: a price that cannot be told is not known.
"""

from abc import abstractmethod
from decimal import Decimal
from typing import Protocol, runtime_checkable

from arc_core.components.extension_points import slot
from arc_core.usage import TokenUsage


@slot("model_prices", group="arc.model_prices")
@runtime_checkable
class ModelPrices(Protocol):
    """Knows the prices of vendors' models."""

    @abstractmethod
    def cost_of(self, usage: TokenUsage, *, model: str, provider: str | None) -> Decimal | None:
        """Return the cost of a call, in US dollars, not rounded; None if the price is not known.

        Args:
            usage: The tokens of the call.
            model: The vendor's name of the model.
            provider: The vendor, as the chat model names it; None if it does not.
        """
