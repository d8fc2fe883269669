"""The suite for guards passes for good ones; what every kind must do is in `test_any_guard`."""

import pytest

from arc_core.testing.conformance.guards.guard import GuardConformance
from tests.arc_core.testing.conformance.guards.wrong_guards import (
    DownGuard,
    GuardSuite,
    QuestionGuard,
    TrustingGuard,
)
from tests.arc_core.testing.conformance.suites import make_good_suite

TestQuestionGuard = make_good_suite(GuardConformance, QuestionGuard, failing=DownGuard)


async def test_a_guard_that_does_not_look_at_files_is_found() -> None:
    """What is attached is read by the model as if it were typed."""
    with pytest.raises(AssertionError, match="lets a file say"):
        await GuardSuite(TrustingGuard).test_it_decides_on_a_file_as_on_the_same_words()
