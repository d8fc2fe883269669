"""Components of suites are started and closed, their names checked, and their reads noted."""

from collections.abc import Callable
from typing import Any

import pytest

from arc_core import Guard, GuardRequest, GuardResult, Hook, Rejected, RejectionCategory, ToolResult
from arc_core.interfaces.agent_metrics import AgentMetrics
from arc_core.interfaces.conversations.retriever import Retriever
from arc_core.interfaces.models.response_cache import ResponseCache
from arc_core.interfaces.models.token_estimator import TokenEstimator
from arc_core.interfaces.tools.tool_selector import ToolSelector
from arc_core.testing.conformance.components import check_names, running, watch


class Journal:
    """Remembers what happens to a component."""

    def __init__(self) -> None:
        self.entries: list[str] = []


class StartsAndCloses(Journal):
    """Has async lifecycle methods."""

    async def start(self) -> None:
        self.entries.append("start")

    async def aclose(self) -> None:
        self.entries.append("aclose")


class EntersAndLeaves(Journal):
    """Is an async context manager."""

    async def __aenter__(self) -> None:
        self.entries.append("enter")

    async def __aexit__(self, *exception: object) -> None:
        self.entries.append("exit")


@pytest.mark.parametrize(
    ("component", "expected"),
    [
        (StartsAndCloses(), ["start", "use", "aclose"]),
        (EntersAndLeaves(), ["enter", "use", "exit"]),
        (Journal(), ["use"]),
    ],
)
async def test_a_component_is_started_before_and_closed_after(
    component: Journal, expected: list[str]
) -> None:
    """Both ways of having a lifecycle work, and having none."""
    async with running(component) as usable:
        usable.entries.append("use")

    assert component.entries == expected


async def test_a_failed_test_closes_its_component() -> None:
    """Nothing is left open by an assertion."""
    component = StartsAndCloses()

    with pytest.raises(AssertionError):
        async with running(component):
            raise AssertionError

    assert component.entries == ["start", "aclose"]


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


def test_only_fields_that_are_read_are_noted() -> None:
    """The copy is as the value, and the value is not touched."""
    reads: set[str] = set()
    value = ToolResult("1", "find", "found")

    copy = watch(value, reads)

    assert isinstance(copy, ToolResult)
    assert reads == set()
    assert copy.content == "found"
    assert reads == {"ToolResult.content"}
