"""Limits of a run: those of a command, of an agent and of the settings."""

from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation
from typing import TypeVar

Bound = TypeVar("Bound", int, float, Decimal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one run and of all that it starts; of several the smallest holds.

    One that is reached ends the calls of tools: the model is asked once more, for its last answer.

    Attributes:
        max_model_calls: At most this many turns of models, the last answer not counted; None leaves
            it open.
        max_tool_calls: At most this many tool calls; None leaves it open.
        max_total_tokens: Tokens of all model calls, as far as the vendor reports them; None leaves
            it open. If they are used up, there is no last answer either.
        max_cost: Of all model calls, at the prices of their models and in the currency of these;
            None leaves it open. Every model that may be asked needs a price. If it is used up,
            there is no last answer either.
        deadline_s: Seconds from the admission of the run to its answer; None leaves it
            open.

    Raises:
        ValueError: A bound is negative, or 0 where nothing could be done with it.
    """

    max_model_calls: int | None = None
    max_tool_calls: int | None = None
    max_total_tokens: int | None = None
    max_cost: Decimal | None = None
    deadline_s: float | None = None

    def __post_init__(self) -> None:
        if self.max_tool_calls is not None and self.max_tool_calls < 0:
            raise ValueError(f"max_tool_calls is {self.max_tool_calls}: give it 0 or more")
        for name in ("max_model_calls", "max_total_tokens"):
            bound = getattr(self, name)
            if bound is not None and bound < 1:
                raise ValueError(f"{name} is {bound}: give it 1 or more")
        if self.deadline_s is not None and not self.deadline_s > 0:
            raise ValueError(f"deadline_s is {self.deadline_s}: give it more than 0 seconds")
        if self.max_cost is not None:
            object.__setattr__(self, "max_cost", _read_cost(self.max_cost))

    @classmethod
    def of(cls, section: object) -> "Limits":
        """The bounds that a section of the settings has as fields of the same names."""
        return cls(**{each.name: getattr(section, each.name) for each in fields(cls)})

    def within(self, other: "Limits") -> "Limits":
        """The smaller of both for each bound."""
        return Limits(
            max_model_calls=_smaller(self.max_model_calls, other.max_model_calls),
            max_tool_calls=_smaller(self.max_tool_calls, other.max_tool_calls),
            max_total_tokens=_smaller(self.max_total_tokens, other.max_total_tokens),
            max_cost=_smaller(self.max_cost, other.max_cost),
            deadline_s=_smaller(self.deadline_s, other.deadline_s),
        )


def _smaller(one: Bound | None, other: Bound | None) -> Bound | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _read_cost(value: object) -> Decimal:
    """A bound of costs; a float is what it is written as, so that 0.1 is a tenth."""
    try:
        cost = Decimal(str(value))
    except InvalidOperation:
        cost = Decimal("NaN")
    if not (cost.is_finite() and cost > 0):
        raise ValueError(f"max_cost is {value}: give it more than 0")
    return cost
