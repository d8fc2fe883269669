"""The suite for filters fails for filters that break their contract, and passes for good ones."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from arc_core import InvalidResponseError, ResponseFilter, ResponseFilterContext, ResponseFormat
from arc_core.testing.conformance.guards.response_filter import ResponseFilterConformance


class RedactingFilter(ResponseFilter):
    """Takes a word out."""

    order = 110

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        await asyncio.sleep(0)
        return content.replace("Seoul", "[REDACTED]")


class TestRedactingFilter(ResponseFilterConformance):
    """A good filter passes."""

    def make_filter(self) -> ResponseFilter:
        return RedactingFilter()


class StrictFilter(RedactingFilter):
    """Refuses whatever is not text."""

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        if context.command.response_format is not ResponseFormat.TEXT:
            raise InvalidResponseError
        return content


class TestStrictFilter(ResponseFilterConformance):
    """A filter may refuse."""

    def make_filter(self) -> ResponseFilter:
        return StrictFilter()


class SigningFilter(RedactingFilter):
    """Appends a signature each time."""

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        return content + "\n-- Arc"


class ForgetfulFilter(RedactingFilter):
    """Forgets to return."""

    async def filter(self, content: str, context: ResponseFilterContext) -> Any:
        content.strip()


class NotingFilter(RedactingFilter):
    """Writes into the command."""

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        context.command.metadata["tags"].append("filtered")
        return content


class SharingFilter(RedactingFilter):
    """Keeps its answer where the next one overwrites it."""

    content = ""

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        self.content = content
        await asyncio.sleep(0)
        return self.content


class DeafFilter(RedactingFilter):
    """Takes a cancellation for an answer."""

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as cancellation:
            return f"{content}{cancellation}"
        raise AssertionError


class UnorderedFilter:
    """Has no order."""

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        return content


class SuiteFor(ResponseFilterConformance):
    """The suite, applied to one wrong filter."""

    __test__ = False

    def __init__(self, response_filter: Callable[[], Any]) -> None:
        self._filter = response_filter

    def make_filter(self) -> ResponseFilter:
        made: ResponseFilter = self._filter()
        return made


async def test_a_filter_that_adds_again_and_again_is_found() -> None:
    """A cached answer would be signed twice."""
    with pytest.raises(AssertionError, match="not idempotent"):
        await SuiteFor(SigningFilter).test_a_second_pass_changes_nothing("a", ResponseFormat.TEXT)


async def test_a_forgotten_return_is_found() -> None:
    """None is not an answer."""
    with pytest.raises(AssertionError, match="returned None"):
        await SuiteFor(ForgetfulFilter).test_a_second_pass_changes_nothing("a", ResponseFormat.TEXT)


async def test_a_changed_command_is_found() -> None:
    """The metadata is not the filter's."""
    with pytest.raises(AssertionError, match="metadata"):
        await SuiteFor(NotingFilter).test_it_leaves_the_command_alone()


async def test_answers_that_mix_are_found() -> None:
    """One run's answer must not become another's."""
    with pytest.raises(AssertionError, match="mix"):
        await SuiteFor(SharingFilter).test_answers_do_not_mix()


async def test_a_swallowed_cancellation_is_found() -> None:
    """A cancelled filter must not return."""
    with pytest.raises(AssertionError, match="swallows"):
        await SuiteFor(DeafFilter).test_a_cancelled_filter_gives_nothing()


async def test_a_missing_order_is_found() -> None:
    """The chain sorts by order."""
    with pytest.raises(AssertionError, match="order"):
        await SuiteFor(UnorderedFilter).test_it_is_a_filter()


class SlowFilter(RedactingFilter):
    """Cuts blanks before the end of each line, and tries again from each blank before it."""

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        return re.sub(r"[ \t]+(?=\n\n)", "", content)


class HoardingFilter(RedactingFilter):
    """Collects the answers."""

    def __init__(self) -> None:
        self._seen: list[str] = []

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        self._seen.append(content)
        return content


async def test_a_pattern_that_takes_more_than_linear_time_is_found() -> None:
    """An answer may be long."""
    with pytest.raises(AssertionError, match="again and again"):
        await SuiteFor(SlowFilter).test_its_time_grows_no_faster_than_the_text()


async def test_a_buffer_without_a_bound_is_found() -> None:
    """One that takes an entry of each answer."""
    with pytest.raises(AssertionError, match="without a bound"):
        await SuiteFor(HoardingFilter).test_it_keeps_nothing_for_each_run()
