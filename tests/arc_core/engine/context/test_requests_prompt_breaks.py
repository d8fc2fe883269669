"""What is said of a session's requests that do not begin alike."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from arc_core import AssistantMessage, ChatRequest, Message, SystemMessage, UserMessage, tool
from arc_core.engine.context.requests import PromptBreaks


@tool
def look() -> str:
    """Looks."""
    return "seen"


ONE: tuple[Message, ...] = (UserMessage("one"), AssistantMessage("1"))
TWO: tuple[Message, ...] = (UserMessage("two"), AssistantMessage("2"))
BEFORE = ChatRequest(
    messages=(*ONE, UserMessage("[Retrieved Context]\nFacts.\n\n[Question]\ntwo")),
    system_prompt="Be brief.",
    tools=(look,),
    cache_key="s",
)
NEXT = replace(BEFORE, messages=(*ONE, *TWO, UserMessage("three")))


def broken_by(*requests: ChatRequest, caplog: pytest.LogCaptureFixture) -> Sequence[Any]:
    """The causes that the debug lines name."""
    caplog.set_level(logging.DEBUG, "arc")
    breaks = PromptBreaks()
    for request in requests:
        breaks.report(request)
    return [getattr(record, "broken_by", None) for record in caplog.records]


def test_a_session_that_goes_on_breaks_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """The documents of the question before are not missed."""
    assert broken_by(BEFORE, NEXT, caplog=caplog) == []


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"system_prompt": "Be long."}, "system prompt"),
        ({"tools": ()}, "tools"),
        ({"tool_choice": "none"}, "tool choice"),
        ({"model": "other"}, "model"),
        ({"messages": (*TWO, UserMessage("three"))}, "history cut"),
        ({"messages": (SystemMessage("notes"), *TWO, UserMessage("three"))}, "history cut"),
        ({"messages": (ONE[0], *TWO, UserMessage("three"))}, "history changed"),
    ],
)
def test_what_breaks_a_beginning_is_named(
    changes: dict[str, Any], cause: str, caplog: pytest.LogCaptureFixture
) -> None:
    """One line for a request, with all causes."""
    assert broken_by(BEFORE, replace(NEXT, **changes), caplog=caplog) == [[cause]]


def test_sessions_are_compared_apart(caplog: pytest.LogCaptureFixture) -> None:
    """A request of another session, or of none, says nothing."""
    others = [replace(NEXT, cache_key=key, system_prompt="Other.") for key in ("t", None, None)]

    assert broken_by(BEFORE, *others, NEXT, caplog=caplog) == []


def test_nothing_is_remembered_unless_it_is_said(caplog: pytest.LogCaptureFixture) -> None:
    """Above DEBUG requests are let go."""
    caplog.set_level(logging.INFO, "arc")
    breaks = PromptBreaks()

    breaks.report(BEFORE)

    assert breaks._sent.get("s") is None
