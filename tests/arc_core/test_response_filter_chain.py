"""The chain of response filters: order, and what a broken filter costs."""

import asyncio
import logging
from collections.abc import Callable

import pytest

from arc_core import AgentCommand, ResponseFilter, ResponseFilterChain, ResponseFilterContext

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
    chain = ResponseFilterChain(
        [Applying(failing), Applying(str.upper, order=200)], on_fault=lambda: faults.append("one")
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
    chain = ResponseFilterChain([Applying(nothing)], on_fault=lambda: faults.append("one"))

    content = await chain.apply("answer", CONTEXT)

    assert content == "answer"
    assert faults == ["one"]


async def test_nobody_need_listen_for_faults() -> None:
    """A chain that was told of no listener skips a broken filter all the same."""
    assert await ResponseFilterChain([Applying(failing)]).apply("answer", CONTEXT) == "answer"


async def test_cancellation_leaves_the_chain() -> None:
    """A run that is cancelled inside a filter is cancelled, not filtered further."""

    def cancelled(content: str) -> str:
        raise asyncio.CancelledError

    chain = ResponseFilterChain([Applying(cancelled)])

    with pytest.raises(asyncio.CancelledError):
        await chain.apply("answer", CONTEXT)
