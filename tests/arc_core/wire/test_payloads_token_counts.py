"""Token counts as servers report them."""

import pytest

from arc_core import TokenUsage
from arc_core.wire import token_usage


def test_parts_are_kept_with_their_wholes() -> None:
    """Those of caches are of the prompt, those of reasoning of the answer."""
    usage = token_usage([10, 20, 5], 8, cached_tokens=20, cache_write_tokens=5, reasoning_tokens=3)

    assert usage == TokenUsage(35, 8, 20, 5, 3)


@pytest.mark.parametrize("count", [None, "7", -1, True, 36])
def test_a_part_that_is_none_is_left_out(count: object) -> None:
    """What is not a count, or more than its whole, does not spoil the others."""
    usage = token_usage([35], 8, cached_tokens=count, reasoning_tokens=count)

    assert usage == TokenUsage(35, 8)


@pytest.mark.parametrize(("prompt", "completion"), [("x", 1), (1, -1)])
def test_without_the_wholes_there_is_no_usage(prompt: object, completion: object) -> None:
    """Parts alone say nothing."""
    assert token_usage([prompt], completion, cached_tokens=1) is None
