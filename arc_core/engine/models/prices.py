"""The prices of models: those of the settings, else those of a component that knows them."""

from decimal import Decimal

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.models.models import RunModel
from arc_core.interfaces.models.model_prices import ModelPrices
from arc_core.usage import TokenUsage

_ONE_TOKEN_EACH = TokenUsage(prompt_tokens=1, completion_tokens=1)


class Prices:
    """Knows what a call costs; a price in the settings goes before the component."""

    def __init__(self, prices: ModelPrices, *, boundary: Boundary) -> None:
        self._prices = prices
        self._boundary = boundary

    def get_cost(
        self, model: RunModel, vendor_model: str | None, usage: TokenUsage | None
    ) -> Decimal | None:
        """Return the cost of a call; None if the price or the vendor's count is not known."""
        if usage is None or min(usage.prompt_tokens, usage.completion_tokens) < 0:
            return None
        if model.llm.price is not None and vendor_model == model.llm.model:
            return model.llm.price.of(usage)
        named = model.named
        asked = vendor_model or (named.default_model if named else None)
        if asked is None:
            return None
        return self._look_up(usage, model=asked, provider=named.provider_name if named else None)

    def get_highest_cost(
        self, model: RunModel, vendor_model: str | None, *, prompt: int, completion: int
    ) -> Decimal | None:
        """The most that a call with so many tokens costs; None if the price is not known.

        Vendors may bill more for what they write into their caches than for what they do not.

        Args:
            model: Who is asked.
            vendor_model: The name that the request has.
            prompt: Tokens of the request.
            completion: Tokens of the answer.
        """
        plain = self.get_cost(model, vendor_model, TokenUsage(prompt, completion))
        if plain is None:
            return None
        written = TokenUsage(prompt, completion, cache_write_tokens=prompt)
        return max(plain, self.get_cost(model, vendor_model, written) or plain)

    def knows(self, model: RunModel, vendor_model: str | None) -> bool:
        """Return True if there is a price for a model."""
        return self.get_cost(model, vendor_model, _ONE_TOKEN_EACH) is not None

    def _look_up(self, usage: TokenUsage, *, model: str, provider: str | None) -> Decimal | None:
        prices = self._prices

        def ask() -> Decimal | None:
            return prices.cost_of(usage, model=model, provider=provider)

        cost = self._boundary.call_now(policies.MODEL_PRICES, prices, ask)
        if cost is None or isinstance(cost, Failed):
            return None
        if cost.is_finite() and cost >= 0:
            return cost
        problem = ValueError("the cost is negative or not a finite number")
        self._boundary.report(policies.MODEL_PRICES, prices, problem)
        return None
