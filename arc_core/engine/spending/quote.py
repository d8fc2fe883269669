"""What one call of a model costs at most."""

from decimal import Decimal

from arc_core.engine.models.models import RunModel
from arc_core.engine.models.prices import Prices
from arc_core.engine.run_state import RunStoppedError
from arc_core.engine.spending.amounts import covers, subtract
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.budgets import Amount

__all__ = ["Quote"]


class Quote:
    """The amounts of one call, by how long its answer may be.

    Args:
        prices: None if costs are not bounded.
        model: Who is asked.
        vendor_model: The name that the request has.
        prompt: Tokens of the request.
    """

    __slots__ = ("_model", "_prices", "_vendor_model", "prompt")

    def __init__(
        self, prices: Prices | None, model: RunModel, vendor_model: str | None, *, prompt: int
    ) -> None:
        self._prices, self._model, self._vendor_model = prices, model, vendor_model
        self.prompt = prompt

    @property
    def of_prompt(self) -> Amount:
        """What is sent."""
        return Amount(tokens=self.prompt, cost=self._cost(0))

    def of_completion(self, tokens: int) -> Amount:
        """What an answer of so many tokens adds to that."""
        return subtract(self.of(tokens), self.of_prompt)

    def of(self, completion: int) -> Amount:
        """The whole call.

        Raises:
            RunStoppedError: Costs are bounded, and the price is not known.
        """
        return Amount(tokens=self.prompt + completion, cost=self._cost(completion))

    def room_within(self, free: Amount, *, most: int) -> int:
        """How many tokens the answer may have; 0 or less if there is not enough for the prompt.

        Args:
            free: What may be spent.
            most: No more than that.
        """
        room = min(most, free.tokens - self.prompt)
        if room < 1 or covers(free, self.of(room)):
            return room
        low, high = 0, room  # costs grow with the answer, by steps that the price may have
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if covers(free, self.of(middle)) else (low, middle)
        return low

    def _cost(self, completion: int) -> Decimal:
        if self._prices is None:
            return Decimal(0)
        cost = self._prices.most_of(
            self._model, self._vendor_model, prompt=self.prompt, completion=completion
        )
        if cost is None:
            raise RunStoppedError(
                AgentErrorCode.INVALID_INPUT,
                f"The budget of costs cannot be kept: the model {self._model.known_as!r} has no "
                "price.",
            )
        return cost
