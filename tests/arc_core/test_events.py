"""Events: the closed set of things a run tells its caller."""

from typing import get_args

from arc_core import (
    AgentEvent,
    ReasoningDelta,
    RunFinished,
    TextDelta,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
)


def test_the_events_are_a_closed_set() -> None:
    """A caller who handles these six has handled every event."""
    assert set(get_args(AgentEvent)) == {
        TextDelta,
        ReasoningDelta,
        ToolCallStarted,
        ToolCallProgress,
        ToolCallFinished,
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
