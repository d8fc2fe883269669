"""How the time of a call grows with its text: a hostile text must not hold the machine."""

import time
from collections.abc import Awaitable, Callable, Iterable

__all__ = ["UNITS", "check_time_grows_evenly"]

UNITS = (
    *" \n\taA1.,;:-_/\\@#=<>()[]{}\"'`*|~",
    *("a ", "a.", "a-", "a@", "a=", "1-", "1 ", "<a", "/*", "](", "![", "https://a", "\u200b"),
    "\uac00",
)
"""What hostile texts are made of: a pattern that tries again from each takes quadratic time."""

_END = "\n!"  # which no run of one unit goes on with, so that a pattern for all of it fails
_SIZES = (16, 18, 20, 22, 24, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
_LARGE = 128
_APART = 8
_GROWS_AT_MOST = 3 * _APART
_NOTICED_S = 0.008
_AT_ONCE_S = 0.05
_LONG_S = 0.5
_ATTEMPTS = 3


async def check_time_grows_evenly(
    call: Callable[[str], Awaitable[object]], units: Iterable[str]
) -> None:
    """Fail for a call whose time grows faster than its text.

    The time of the processor counts, so that a busy machine is not taken for a slow component.

    Args:
        call: Made with texts of up to 8 000 characters, from short ones on.
        units: Each is repeated to make such a text.

    Raises:
        AssertionError: Eight times the text takes much more than eight times as long.
    """
    for unit in units:
        taken: dict[int, float] = {}
        for size in _SIZES:
            text = (unit * (size // len(unit) + 1))[:size] + _END
            taken[size] = await _shortest(call, text)
            if size < _LARGE:
                is_even = taken[size] < _AT_ONCE_S
            else:
                before = max(taken[size // _APART], 1e-5)
                is_even = taken[size] < max(_NOTICED_S, _GROWS_AT_MOST * before)
            assert is_even, (
                f"it takes {taken[size]:.3f} s for {size} characters of {unit!r} again and again, "
                f"and {taken[max(16, size // _APART)]:.4f} s for {max(16, size // _APART)}: use "
                "patterns that match in linear time, or bound how much they look at"
            )


async def _shortest(call: Callable[[str], Awaitable[object]], text: str) -> float:
    """Seconds of the processor; of several calls if one alone is noticed, and not very long."""
    shortest = float("inf")
    for _ in range(_ATTEMPTS):
        began = time.process_time()
        await call(text)
        shortest = min(shortest, time.process_time() - began)
        if not _NOTICED_S <= shortest <= _LONG_S:
            break
    return shortest
