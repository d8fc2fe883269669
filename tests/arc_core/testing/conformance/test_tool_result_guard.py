"""The suite for tool result guards fails for those that break their contract."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from arc_core import (
    Allowed,
    GuardResult,
    Rejected,
    RejectionCategory,
    ToolResultGuard,
    ToolResultRequest,
)
from arc_core.testing.conformance.tool_result_guard import ToolResultGuardConformance


class QuestionGuard(ToolResultGuard):
    """Lets questions through."""

    order = 100

    async def check(self, request: ToolResultRequest) -> GuardResult:
        await asyncio.sleep(0)
        if request.text.endswith("?"):
            return Allowed()
        return Rejected("Please ask a question.", RejectionCategory.OFF_TOPIC)


class DownGuard(QuestionGuard):
    """Cannot do its work."""

    async def check(self, request: ToolResultRequest) -> GuardResult:
        raise ConnectionError


class TestQuestionGuard(ToolResultGuardConformance):
    """A good guard passes."""

    def make_guard(self) -> ToolResultGuard:
        return QuestionGuard()

    def make_failing_guard(self) -> ToolResultGuard:
        return DownGuard()


class SilentGuard(QuestionGuard):
    """Gives no reason."""

    async def check(self, request: ToolResultRequest) -> GuardResult:
        return Rejected(" ", RejectionCategory.OFF_TOPIC)


class BooleanGuard(QuestionGuard):
    """Answers with a boolean."""

    async def check(self, request: ToolResultRequest) -> Any:
        return True


class NotingGuard(QuestionGuard):
    """Writes into the request."""

    async def check(self, request: ToolResultRequest) -> GuardResult:
        request.metadata["tags"].append("checked")
        return Allowed()


class TakingGuard(QuestionGuard):
    """Takes an argument out of the call."""

    async def check(self, request: ToolResultRequest) -> GuardResult:
        request.arguments.pop("city")  # type: ignore[attr-defined]
        return Allowed()


class DeafGuard(QuestionGuard):
    """Takes a cancellation for a decision."""

    async def check(self, request: ToolResultRequest) -> GuardResult:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as cancellation:
            return Rejected(f"Stopped. {cancellation}", RejectionCategory.SYSTEM_ERROR)
        raise AssertionError


class EncodingGuard(QuestionGuard):
    """Breaks on text that is not valid Unicode."""

    async def check(self, request: ToolResultRequest) -> GuardResult:
        request.text.encode()
        return Allowed()


class OpenGuard(QuestionGuard):
    """Lets through what it could not check."""

    async def check(self, request: ToolResultRequest) -> GuardResult:
        return Allowed()


class UnorderedGuard:
    """Has no order."""

    async def check(self, request: ToolResultRequest) -> GuardResult:
        return Allowed()


class KeepingGuard(QuestionGuard):
    """Keeps the request where the next run overwrites it."""

    async def check(self, request: ToolResultRequest) -> GuardResult:
        self.request = request
        await asyncio.sleep(0)
        return await super().check(self.request)


class QuotingGuard(QuestionGuard):
    """Keeps a part of the request, in a slot."""

    __slots__ = ("text",)

    async def check(self, request: ToolResultRequest) -> GuardResult:
        self.text = request.text
        return Allowed()


class BlockingGuard(QuestionGuard):
    """Waits without letting others run."""

    async def check(self, request: ToolResultRequest) -> GuardResult:
        time.sleep(0.11)  # noqa: ASYNC251 -- this is what must be found
        return Allowed()


class MisspeltGuard:
    """Inherits from nothing, so Python does not ask for the method that lacks."""

    order = 100

    async def chek(self, request: ToolResultRequest) -> GuardResult:
        return Rejected("No.", RejectionCategory.OFF_TOPIC)


class SuiteFor(ToolResultGuardConformance):
    """The suite, applied to one wrong guard."""

    __test__ = False

    def __init__(self, guard: Callable[[], Any]) -> None:
        self._guard = guard

    def make_guard(self) -> ToolResultGuard:
        guard: ToolResultGuard = self._guard()
        return guard

    def make_failing_guard(self) -> ToolResultGuard:
        return self.make_guard()


async def test_a_rejection_without_a_reason_is_found() -> None:
    """The log tells why."""
    with pytest.raises(AssertionError, match="reason"):
        await SuiteFor(SilentGuard).test_it_decides_on_any_text("hello")


async def test_an_answer_of_another_type_is_found() -> None:
    """A boolean is not a decision."""
    with pytest.raises(AssertionError, match="returned True"):
        await SuiteFor(BooleanGuard).test_it_decides_on_any_text("hello")


async def test_an_exception_for_some_text_is_found() -> None:
    """No text makes a guard raise."""
    with pytest.raises(UnicodeEncodeError):
        await SuiteFor(EncodingGuard).test_it_decides_on_any_text("a\ud800")


async def test_a_changed_request_is_found() -> None:
    """The metadata is not the guard's."""
    with pytest.raises(AssertionError, match="metadata"):
        await SuiteFor(NotingGuard).test_it_leaves_the_request_alone()


async def test_changed_arguments_are_found() -> None:
    """The arguments are not the guard's either."""
    with pytest.raises(AssertionError, match="arguments"):
        await SuiteFor(TakingGuard).test_it_leaves_the_request_alone()


async def test_answers_of_another_type_are_found_under_load() -> None:
    """Every one of many checks must decide."""
    with pytest.raises(AssertionError):
        await SuiteFor(BooleanGuard).test_it_decides_on_many_results_at_once()


async def test_a_swallowed_cancellation_is_found() -> None:
    """A cancelled check must not return."""
    with pytest.raises(AssertionError, match="swallowed"):
        await SuiteFor(DeafGuard).test_a_cancelled_check_decides_nothing()


async def test_failing_open_is_found() -> None:
    """A guard that cannot check lets nothing through."""
    with pytest.raises(AssertionError, match="could not check"):
        await SuiteFor(OpenGuard).test_it_fails_closed()


async def test_a_missing_order_is_found() -> None:
    """Guards are asked in their order."""
    with pytest.raises(AssertionError, match="lacks order"):
        await SuiteFor(UnorderedGuard).test_it_is_a_guard()


async def test_a_request_that_is_kept_is_found() -> None:
    """The guard decides on the result of another run, and the run's data stay behind."""
    with pytest.raises(AssertionError, match="mix"):
        await SuiteFor(KeepingGuard).test_results_do_not_mix()
    with pytest.raises(AssertionError, match="keeps the request, or a part of it, in request"):
        await SuiteFor(KeepingGuard).test_it_keeps_no_request()


async def test_a_part_of_a_request_that_is_kept_is_found() -> None:
    """In a slot, too."""
    with pytest.raises(AssertionError, match="in text"):
        await SuiteFor(QuotingGuard).test_it_keeps_no_request()


async def test_results_of_the_author_are_decided_on() -> None:
    """A guard that decides differently on rare results only is found with the author's help."""

    class RareGuard(KeepingGuard):
        async def check(self, request: ToolResultRequest) -> GuardResult:
            self.text = request.text
            await asyncio.sleep(0)
            if "xyzzy" in self.text:
                return Rejected("No magic.", RejectionCategory.OFF_TOPIC)
            return Allowed()

    suite = SuiteFor(RareGuard)
    await suite.test_results_do_not_mix()
    suite.results = ["xyzzy"]

    with pytest.raises(AssertionError, match="mix"):
        await suite.test_results_do_not_mix()


async def test_a_guard_that_blocks_the_loop_is_found() -> None:
    """No other task runs while it waits."""
    with pytest.raises(AssertionError, match="blocks the event loop"):
        await SuiteFor(BlockingGuard).test_it_leaves_the_loop_to_others("hello")


async def test_a_misspelt_method_is_found() -> None:
    """It would never be called; the text names the method that was meant."""
    with pytest.raises(AssertionError, match=r"MisspeltGuard\.chek is never called.*check"):
        await SuiteFor(MisspeltGuard).test_it_is_a_guard()
