"""Measurements of components: time on the event loop, growth of time, and size."""

import asyncio
import gc
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any

_HOLDS_AT_MOST_S = 0.1
_LOOP_ATTEMPTS = 5


async def check_loop_is_free(call: Callable[[], Awaitable[object]]) -> None:
    """Fail for a call that holds the loop for more than a tenth of a second, each time.

    Args:
        call: Made up to five times, so that a busy machine is not taken for a slow component.

    Raises:
        AssertionError: No attempt left the loop to others in time.
    """
    holds: list[float] = []
    for _ in range(_LOOP_ATTEMPTS):
        holds.append(await _longest_hold(call))
        if holds[-1] <= _HOLDS_AT_MOST_S:
            return
    assert min(holds) <= _HOLDS_AT_MOST_S, (
        f"it blocks the event loop for {min(holds):.1f} s: use asyncio.to_thread for what waits"
    )


async def _longest_hold(call: Callable[[], Awaitable[object]]) -> float:
    """Seconds between two turns of the loop, the longest while a call is under way."""
    longest, task = 0.0, asyncio.ensure_future(call())
    while not task.done():
        before = time.perf_counter()
        await asyncio.sleep(0)
        longest = max(longest, time.perf_counter() - before)
    await task
    return longest


_CALLS = 1_000
_BYTES_A_CALL = 16
_CONTAINERS = (dict, list, set, bytearray)
_OTHERS = (type, ModuleType, BuiltinFunctionType, FrameType, asyncio.AbstractEventLoop)


async def check_nothing_piles_up(
    component: object, call: Callable[[int], Awaitable[object]]
) -> None:
    """Fail for a component that goes on growing with the calls.

    It may keep up to a thousand of what it has seen. Counted is what can be reached from it, its
    classes and their modules, but no loggers.

    Args:
        component: What is called.
        call: Calls it with the data of a run of its own.

    Raises:
        AssertionError: Of three thousand calls, the last thousand make it larger.
    """
    sizes: list[int] = []
    for number in range(3):
        for each in range(_CALLS):
            await call(number * _CALLS + each)
        sizes.append(_measure_size(component))
    grown = sizes[2] - sizes[1]
    assert grown < _CALLS * _BYTES_A_CALL, (
        f"it keeps {grown // _CALLS} bytes of each call, without a bound: forget what has ended, "
        "or keep the last ones only"
    )


def _measure_size(component: object) -> int:
    """Bytes of all that can be reached from a component and from where its class is written."""
    seen: set[int] = set()
    waiting: list[object] = [component, *_beside(component)]
    size = 0
    while waiting:
        value = waiting.pop()
        if id(value) not in seen and not _is_left_out(value):
            seen.add(id(value))
            size += sys.getsizeof(value)
            waiting += _find_parts(value)
    return size


def _beside(component: object) -> Iterator[object]:
    """Yield the values that the classes of a component, and their modules, hold."""
    for cls in type(component).__mro__:
        if cls.__module__ not in {"builtins", "typing", "abc"}:
            yield from vars(cls).values()
            module = sys.modules.get(cls.__module__)
            held = () if module is None else vars(module).values()
            yield from (each for each in held if isinstance(each, _CONTAINERS))


def _find_parts(value: Any) -> list[object]:
    if isinstance(value, FunctionType):
        return [*(value.__closure__ or ()), value.__defaults__, value.__kwdefaults__]
    return gc.get_referents(value)


def _is_left_out(value: object) -> bool:
    is_logger = callable(getattr(type(value), "warning", None)) and hasattr(type(value), "error")
    return is_logger or isinstance(value, _OTHERS)


UNITS = (
    *" \n\taA1.,;:-_/\\@#=<>()[]{}\"'`*|~",
    *("a ", "a.", "a-", "a@", "a=", "1-", "1 ", "<a", "/*", "](", "![", "https://a", "\u200b"),
    "\uac00",
)
"""The units of hostile texts: a pattern that tries again from each takes quadratic time."""

_END = "\n!"  # which no run of one unit goes on with, so that a pattern for all of it fails
_SIZES = (16, 18, 20, 22, 24, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
_LARGE = 128
_APART = 8
_GROWS_AT_MOST = 3 * _APART
_NOTICED_S = 0.008
_AT_ONCE_S = 0.05
_LONG_S = 0.5
_TIME_ATTEMPTS = 3


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
    """Seconds of the processor; of two calls if one is noticed, of more if they are short."""
    shortest = float("inf")
    for attempt in range(_TIME_ATTEMPTS):
        began = time.process_time()
        await call(text)
        shortest = min(shortest, time.process_time() - began)
        if shortest < _NOTICED_S or (attempt and shortest > _LONG_S):
            break
    return shortest
