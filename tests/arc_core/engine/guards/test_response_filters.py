"""The chain of response filters: order, and what a broken filter costs."""

import asyncio
import logging
from collections.abc import Callable

import pytest

from arc_core import (
    AgentCommand,
    InvalidResponseError,
    ResponseFilter,
    ResponseFilterChain,
    ResponseFilterContext,
)
from arc_core.engine.boundary.boundary import Boundary

CONTEXT = ResponseFilterContext(command=AgentCommand(user_prompt="Hello"))


class Applying(ResponseFilter):
    """Applies a function."""

    def __init__(self, function: Callable[[str], str], *, order: int = 100) -> None:
        self.order = order
        self._function = function

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        return self._function(content)


def failing(content: str) -> str:
    """A filter's function that cannot do its work."""
    raise ValueError(content)


async def test_filters_run_by_order() -> None:
    """Each filter gets the output of the one with the next lower order, however given."""
    chain = ResponseFilterChain(
        [Applying(lambda text: text + "b", order=2), Applying(lambda text: text + "a", order=1)]
    )

    assert await chain.apply("-", CONTEXT) == "-ab"


async def test_an_empty_chain_changes_nothing() -> None:
    """Without filters the content passes."""
    assert await ResponseFilterChain().apply("content", CONTEXT) == "content"


async def test_a_filter_that_raises_is_skipped(caplog: pytest.LogCaptureFixture) -> None:
    """A broken filter costs a log line and a count, never the answer."""
    faults: list[str] = []
    chain = ResponseFilterChain([Applying(failing), Applying(str.upper, order=200)]).bind(
        Boundary(lambda _: faults.append("one"))
    )

    with caplog.at_level(logging.ERROR):
        content = await chain.apply("answer", CONTEXT)

    assert content == "ANSWER"
    assert faults == ["one"]
    assert "Applying" in str(vars(caplog.records[0]))


async def test_a_filter_that_returns_no_text_is_skipped() -> None:
    """A filter that forgets its return value does not turn the answer into None."""
    nothing: Callable[[str], str] = lambda _: None  # type: ignore[assignment,return-value]  # noqa: E731
    faults: list[str] = []
    chain = ResponseFilterChain([Applying(nothing)]).bind(Boundary(lambda _: faults.append("one")))

    content = await chain.apply("answer", CONTEXT)

    assert content == "answer"
    assert faults == ["one"]


async def test_a_listener_for_faults_is_optional() -> None:
    """A chain that was told of no listener skips a broken filter all the same."""
    assert await ResponseFilterChain([Applying(failing)]).apply("answer", CONTEXT) == "answer"


async def test_cancellation_leaves_the_chain() -> None:
    """A run that is cancelled inside a filter is cancelled, not filtered further."""

    def cancelled(content: str) -> str:
        raise asyncio.CancelledError

    chain = ResponseFilterChain([Applying(cancelled)])

    with pytest.raises(asyncio.CancelledError):
        await chain.apply("answer", CONTEXT)


async def test_filters_of_one_order_run_by_name() -> None:
    """If the order does not decide, the class name does, however they were given."""

    class Alpha(Applying): ...

    class Beta(Applying): ...

    filters = [Beta(lambda text: text + "b"), Alpha(lambda text: text + "a")]

    assert await ResponseFilterChain(filters).apply("-", CONTEXT) == "-ab"
    assert await ResponseFilterChain(filters[::-1]).apply("-", CONTEXT) == "-ab"


async def test_a_cancellation_that_a_filter_swallows_leaves() -> None:
    """The next filter is not asked once the run is cancelled, whatever the one before did."""
    reached: list[str] = []

    def swallowing(content: str) -> str:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        return content

    def noting(content: str) -> str:
        reached.append(content)
        return content

    chain = ResponseFilterChain([Applying(swallowing), Applying(noting, order=200)])

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(chain.apply("answer", CONTEXT))
    assert reached == []


async def test_a_filter_may_refuse_the_answer() -> None:
    """An answer that a filter declares unusable goes no further, and that is not a fault."""

    def refusing(content: str) -> str:
        raise InvalidResponseError(content)

    faults: list[str] = []
    chain = ResponseFilterChain([Applying(refusing)]).bind(Boundary(lambda _: faults.append("one")))

    with pytest.raises(InvalidResponseError):
        await chain.apply("answer", CONTEXT)
    assert faults == []


async def test_binding_leaves_the_chain_itself_alone() -> None:
    """Two agents that share a chain each hear of their own faults."""
    chain = ResponseFilterChain([Applying(failing)])
    first: list[str] = []
    second: list[str] = []

    heard = chain.bind(Boundary(lambda _: first.append("one")))
    chain.bind(Boundary(lambda _: second.append("one")))
    await heard.apply("answer", CONTEXT)

    assert (first, second) == (["one"], [])


async def test_a_chain_of_its_own_kind_needs_no_filters() -> None:
    """A replaced chain may do something else altogether."""

    class Shouting(ResponseFilterChain):
        def __init__(self, mark: str) -> None:
            self.mark = mark

        async def apply(self, content: str, context: ResponseFilterContext) -> str:
            return content.upper() + self.mark

    chain = Shouting("!").bind(Boundary())

    assert await chain.apply("answer", CONTEXT) == "ANSWER!"
