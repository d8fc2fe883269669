"""The suite for output guards fails for those that break their contract, and passes good ones."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from arc_core import (
    Allowed,
    GuardResult,
    OutputGuard,
    OutputGuardRequest,
    Rejected,
    RejectionCategory,
)
from arc_core.testing.conformance.output_guard import OutputGuardConformance

WORD = "password"


class WordGuard(OutputGuard):
    """Masks a word."""

    order = 100
    window_chars: int | None = len(WORD)

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        await asyncio.sleep(0)
        return Allowed(request.text.replace(WORD, "[word]"))


class WholeGuard(WordGuard):
    """Rejects answers with the word, once it has seen them whole."""

    window_chars = None

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        if WORD in request.text:
            return Rejected("A word stopped it.", RejectionCategory.SENSITIVE_DATA)
        return Allowed()


class DownGuard(WordGuard):
    """Cannot do its work."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        raise ConnectionError


class TestWordGuard(OutputGuardConformance):
    """A good guard with a window passes."""

    def make_guard(self) -> OutputGuard:
        return WordGuard()

    def make_failing_guard(self) -> OutputGuard:
        return DownGuard()


class TestWholeGuard(OutputGuardConformance):
    """A good guard that sees whole answers passes."""

    def make_guard(self) -> OutputGuard:
        return WholeGuard()


class SilentGuard(WordGuard):
    """Gives no reason."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        return Rejected(" ", RejectionCategory.OFF_TOPIC)


class BooleanGuard(WordGuard):
    """Answers with a boolean."""

    async def check(self, request: OutputGuardRequest) -> Any:
        return True


class NegativeGuard(WordGuard):
    """Asks for a window that cannot be held back."""

    window_chars = -1


class NarrowGuard(WordGuard):
    """Asks for a window that is smaller than what it looks for."""

    window_chars = 2


class GrowingGuard(WordGuard):
    """Masks its own mask."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        return Allowed(request.text.replace(WORD, f"[{WORD}]"))


class RewritingGuard(WordGuard):
    """Replaces what has left already."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        return Allowed("…" if request.released_chars else None)


class CountingGuard(WordGuard):
    """Decides by how often it was asked."""

    def __init__(self) -> None:
        self._asked = 0

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        self._asked += 1
        return Allowed(f"{self._asked}")


class KeepingGuard(WordGuard):
    """Keeps the request where the next run overwrites it."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        self.request = request
        await asyncio.sleep(0)
        return await super().check(self.request)


class NotingGuard(WordGuard):
    """Writes into the request."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        request.metadata["tags"].append("checked")
        return Allowed()


class DeafGuard(WordGuard):
    """Takes a cancellation for a decision."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as cancellation:
            return Rejected(f"Stopped. {cancellation}", RejectionCategory.SYSTEM_ERROR)
        raise AssertionError


class EncodingGuard(WordGuard):
    """Breaks on text that is not valid Unicode."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        request.text.encode()
        return Allowed()


class OpenGuard(WordGuard):
    """Lets leave what it could not check."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        return Allowed()


class BlockingGuard(WordGuard):
    """Waits without letting others run."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        time.sleep(0.11)  # noqa: ASYNC251 -- this is what must be found
        return Allowed()


class MisspeltGuard:
    """Inherits from nothing, so Python does not ask for the method that lacks."""

    order, window_chars = 100, 0

    async def chek(self, request: OutputGuardRequest) -> GuardResult:
        return Allowed()


class SuiteFor(OutputGuardConformance):
    """The suite, applied to one wrong guard."""

    __test__ = False

    def __init__(self, guard: Callable[[], Any]) -> None:
        self._guard = guard

    def make_guard(self) -> OutputGuard:
        guard: OutputGuard = self._guard()
        return guard

    def make_failing_guard(self) -> OutputGuard:
        return self.make_guard()


async def test_a_rejection_without_a_reason_is_found() -> None:
    """The person who asked is told why."""
    with pytest.raises(AssertionError, match="reason"):
        await SuiteFor(SilentGuard).test_it_decides_on_any_text("hello", is_final=True)


async def test_an_answer_of_another_type_is_found() -> None:
    """A boolean is not a decision."""
    with pytest.raises(AssertionError, match="returned True"):
        await SuiteFor(BooleanGuard).test_it_decides_on_any_text("hello", is_final=True)


async def test_an_exception_for_some_text_is_found() -> None:
    """No text makes a guard raise."""
    with pytest.raises(UnicodeEncodeError):
        await SuiteFor(EncodingGuard).test_it_decides_on_any_text("a\ud800", is_final=False)


async def test_a_negative_window_is_found() -> None:
    """The engine refuses it at start."""
    with pytest.raises(AssertionError, match="window_chars is None or a number"):
        await SuiteFor(NegativeGuard).test_it_is_an_output_guard()


async def test_a_window_that_is_too_small_is_found() -> None:
    """A word that is split leaves before the guard can know it."""
    with pytest.raises(AssertionError):
        await SuiteFor(NarrowGuard).test_a_split_changes_nothing()


async def test_a_mask_that_is_masked_is_found() -> None:
    """What has left is looked at again."""
    with pytest.raises(AssertionError, match="its own replacement"):
        await SuiteFor(GrowingGuard).test_a_second_pass_changes_nothing()


async def test_a_replacement_of_what_has_left_is_found() -> None:
    """It cannot be called back."""
    with pytest.raises(AssertionError, match="what has left already"):
        await SuiteFor(RewritingGuard).test_a_split_changes_nothing()


@pytest.mark.parametrize("guard", [CountingGuard, KeepingGuard])
async def test_a_state_that_decides_is_found(guard: type[OutputGuard]) -> None:
    """A decision is about one answer, whichever were asked about before or beside it."""
    with pytest.raises(AssertionError, match=r"mix|depends"):
        await SuiteFor(guard).test_answers_do_not_mix()


async def test_a_changed_request_is_found() -> None:
    """The metadata is not the guard's."""
    with pytest.raises(AssertionError, match="metadata"):
        await SuiteFor(NotingGuard).test_it_leaves_the_request_alone()


async def test_a_swallowed_cancellation_is_found() -> None:
    """A cancelled check must not return."""
    with pytest.raises(AssertionError, match="swallowed"):
        await SuiteFor(DeafGuard).test_a_cancelled_check_decides_nothing()


async def test_failing_open_is_found() -> None:
    """A guard that cannot check lets nothing leave."""
    with pytest.raises(AssertionError, match="could not check"):
        await SuiteFor(OpenGuard).test_it_fails_closed()


async def test_a_guard_that_blocks_the_loop_is_found() -> None:
    """No other task runs while it waits."""
    with pytest.raises(AssertionError, match="blocks the event loop"):
        await SuiteFor(BlockingGuard).test_it_leaves_the_loop_to_others("hello")


async def test_a_misspelt_method_is_found() -> None:
    """It would never be called; the text names the method that was meant."""
    with pytest.raises(AssertionError, match=r"MisspeltGuard\.chek is never called.*check"):
        await SuiteFor(MisspeltGuard).test_it_is_an_output_guard()
