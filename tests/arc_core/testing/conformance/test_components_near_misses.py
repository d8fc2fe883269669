"""Misspelt methods are found, in every suite."""

from collections.abc import Callable
from typing import Any

import pytest

from arc_core import Guard, GuardRequest, GuardResult, Hook, Rejected, RejectionCategory
from arc_core.interfaces.agent_metrics import AgentMetrics
from arc_core.interfaces.conversations.retriever import Retriever
from arc_core.interfaces.models.response_cache import ResponseCache
from arc_core.interfaces.models.token_estimator import TokenEstimator
from arc_core.interfaces.tools.tool_selector import ToolSelector
from arc_core.testing.conformance.components import check_names


def component_with(name: str) -> object:
    """A component that inherits from nothing, so Python does not ask for the method that lacks."""
    return type("Odd", (), {name: lambda self: None})()


@pytest.mark.parametrize(
    ("interface", "name", "meant"),
    [
        (Guard, "chek", "check"),
        (Guard, "checks", "check"),
        (Hook, "before_toolcall", "before_tool_call"),
        (Hook, "after_agent_completed", "after_agent_complete"),
        (ResponseCache, "invalidateall", "invalidate_all"),
        (Retriever, "retreive", "retrieve"),
        (TokenEstimator, "estimates", "estimate"),
        (ToolSelector, "selects", "select"),
        (AgentMetrics, "record_runs", "record_run"),
    ],
)
def test_a_misspelt_method_is_found(interface: type, name: str, meant: str) -> None:
    """With the name that was meant, since nothing would ever call it."""
    with pytest.raises(AssertionError, match=f"{name} is never called.* is {meant}$"):
        check_names(component_with(name), interface)


@pytest.mark.parametrize(
    ("interface", "name"),
    [(Guard, "start"), (Guard, "aclose"), (Guard, "_chek"), (Hook, "report"), (Retriever, "add")],
)
def test_methods_of_the_component_are_its_own_business(interface: type, name: str) -> None:
    """As long as they are not nearly one of the interface's."""
    check_names(component_with(name), interface)


def test_a_similar_name_beside_the_right_one_is_fine() -> None:
    """The method that was meant is there."""

    class CheckingGuard(Guard):
        async def check(self, request: GuardRequest) -> GuardResult:
            return self.check_text(request.text)

        def check_text(self, text: str) -> GuardResult:
            return Rejected(text, RejectionCategory.OFF_TOPIC)

        checks: Callable[..., Any] = check_text

    check_names(CheckingGuard(), Guard)
