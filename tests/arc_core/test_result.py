"""Results and token usage."""

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import AgentErrorCode, AgentResult, RunFailedError, TokenUsage

usages = st.builds(TokenUsage, st.integers(min_value=0), st.integers(min_value=0))


@given(st.lists(usages))
def test_usages_of_many_calls_add_up(usages_of_calls: list[TokenUsage]) -> None:
    """The sum of usages has the sums of their parts, and nothing is counted twice."""
    total = sum(usages_of_calls, TokenUsage())

    assert total.prompt_tokens == sum(usage.prompt_tokens for usage in usages_of_calls)
    assert total.completion_tokens == sum(usage.completion_tokens for usage in usages_of_calls)
    assert total.total_tokens == sum(usage.total_tokens for usage in usages_of_calls)


def test_a_result_does_not_change() -> None:
    """A result may be handed to hooks and caller alike, because it cannot be changed."""
    with pytest.raises(FrozenInstanceError):
        AgentResult(success=True, content="3").content = "4"  # type: ignore[misc]


def test_results_share_no_metadata() -> None:
    """Two results without metadata have a mapping of their own each."""
    first, second = AgentResult(success=True), AgentResult(success=True)

    assert first.metadata == {}
    assert first.metadata is not second.metadata


def test_unwrap_gives_the_output() -> None:
    """The value of a structured answer, not its text."""
    assert AgentResult(success=True, content="3", output=3).unwrap() == 3


def test_unwrap_gives_a_text_without_an_output_type() -> None:
    """An answer that is not structured is its text."""
    assert AgentResult(success=True, content="three").unwrap() == "three"


def test_unwrap_raises_a_failure_with_its_result() -> None:
    """As `raise_for_status` does: the failure becomes an exception that has all of it."""
    failed = AgentResult(success=False, error_code=AgentErrorCode.TIMEOUT, run_id="7")

    with pytest.raises(RunFailedError, match="7 failed with TIMEOUT") as raised:
        failed.unwrap()

    assert raised.value.result is failed
