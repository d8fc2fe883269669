"""Tokens as a vendor counted them, and the reason for which its model stopped."""

from dataclasses import dataclass
from enum import StrEnum


class FinishReason(StrEnum):
    """Why the model stopped."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens a vendor counted.

    Attributes:
        prompt_tokens: Of the request, those from and for the vendor's prompt cache included.
        completion_tokens: Of the answer, reasoning included.
        cached_tokens: Of the prompt, those the vendor read from its cache.
        cache_write_tokens: Of the prompt, those it wrote into its cache.
        reasoning_tokens: Of the answer, those the model thought with.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
        )


class ReasoningEffort(StrEnum):
    """The amount of thinking before an answer."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
