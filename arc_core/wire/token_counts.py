"""Token counts as servers report them, who do not always report numbers."""

from collections.abc import Iterable

from arc_core.usage import TokenUsage

__all__ = ["token_usage"]


def token_usage(
    prompt_tokens: Iterable[object],
    completion_tokens: object,
    *,
    cached_tokens: object = None,
    cache_write_tokens: object = None,
    reasoning_tokens: object = None,
) -> TokenUsage | None:
    """The usage that counts make.

    None if one of the first two is not a count: the answer is good anyway. The others are parts of
    these, and 0 if they are not counts or there is less of the whole.

    Args:
        prompt_tokens: Added up; None is 0. Cached and written ones are among them.
        completion_tokens: None is 0. Those of reasoning are among them.
        cached_tokens: Read from the vendor's cache.
        cache_write_tokens: Written into the vendor's cache.
        reasoning_tokens: What the model thought with.
    """
    counts = [0 if count is None else count for count in (*prompt_tokens, completion_tokens)]
    numbers = [count for count in counts if type(count) is int and count >= 0]
    if len(numbers) < len(counts):
        return None
    *parts, completion = numbers
    prompt = sum(parts)
    cached = _part(cached_tokens, prompt)
    return TokenUsage(
        prompt,
        completion,
        cached,
        _part(cache_write_tokens, prompt - cached),
        _part(reasoning_tokens, completion),
    )


def _part(count: object, whole: int) -> int:
    return count if type(count) is int and 0 <= count <= whole else 0
