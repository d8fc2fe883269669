"""Tokens as attributes of spans."""

from arc_core import TokenUsage
from arc_plugins.metrics.open_telemetry.names import cached_share, usage_attributes


def test_what_was_counted_is_an_attribute() -> None:
    """By the names of the conventions."""
    usage = TokenUsage(10, 5, cached_tokens=6, cache_write_tokens=3, reasoning_tokens=4)

    assert usage_attributes(usage) == {
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 6,
        "gen_ai.usage.cache_creation.input_tokens": 3,
        "gen_ai.usage.reasoning.output_tokens": 4,
    }


def test_what_was_not_counted_is_left_out() -> None:
    """A vendor without a cache says nothing of one."""
    assert usage_attributes(TokenUsage(10, 5)) == {
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 5,
    }


def test_a_prompt_of_nothing_has_no_share() -> None:
    """None is a vendor that counts nothing, not one whose cache was empty."""
    assert cached_share(TokenUsage(0, 5)) is None
    assert cached_share(TokenUsage(8, 5, cached_tokens=2)) == 0.25
