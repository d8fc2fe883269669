"""Starts components in the order in which they were built, and closes them in reverse."""

import asyncio
import inspect
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial

from arc_autoconfig.build.resources import Opening
from arc_autoconfig.containment import Contained
from arc_autoconfig.errors import ComponentError, cause_of, source_of
from arc_core.errors import ConfigurationError
from arc_core.log import get_logger
from arc_core.places import declared_place

__all__ = ["CLOSE_TIMEOUT_S", "START_TIMEOUT_S", "Built", "method_of", "open_resource", "start"]

START_TIMEOUT_S = 30.0
"""How long the start of one component may take."""

CLOSE_TIMEOUT_S = 10.0
"""How long the close of one component may take."""

logger = get_logger("lifecycle")

_Method = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Built:
    """A component that is in use.

    Attributes:
        component: The instance.
        owner: Whose it is, in words for people.
    """

    component: object
    owner: str


async def start(
    built: Built,
    stack: AsyncExitStack,
    *,
    start_timeout_s: float = START_TIMEOUT_S,
    close_timeout_s: float = CLOSE_TIMEOUT_S,
) -> None:
    """Start a component that wants it, and have the stack close it.

    A component may have `async start()` and `async aclose()`, either or both, or be an asynchronous
    context manager. Synchronous ones are called on the event loop, which they hold meanwhile. A
    `start` that needs an argument belongs to the component's interface, and is others' to call.

    Args:
        built: The component.
        stack: Closes what was started, last first. What fails to close or takes too long is logged.
        start_timeout_s: How long the start may take.
        close_timeout_s: How long the close may take.

    Raises:
        ComponentError: It raised, or took too long.
        ConfigurationError: It says itself what is wrong.
    """
    find = partial(method_of, built.component)
    begin = find("start")
    if begin is not None and _needs_argument(begin):
        begin = None
    is_manager = begin is None and find("__aenter__") is not None
    if is_manager:
        begin = find("__aenter__")
    if begin is not None:
        await _begin(begin, built, timeout_s=start_timeout_s)
    leave = find("__aexit__") if is_manager else None
    close = partial(leave, None, None, None) if leave is not None else find("aclose")
    if close is not None:
        stack.push_async_callback(_end, close, built, timeout_s=close_timeout_s)


async def open_resource(opening: Opening, owner: str, stack: AsyncExitStack) -> object:
    """Open what a factory has returned in the place of a component.

    Args:
        opening: What has to be opened.
        owner: Whose it is, in words for people.
        stack: Closes it. What fails to close or takes too long is logged.

    Returns:
        The component.

    Raises:
        ComponentError: It raised, or took too long.
        ConfigurationError: It says itself what is wrong.
    """
    deadline = asyncio.timeout(START_TIMEOUT_S)
    with Contained() as attempt:
        async with deadline:
            opened = await opening.open()
        stack.push_async_callback(
            _end, opening.close, Built(opened, owner), timeout_s=CLOSE_TIMEOUT_S
        )
        return opened
    error = attempt.error
    assert error is not None
    if isinstance(error, ConfigurationError):
        raise error
    cause = f"it took longer than {START_TIMEOUT_S:g} s" if deadline.expired() else cause_of(error)
    raise ComponentError(
        f"{owner} could not be opened",
        evidence=[cause],
        remedy="correct what it complains about, or choose another component",
    ) from error


async def _begin(begin: _Method, built: Built, *, timeout_s: float) -> None:
    deadline = asyncio.timeout(timeout_s)
    with Contained() as attempt:
        async with deadline:
            await _call(begin)
    error = attempt.error
    if error is None:
        return
    if isinstance(error, ConfigurationError):
        raise error
    cause = f"it took longer than {timeout_s:g} s" if deadline.expired() else cause_of(error)
    raise ComponentError(
        f"{built.owner} did not start",
        evidence=[cause, f"its place: {source_of(built.component)}"],
        remedy="correct what it complains about, or choose another component",
    ) from error


async def _end(close: _Method, built: Built, *, timeout_s: float) -> None:
    """Close a component; one that fails must not keep the others from closing."""
    with Contained() as attempt:
        async with asyncio.timeout(timeout_s):
            await _call(close)
    if attempt.error is not None:
        place = source_of(built.component)
        message = f"{built.owner} did not close, which may leak what it holds ({place})"
        logger.error(message, component=built.owner, exc_info=attempt.error)


async def _call(method: _Method) -> None:
    returned = method()
    if inspect.isawaitable(returned):
        await returned


def _needs_argument(method: _Method) -> bool:
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError):  # a function written in C may not tell
        return False
    collects = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    return any(each.default is each.empty and each.kind not in collects for each in parameters)


def method_of(component: object, name: str) -> _Method | None:
    """A method of the life cycle; a component of that name, such as a tool, is others' to call."""
    method = getattr(component, name, None)
    is_component = any(map(declared_place, type(method).__mro__))
    return method if callable(method) and not is_component else None
