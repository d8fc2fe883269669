"""Token counts as servers report them, who do not always report numbers."""

from collections.abc import Iterable

from arc_core.usage import TokenUsage

__all__ = ["token_usage"]


def token_usage(prompt_tokens: Iterable[object], completion_tokens: object) -> TokenUsage | None:
    """The usage that counts make; None if one of them is not a count: the answer is good anyway.

    Args:
        prompt_tokens: Added up; None is 0.
        completion_tokens: None is 0.
    """
    counts = [0 if count is None else count for count in (*prompt_tokens, completion_tokens)]
    numbers = [count for count in counts if type(count) is int and count >= 0]
    if len(numbers) < len(counts):
        return None
    *prompt, completion = numbers
    return TokenUsage(sum(prompt), completion)
