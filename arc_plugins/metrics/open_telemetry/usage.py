"""What a vendor counted, as attributes of spans."""

from collections.abc import Mapping

from arc_core import TokenUsage
from arc_plugins.metrics.open_telemetry.names import (
    CACHE_READ_TOKENS,
    CACHE_WRITE_TOKENS,
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    REASONING_TOKENS,
)

__all__ = ["cached_share", "usage_attributes"]


def usage_attributes(usage: TokenUsage) -> Mapping[str, int]:
    """All tokens, and of them those from and for the vendor's cache and of thinking, if any."""
    parts = {
        CACHE_READ_TOKENS: usage.cached_tokens,
        CACHE_WRITE_TOKENS: usage.cache_write_tokens,
        REASONING_TOKENS: usage.reasoning_tokens,
    }
    return {
        INPUT_TOKENS: usage.prompt_tokens,
        OUTPUT_TOKENS: usage.completion_tokens,
        **{name: tokens for name, tokens in parts.items() if tokens},
    }


def cached_share(usage: TokenUsage) -> float | None:
    """The share of a prompt that came from the vendor's cache; None if none was counted."""
    return usage.cached_tokens / usage.prompt_tokens if usage.prompt_tokens else None
