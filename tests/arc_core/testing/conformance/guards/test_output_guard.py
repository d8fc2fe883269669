"""The suite for output guards; what every kind of guard must do is in `test_any_guard`."""

import asyncio

import pytest

from arc_core.interfaces.guards.guard import Allowed, GuardResult, Rejected, RejectionCategory
from arc_core.interfaces.guards.output_guard import OutputGuard, OutputGuardRequest
from arc_core.testing.conformance.guards.output_guard import OutputGuardConformance
from tests.arc_core.testing.conformance.guards.wrong_guards import (
    BooleanGuard,
    DownGuard,
    OutputGuardSuite,
)
from tests.arc_core.testing.conformance.suites import Fault, FindsFaults, make_good_suite

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


TestWordGuard = make_good_suite(OutputGuardConformance, WordGuard, failing=DownGuard)


TestWholeGuard = make_good_suite(OutputGuardConformance, WholeGuard)


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

    window_chars = len(WORD)

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        return Allowed("…" if request.released_chars else None)


class CountingGuard(WordGuard):
    """Decides by how often it was asked."""

    def __init__(self) -> None:
        self._asked = 0

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        self._asked += 1
        return Allowed(f"{self._asked}")


class PatientGuard(WordGuard):
    """Can decide on whole answers only, and has a window."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        if request.is_final:
            return Allowed()
        raise NotImplementedError


FAULTS = [
    Fault(NegativeGuard, "it_is_an_output_guard", match="window_chars is None or a number"),
    Fault(NarrowGuard, "a_split_changes_nothing"),
    Fault(GrowingGuard, "a_second_pass_changes_nothing", match="its own replacement"),
    Fault(RewritingGuard, "a_split_changes_nothing", match="what has left already"),
    Fault(RewritingGuard, "what_has_left_stays", match="what has left already"),
    Fault(CountingGuard, "texts_do_not_mix", match=r"mix|depends"),
    Fault(PatientGuard, "it_decides_on_any_text_that_goes_on", "hi", error=NotImplementedError),
    Fault(BooleanGuard, "it_decides_on_any_text_that_goes_on", "hi", match="returned True"),
]


class TestFaults(FindsFaults):
    """Each of them is found."""

    suite, faults = OutputGuardConformance, FAULTS


class LateGuard(WordGuard):
    """Masks at the end alone, what has left and what has not."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        released, rest = request.text[: request.released_chars], request.text
        if not request.is_final:
            return Allowed()
        rest = rest[request.released_chars :].replace(WORD, "*" * len(WORD))
        return Allowed(released + rest)


@pytest.mark.parametrize("window", [0, len(WORD) - 1, 40])
async def test_a_mask_that_comes_at_the_end_alone_is_found(window: int) -> None:
    """Whatever it holds back, a longer answer has left by then."""

    class Late(LateGuard):
        window_chars = window

    suite = OutputGuardSuite(Late)
    suite.answers = (f"the {WORD}",)

    with pytest.raises(AssertionError, match=r"lets out what|in another way than on the end"):
        await suite.test_it_decides_while_a_stream_goes_on_as_at_its_end()
