"""Events: the closed set of things a run tells its caller."""

from typing import get_args

from arc_core import (
    AgentEvent,
    AgentHandedOff,
    AgentStarted,
    ApprovalRequested,
    ReasoningDelta,
    RunFinished,
    TextDelta,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    TurnRestarted,
)


def test_the_events_are_a_closed_set() -> None:
    """A caller who handles these has handled every event."""
    assert set(get_args(AgentEvent)) == {
        AgentStarted,
        AgentHandedOff,
        TextDelta,
        ReasoningDelta,
        ToolCallStarted,
        ToolCallProgress,
        ToolCallFinished,
        TurnRestarted,
        ApprovalRequested,
        RunFinished,
    }


def test_events_are_told_apart_by_matching() -> None:
    """An event unpacks by position in a `match`."""
    event: AgentEvent = TextDelta("One")

    match event:
        case TextDelta(text):
            seen = text
        case _:
            seen = ""

    assert seen == "One"


def test_events_that_say_the_same_are_equal() -> None:
    """A test that expects a text need not know which run tells it."""
    assert TextDelta("One", "a-run", 7) == TextDelta("One")
    assert TextDelta("One") != TextDelta("Two")
