"""How much Claude is to think: the fields that say it, and what goes with them."""

from dataclasses import dataclass

from arc_core import ReasoningEffort

__all__ = ["Thinking"]

_MIN_BUDGET_TOKENS = 1024
_QUARTERS_OF_THE_ANSWER = {
    ReasoningEffort.LOW: 1,
    ReasoningEffort.MEDIUM: 2,
    ReasoningEffort.HIGH: 3,
}


@dataclass(frozen=True, slots=True)
class Thinking:
    """The fields of one request.

    Attributes:
        field: The value of `thinking`, as JSON; empty if it is not sent.
        effort: The value of `output_config.effort`; None if it is not sent.
    """

    field: bytes = b""
    effort: ReasoningEffort | None = None

    @classmethod
    def of(
        cls, effort: ReasoningEffort | None, *, max_tokens: int, is_adaptive: bool
    ) -> "Thinking":
        """What a model is told; nothing if nothing was asked for.

        Older models are given a budget, a quarter of the answer's bound per step of the effort.
        It must have 1024 tokens at least and leave some of the bound: under 1025 none is sent.
        """
        if effort is None:
            return cls()
        if is_adaptive:
            return cls(b'{"type":"adaptive","display":"summarized"}', effort)
        budget = max(_MIN_BUDGET_TOKENS, max_tokens * _QUARTERS_OF_THE_ANSWER[effort] // 4)
        if budget >= max_tokens:
            return cls()
        return cls(b'{"type":"enabled","budget_tokens":%d}' % budget)
