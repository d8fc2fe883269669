"""The suites for guards of any kind fail for those that break their common contract."""

import pytest

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

Suite = type[GuardSuite | OutputGuardSuite | ToolResultGuardSuite]

SUITES = [GuardSuite, OutputGuardSuite, ToolResultGuardSuite]
KINDS = [
    (GuardSuite, "test_it_is_a_guard"),
    (OutputGuardSuite, "test_it_is_an_output_guard"),
    (ToolResultGuardSuite, "test_it_is_a_guard"),
]
TEXTS = [
    (GuardSuite, "prompts", "test_prompts_do_not_mix"),
    (OutputGuardSuite, "answers", "test_answers_do_not_mix"),
    (ToolResultGuardSuite, "results", "test_results_do_not_mix"),
]

each_suite = pytest.mark.parametrize("suite", SUITES)
each_kind = pytest.mark.parametrize(("suite", "kind"), KINDS)
each_mix = pytest.mark.parametrize(("suite", "texts", "mix"), TEXTS)


@each_suite
async def test_a_rejection_without_a_reason_is_found(suite: Suite) -> None:
    """The person or the log that reads it is told why."""
    with pytest.raises(AssertionError, match="reason"):
        await suite(SilentGuard).test_it_decides_on_any_text("hello")


@each_suite
async def test_an_answer_of_another_type_is_found(suite: Suite) -> None:
    """A boolean is not a decision."""
    with pytest.raises(AssertionError, match="returned True"):
        await suite(BooleanGuard).test_it_decides_on_any_text("hello")


@each_suite
async def test_an_exception_for_some_text_is_found(suite: Suite) -> None:
    """No text makes a guard raise."""
    with pytest.raises(UnicodeEncodeError):
        await suite(EncodingGuard).test_it_decides_on_any_text("a\ud800")


@each_suite
async def test_a_changed_request_is_found(suite: Suite) -> None:
    """The metadata is not the guard's."""
    with pytest.raises(AssertionError, match="metadata"):
        await suite(NotingGuard).test_it_leaves_the_request_alone()


@each_suite
async def test_a_swallowed_cancellation_is_found(suite: Suite) -> None:
    """A cancelled check must not return."""
    with pytest.raises(AssertionError, match="swallowed"):
        await suite(DeafGuard).test_a_cancelled_check_decides_nothing()


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


@each_suite
async def test_a_request_that_is_kept_is_found(suite: Suite) -> None:
    """The run's data stay behind."""
    with pytest.raises(AssertionError, match="keeps the request, or a part of it, in request"):
        await suite(KeepingGuard).test_it_keeps_no_request()


@each_suite
async def test_a_part_of_a_request_that_is_kept_is_found(suite: Suite) -> None:
    """In a slot, too."""
    with pytest.raises(AssertionError, match="in text"):
        await suite(QuotingGuard).test_it_keeps_no_request()


@each_mix
async def test_texts_of_runs_that_mix_are_found(suite: Suite, texts: str, mix: str) -> None:
    """A guard that overwrites the request decides on the text of another run."""
    assert not getattr(suite, texts)
    await getattr(suite(QuestionGuard), mix)()

    with pytest.raises(AssertionError, match="mix"):
        await getattr(suite(KeepingGuard), mix)()


@each_mix
async def test_texts_of_the_author_are_decided_on(suite: Suite, texts: str, mix: str) -> None:
    """A guard that decides differently on rare texts only is found with the author's help."""
    tests = suite(RareGuard)
    await getattr(tests, mix)()
    setattr(tests, texts, ["xyzzy"])

    with pytest.raises(AssertionError, match="mix"):
        await getattr(tests, mix)()


@each_suite
async def test_a_guard_that_blocks_the_loop_is_found(suite: Suite) -> None:
    """No other task runs while it waits."""
    with pytest.raises(AssertionError, match="blocks the event loop"):
        await suite(BlockingGuard).test_it_leaves_the_loop_to_others("hello")


@each_mix
async def test_a_decision_that_is_remembered_for_a_user_is_found(
    suite: Suite, texts: str, mix: str
) -> None:
    """The first question of a user does not decide about all that follow."""
    del texts

    with pytest.raises(AssertionError, match="depends on what its user asked before"):
        await getattr(suite(RememberingGuard), mix)()


@each_suite
@pytest.mark.parametrize("guard", [SlowGuard, HangingGuard, AddressGuard])
async def test_a_pattern_that_takes_more_than_linear_time_is_found(
    suite: Suite, guard: type[QuestionGuard]
) -> None:
    """Quadratic, exponential, and from each letter of a word."""
    with pytest.raises(AssertionError, match="again and again"):
        await suite(guard).test_its_time_grows_no_faster_than_the_text()


@each_suite
@pytest.mark.parametrize("guard", [HoardingGuard, BufferingGuard])
async def test_a_buffer_without_a_bound_is_found(suite: Suite, guard: type[QuestionGuard]) -> None:
    """On the guard or on its class; also one that is emptied at the end of a stream only."""
    BufferingGuard.buffers.clear()

    with pytest.raises(AssertionError, match="bytes of each call, without a bound"):
        await suite(guard).test_it_keeps_nothing_for_each_run()


@each_suite
async def test_a_guard_may_know_the_last_texts_again(suite: Suite) -> None:
    """A bound is enough."""
    await suite(LastOnesGuard).test_it_keeps_nothing_for_each_run()
