"""Commands from the requests of AG-UI clients."""

import sys
from types import FrameType

import pytest

pytest.importorskip("ag_ui", reason="needs the extra ag-ui")

from ag_ui import core

from arc_plugins.surfaces.ag_ui.requests import command_in


def _count_calls(text: str) -> int:
    message = {"id": "m", "role": "user", "content": text}
    told = {"threadId": "t", "runId": "r", "messages": [message], "tools": [], "context": []}
    asked = core.RunAgentInput.model_validate({**told, "state": None, "forwardedProps": None})
    events: list[str] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        events.append(event)

    sys.setprofile(note)
    try:
        command_in(asked, agent=None)
    finally:
        sys.setprofile(None)
    return len(events)


def test_a_long_text_is_not_read_letter_by_letter() -> None:
    """The loop, which has other runs to serve, would stand still meanwhile."""
    assert _count_calls("x" * 10_000) == _count_calls("x" * 10)
