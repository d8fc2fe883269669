"""Events: the closed set of things a run tells its caller."""

from typing import get_args

from arc_core import events


def test_the_events_are_a_closed_set() -> None:
    """A caller who handles these has handled every event."""
    assert set(get_args(events.AgentEvent)) == {
        events.AgentStarted,
        events.AgentHandedOff,
        events.TextDelta,
        events.ReasoningDelta,
        events.ToolCallStarted,
        events.ToolCallProgress,
        events.ToolCallFinished,
        events.ContextCompacted,
        events.TurnRestarted,
        events.ApprovalRequested,
        events.AnswerRequested,
        events.LoginRequested,
        events.RunFinished,
    }


def test_events_are_told_apart_by_matching() -> None:
    """An event unpacks by position in a `match`."""
    event: events.AgentEvent = events.TextDelta("One")

    match event:
        case events.TextDelta(text):
            seen = text
        case _:
            seen = ""

    assert seen == "One"


def test_events_that_say_the_same_are_equal() -> None:
    """A test that expects a text need not know which run tells it."""
    assert events.TextDelta("One", "a-run", 7) == events.TextDelta("One")
    assert events.TextDelta("One") != events.TextDelta("Two")
