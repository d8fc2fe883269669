"""The suite for tool result guards; what every kind of guard must do is in `test_any_guard`."""

from typing import Any

import pytest

from arc_core import Allowed, GuardResult
from arc_core.testing.conformance.guards.tool_result_guard import ToolResultGuardConformance
from tests.arc_core.testing.conformance.guards.wrong_guards import (
    DownGuard,
    QuestionGuard,
    ToolResultGuardSuite,
)
from tests.arc_core.testing.conformance.suites import make_good_suite

TestQuestionGuard = make_good_suite(ToolResultGuardConformance, QuestionGuard, failing=DownGuard)


class TakingGuard(QuestionGuard):
    """Takes an argument out of the call."""

    async def check(self, request: Any) -> GuardResult:
        request.arguments.pop("city")
        return Allowed()


class TellingGuard(QuestionGuard):
    """Fails for tools of the application's own."""

    async def check(self, request: Any) -> GuardResult:
        assert request.source == "mcp:shop"
        return Allowed()


async def test_changed_arguments_are_found() -> None:
    """The arguments of the call are not the guard's."""
    with pytest.raises(AssertionError, match="arguments"):
        await ToolResultGuardSuite(TakingGuard).test_it_leaves_the_request_alone()


async def test_the_author_says_whose_results_are_checked() -> None:
    """Those of an MCP server, or of the application's own tools."""
    suite = ToolResultGuardSuite(TellingGuard)
    await suite.test_it_decides_on_any_text("hello")
    suite.source = None

    with pytest.raises(AssertionError):
        await suite.test_it_decides_on_any_text("hello")
