"""The suite for filters fails for filters that break their contract, and passes for good ones."""

import asyncio
import re
from typing import Any

from arc_core import InvalidResponseError, ResponseFilter, ResponseFilterContext, ResponseFormat
from arc_core.testing.conformance.guards.response_filter import ResponseFilterConformance
from tests.arc_core.testing.conformance.suites import (
    Fault,
    FindsFaults,
    make_good_suite,
    swallow_cancellation,
)


class RedactingFilter(ResponseFilter):
    """Takes a word out."""

    order = 110

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        await asyncio.sleep(0)
        return content.replace("Seoul", "[REDACTED]")


TestRedactingFilter = make_good_suite(ResponseFilterConformance, RedactingFilter)


class StrictFilter(RedactingFilter):
    """Refuses whatever is not text."""

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        if context.command.response_format is not ResponseFormat.TEXT:
            raise InvalidResponseError
        return content


TestStrictFilter = make_good_suite(ResponseFilterConformance, StrictFilter)


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
        await swallow_cancellation()
        return content


class UnorderedFilter:
    """Has no order."""

    async def filter(self, content: str, context: ResponseFilterContext) -> str:
        return content


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


SECOND_PASS = "a_second_pass_filters_nothing_more"
FAULTS = [
    Fault(SigningFilter, SECOND_PASS, "a", ResponseFormat.TEXT, match="idempotent"),
    Fault(
        ForgetfulFilter,
        "a_second_pass_filters_nothing_more",
        "a",
        ResponseFormat.TEXT,
        match="returned None",
    ),
    Fault(NotingFilter, "it_leaves_the_command_alone", match="metadata"),
    Fault(SharingFilter, "answers_do_not_mix", match="mix"),
    Fault(DeafFilter, "a_cancellation_leaves_it", match="swallows"),
    Fault(UnorderedFilter, "it_is_a_filter", match="order"),
    Fault(SlowFilter, "its_time_grows_no_faster_than_the_text", match="again and again"),
    Fault(HoardingFilter, "it_keeps_nothing_for_each_run", match="without a bound"),
]


class TestFaults(FindsFaults):
    """Each of them is found."""

    suite, faults = ResponseFilterConformance, FAULTS
