"""How much a component keeps of what it was asked: a bit for each run is too much in the end."""

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable, Iterator
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any

__all__ = ["check_nothing_piles_up"]

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
        sizes.append(_size_of(component))
    grown = sizes[2] - sizes[1]
    assert grown < _CALLS * _BYTES_A_CALL, (
        f"it keeps {grown // _CALLS} bytes of each call, without a bound: forget what has ended, "
        "or keep the last ones only"
    )


def _size_of(component: object) -> int:
    """Bytes of all that can be reached from a component and from where its class is written."""
    seen: set[int] = set()
    waiting: list[object] = [component, *_beside(component)]
    size = 0
    while waiting:
        value = waiting.pop()
        if id(value) not in seen and not _is_left_out(value):
            seen.add(id(value))
            size += sys.getsizeof(value)
            waiting += _parts_of(value)
    return size


def _beside(component: object) -> Iterator[object]:
    """What the classes of a component, and their modules, hold."""
    for cls in type(component).__mro__:
        if cls.__module__ not in {"builtins", "typing", "abc"}:
            yield from vars(cls).values()
            module = sys.modules.get(cls.__module__)
            held = () if module is None else vars(module).values()
            yield from (each for each in held if isinstance(each, _CONTAINERS))


def _parts_of(value: Any) -> list[object]:
    if isinstance(value, FunctionType):
        return [*(value.__closure__ or ()), value.__defaults__, value.__kwdefaults__]
    return gc.get_referents(value)


def _is_left_out(value: object) -> bool:
    is_logger = callable(getattr(type(value), "warning", None)) and hasattr(type(value), "error")
    return is_logger or isinstance(value, _OTHERS)
