"""Components in tests live as in an application; their names and what they read are checked."""

import asyncio
import inspect
from abc import ABC
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import fields
from difflib import get_close_matches
from inspect import isawaitable
from typing import Any, TypeVar, cast

import pytest

C = TypeVar("C")


@pytest.mark.asyncio
class AsyncSuite(ABC):  # noqa: B024 -- its subclasses have abstract methods
    """A suite whose tests may await, whatever pytest's settings say."""


@asynccontextmanager
async def running(component: C) -> AsyncIterator[C]:
    """Start a component and close it again.

    An async context manager is entered and left; of anything else `start` and `aclose` are called,
    if it has them.
    """
    lively: Any = component
    async with AsyncExitStack() as stack:
        if hasattr(lively, "__aenter__"):
            await stack.enter_async_context(lively)
        else:
            if hasattr(lively, "start"):
                await _settle(lively.start())
            if hasattr(lively, "aclose"):
                stack.push_async_callback(lambda: _settle(lively.aclose()))
        yield component


async def _settle(value: Any) -> None:
    if isawaitable(value):
        await value


_ALIKE = 0.75


def check_interface(component: object, interface: type) -> None:
    """Fail for a component that lacks a member of an interface, or has one nearly so called.

    Raises:
        AssertionError: It is not one; the text names what is wrong.
    """
    check_names(component, interface)
    members = (*getattr(interface, "__annotations__", ()), *_methods(interface))
    lacking = ", ".join(name for name in members if not hasattr(component, name))
    assert isinstance(component, interface), f"{type(component).__name__} lacks {lacking}"


def check_names(component: object, interface: type) -> None:
    """Fail for a method that was meant to be one of the interface's, and is not.

    Args:
        component: Its methods may have any names, but for those that are nearly the name of a
            method of the interface that the component does not have itself.
        interface: What it is to be.

    Raises:
        AssertionError: It has such a method; the name that was meant is in the text.
    """
    own = _own_methods(type(component), interface)
    lacking = [name for name in _methods(interface) if name not in own]
    plain = {name.replace("_", ""): name for name in lacking}
    for name in own - set(_methods(interface)):
        meant = get_close_matches(name.replace("_", ""), plain, n=1, cutoff=_ALIKE)
        assert not meant, (
            f"{type(component).__name__}.{name} is never called: "
            f"the method of {interface.__name__} is {plain[meant[0]]}"
        )


def _methods(interface: type) -> list[str]:
    members = vars(interface).items()
    return [name for name, value in members if inspect.isfunction(value) and name[0] != "_"]


def _own_methods(cls: type, interface: type) -> set[str]:
    """The public methods that a class has from itself and its bases, without the interface's."""
    bases = [base for base in cls.__mro__ if base not in interface.__mro__]
    members = ((name, value) for base in bases for name, value in vars(base).items())
    return {name for name, value in members if inspect.isfunction(value) and name[0] != "_"}


def require(component: C | None, maker: str) -> C:
    """Return a component that an author may make; the test is skipped if there is none."""
    if component is None:
        pytest.skip(f"there is none to test: {maker} gives None")
    return component


async def call_together(calls: Iterable[Coroutine[Any, Any, C]]) -> list[C]:
    """Return the results of calls that are made at the same time, in the order of the calls."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(call) for call in calls]
    return [task.result() for task in tasks]


async def check_cancellation_leaves(call: Coroutine[Any, Any, object]) -> None:
    """Fail for a call that is cancelled and ends in another way."""
    task = asyncio.ensure_future(call)
    await asyncio.sleep(0)
    was_cancelled = task.cancel()
    await asyncio.wait([task])
    assert task.cancelled() or not was_cancelled, "it swallows a cancellation"


V = TypeVar("V")


def watch(value: V, reads: set[str]) -> V:
    """The same frozen dataclass, noting each field that is read.

    Args:
        value: Left as it is.
        reads: Gets `ChatRequest.tools` and the like.
    """
    cls: type[Any] = type(value)
    names = {field.name for field in fields(cls)}

    def read(self: object, name: str) -> object:
        if name in names:
            reads.add(f"{cls.__name__}.{name}")
        return object.__getattribute__(self, name)

    kind = type(cls.__name__, (cls,), {"__slots__": (), "__getattribute__": read})
    copy = cast("V", object.__new__(kind))
    for name in names:
        object.__setattr__(copy, name, getattr(value, name))
    return copy
