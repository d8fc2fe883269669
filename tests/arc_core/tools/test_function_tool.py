"""`@tool`: functions and methods as tools."""

import asyncio
import functools
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from arc_core import ParsesArguments, Tool, ToolContext, ToolDefinitionError, tool

CONTEXT = ToolContext(run_id="r-1", call_id="c-1", user_id="ann")


@tool
async def double(number: int) -> int:
    """Twice the number."""
    return number * 2


def half_of(number: int) -> float:
    """Half the number."""
    return number / 2


half = tool(
    name="halve", description="Half of it.", timeout_s=2.5, category="maths", cacheable=False
)(half_of)


class Shop:
    """Two tools, the second of which needs the run."""

    def __init__(self, name: str) -> None:
        self.name = name

    @tool
    async def price(self, item: str) -> str:
        """The price of an item."""
        return f"{item} at {self.name}"

    @tool
    def order(self, item: str, context: ToolContext) -> str:
        """Order an item."""
        return f"{item} at {self.name} for {context.user_id}"

    def close(self) -> None:
        """No tool."""


def test_a_decorated_function_is_a_tool() -> None:
    """Name and description are the function's; the interfaces hold."""
    assert isinstance(double, Tool)
    assert isinstance(double, ParsesArguments)
    assert (double.name, double.description) == ("double", "Twice the number.")
    assert (double.timeout_s, double.category, double.cacheable) == (None, None, True)


def test_options_replace_what_the_function_says() -> None:
    """Each option of the decorator ends up on the tool."""
    assert (half.name, half.description) == ("halve", "Half of it.")
    assert (half.timeout_s, half.category, half.cacheable) == (2.5, "maths", False)


async def test_a_decorated_function_can_still_be_called() -> None:
    """Code of the user's that calls the function gets what it got before."""
    assert await double(4) == 8
    assert half(number=4) == 2


async def test_async_functions_run_in_the_loop() -> None:
    """An async tool runs in the caller's thread."""
    threads: list[int] = []

    @tool
    async def where() -> None:
        threads.append(threading.get_ident())

    await where.call({}, CONTEXT)

    assert threads == [threading.get_ident()]


async def test_sync_functions_run_beside_the_loop() -> None:
    """A blocking tool does not block the loop: another task goes on meanwhile."""
    released = threading.Event()

    @tool
    def waits() -> str:
        released.wait()
        return "done"

    call = asyncio.ensure_future(waits.call({}, CONTEXT))
    await asyncio.sleep(0)
    released.set()

    assert await call == "done"


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of a kind one meets: sync around whatever it gets."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


async def test_async_functions_behind_a_sync_decorator_are_awaited() -> None:
    """What a function returns is awaited where it can be, whatever wraps the function."""

    async def triple(number: int) -> int:
        return number * 3

    assert await tool(logged(triple)).call({"number": 2}, CONTEXT) == 6


async def test_methods_are_tools_of_their_object() -> None:
    """A decorated method knows its object, and two objects do not mix."""
    north, south = Shop("north"), Shop("south")

    assert await north.price.call({"item": "tea"}, CONTEXT) == "tea at north"
    assert await south.price.call({"item": "tea"}, CONTEXT) == "tea at south"


async def test_the_context_is_injected() -> None:
    """A `ToolContext` parameter gets the run, and is not a parameter for the model."""
    assert await Shop("north").order.call({"item": "tea"}, CONTEXT) == "tea at north for ann"
    assert list(Shop.order.parameters["properties"]) == ["item"]


def test_attributes_of_a_function_do_not_become_the_tools() -> None:
    """Another decorator's marks on a function leave the tool's name and time-out alone."""

    def search(query: str) -> str:
        return query

    vars(search).update(name="hijacked", timeout_s=0)

    assert tool(search).name == "search"
    assert tool(search).timeout_s is None


@pytest.mark.parametrize("name", ["no spaces", "날씨", "a" * 65, "dots.too", ""])
def test_names_that_vendors_refuse_are_refused_first(name: str) -> None:
    """A name is letters, digits, `_` and `-`, at most 64; an empty one is the function's."""
    if not name:
        assert tool(name=name)(half_of).name == "half_of"
        return
    with pytest.raises(ToolDefinitionError, match=r"@tool\(name="):
        tool(name=name)(half_of)


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan")])
def test_timeouts_are_more_than_nothing(timeout_s: float) -> None:
    """A tool that could never end in time is refused."""
    with pytest.raises(ToolDefinitionError, match="timeout_s"):
        tool(timeout_s=timeout_s)(half_of)


async def generated(number: int) -> AsyncIterator[int]:
    """No single value."""
    yield number


class Echo:
    def __call__(self, city: str) -> str:
        return city


@pytest.mark.parametrize(
    "function",
    [functools.partial(half, 1), Echo(), Echo, max, 3, generated],
    ids=["partial", "callable object", "class", "builtin", "number", "generator"],
)
def test_what_is_not_a_function_is_refused(function: Any) -> None:
    """Only functions and methods become tools; anything else gets an error that says so."""
    with pytest.raises(ToolDefinitionError, match="function"):
        tool(function)


def test_a_tool_shows_its_name() -> None:
    """Logs and reports show a tool briefly."""
    assert repr(double) == "<tool double>"
