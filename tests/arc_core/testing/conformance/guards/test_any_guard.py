"""The suites for guards of any kind fail for those that break their common contract."""

from typing import Any

import pytest

from arc_core.testing.conformance.guards.guard import GuardConformance
from arc_core.testing.conformance.guards.output_guard import OutputGuardConformance
from arc_core.testing.conformance.guards.tool_result_guard import ToolResultGuardConformance
from tests.arc_core.testing.conformance.guards.wrong_guards import (
    AddressGuard,
    BlockingGuard,
    BooleanGuard,
    BufferingGuard,
    DeafGuard,
    DownGuard,
    EncodingGuard,
    GuardSuite,
    HangingGuard,
    HoardingGuard,
    KeepingGuard,
    LastOnesGuard,
    MisspeltGuard,
    NotingGuard,
    OpenGuard,
    OutputGuardSuite,
    QuestionGuard,
    QuotingGuard,
    RareGuard,
    RememberingGuard,
    SilentGuard,
    SlowGuard,
    ToolResultGuardSuite,
    UnorderedGuard,
    WordyGuard,
)
from tests.arc_core.testing.conformance.suites import Fault

Suite = type[GuardSuite | OutputGuardSuite | ToolResultGuardSuite]

SUITES = [GuardSuite, OutputGuardSuite, ToolResultGuardSuite]
KINDS = [
    (GuardSuite, "test_it_is_a_guard"),
    (OutputGuardSuite, "test_it_is_an_output_guard"),
    (ToolResultGuardSuite, "test_it_is_a_tool_result_guard"),
]
TEXTS = [(GuardSuite, "prompts"), (OutputGuardSuite, "answers"), (ToolResultGuardSuite, "results")]

each_suite = pytest.mark.parametrize("suite", SUITES)
each_kind = pytest.mark.parametrize(("suite", "kind"), KINDS)
each_mix = pytest.mark.parametrize(("suite", "texts"), TEXTS)


FAULTS = [
    Fault(SilentGuard, "it_decides_on_any_text", "hello", match="reason"),
    Fault(BooleanGuard, "it_decides_on_any_text", "hello", match="returned True"),
    Fault(EncodingGuard, "it_decides_on_any_text", "a\ud800", error=UnicodeEncodeError),
    Fault(NotingGuard, "it_leaves_the_request_alone", match="metadata"),
    Fault(DeafGuard, "a_cancellation_leaves_it", match="swallows"),
    Fault(RememberingGuard, "texts_do_not_mix", match="depends on what its user asked before"),
    Fault(BooleanGuard, "it_decides_on_many_texts_at_once"),
    Fault(OpenGuard, "it_fails_closed", match="could not check"),
    Fault(KeepingGuard, "it_keeps_no_request", match="or a part of it, in request"),
    Fault(QuotingGuard, "it_keeps_no_request", match="in text"),
    Fault(BlockingGuard, "it_leaves_the_loop_to_others", match="blocks the event loop"),
    *(
        Fault(guard, "its_time_grows_no_faster_than_the_text", match="again and again")
        for guard in (SlowGuard, HangingGuard, AddressGuard)
    ),
    *(
        Fault(guard, "it_keeps_nothing_for_each_run", match="bytes of each call, without a bound")
        for guard in (HoardingGuard, BufferingGuard)
    ),
]


@pytest.mark.parametrize(
    "suite", [GuardConformance, OutputGuardConformance, ToolResultGuardConformance]
)
@pytest.mark.parametrize("fault", FAULTS, ids=repr)
async def test_a_fault_is_found(fault: Fault, suite: type[Any]) -> None:
    """By the rule that is about it, in each suite."""
    BufferingGuard.buffers.clear()

    await fault.check(suite)


@each_suite
async def test_failing_open_is_found(suite: Suite) -> None:
    """A guard that cannot check allows nothing."""
    await suite(DownGuard).test_it_fails_closed()

    with pytest.raises(AssertionError, match="could not check"):
        await suite(OpenGuard).test_it_fails_closed()


@each_kind
async def test_a_missing_order_is_found(suite: Suite, kind: str) -> None:
    """Guards are asked in their order, which is a number."""
    with pytest.raises(AssertionError, match="lacks order"):
        await getattr(suite(UnorderedGuard), kind)()
    with pytest.raises(AssertionError, match="order is a whole number"):
        await getattr(suite(WordyGuard), kind)()


@each_kind
async def test_a_misspelt_method_is_found(suite: Suite, kind: str) -> None:
    """It would never be called; the text names the method that was meant."""
    with pytest.raises(AssertionError, match=r"MisspeltGuard\.chek is never called.*check"):
        await getattr(suite(MisspeltGuard), kind)()


@each_mix
async def test_texts_of_runs_that_mix_are_found(suite: Suite, texts: str) -> None:
    """A guard that overwrites the request decides on the text of another run."""
    assert not getattr(suite, texts)
    await suite(QuestionGuard).test_texts_do_not_mix()

    with pytest.raises(AssertionError, match="mix"):
        await suite(KeepingGuard).test_texts_do_not_mix()


@each_mix
async def test_texts_of_the_author_are_decided_on(suite: Suite, texts: str) -> None:
    """A guard that decides differently on rare texts only is found with the author's help."""
    tests = suite(RareGuard)
    await tests.test_texts_do_not_mix()
    setattr(tests, texts, ["xyzzy"])

    with pytest.raises(AssertionError, match="mix"):
        await tests.test_texts_do_not_mix()


@each_suite
async def test_a_guard_may_know_the_last_texts_again(suite: Suite) -> None:
    """A bound is enough."""
    await suite(LastOnesGuard).test_it_keeps_nothing_for_each_run()
