"""Ids of tool calls in the stream of a run.

Vendors leave the ids of calls out, or repeat them; protocols need one for each. A call that a
person is asked about is told before the model's id of it is known, and keeps the id it got then.
"""

from hashlib import sha256

from arc_core.approvals import ApprovalRequest
from arc_core.events import (
    ApprovalRequested,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
)
from arc_core.messages import ToolCall

__all__ = ["ToolCallIds", "make_call_id"]


def make_call_id(request: ApprovalRequest) -> str:
    """The id of a call that waits for a person."""
    return f"{request.run_id}/{request.key}"


class ToolCallIds:
    """Gives each call of a run, and of the runs below it, an id of its own.

    All events that have to do with calls are shown to it in their order, so that a reader that
    begins again gets the same ids.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._asked: dict[tuple[str, str, str], list[str]] = {}
        self._begun: dict[tuple[str, str], list[tuple[str, ToolCall]]] = {}

    def ask(self, event: ApprovalRequested) -> str | None:
        """The id of a call that a person is asked about; None if that was told before."""
        request, call_id = event.request, make_call_id(event.request)
        if call_id in self._taken:
            return None
        self._taken.add(call_id)
        key = event.run_id, request.tool, request.arguments_hash
        self._asked.setdefault(key, []).append(call_id)
        return call_id

    def begin(self, event: ToolCallStarted) -> tuple[str, bool]:
        """The id of a call that begins, and whether it was told before."""
        call = event.call
        begun = self._begun.setdefault((event.run_id, call.id), [])
        again = next((known for known, other in begun if call.id and other == call), None)
        if again is not None:  # in an earlier life of the run
            return again, True
        asked = self._asked_about(event.run_id, call)
        call_id = asked or self._make(call.id)
        begun.append((call_id, call))
        return call_id, asked is not None

    def progress(self, event: ToolCallProgress) -> str:
        """The id of a call that reports."""
        begun = self._begun.get((event.run_id, event.call_id))
        return begun[0][0] if begun else event.call_id

    def end(self, event: ToolCallFinished) -> str:
        """The id of a call that has ended."""
        result = event.result
        begun = self._begun.get((event.run_id, result.call_id), [])
        place = next((at for at, each in enumerate(begun) if each[1].name == result.name), None)
        return result.call_id if place is None else begun.pop(place)[0]

    def _asked_about(self, run_id: str, call: ToolCall) -> str | None:
        if not self._asked:
            return None
        written = sha256(call.arguments.encode("utf-8", "surrogatepass")).hexdigest()
        asked = self._asked.get((run_id, call.name, written))
        return asked.pop(0) if asked else None

    def _make(self, told: str) -> str:
        call_id, number = told or "call", 1
        while call_id in self._taken:
            number += 1
            call_id = f"{told or 'call'}-{number}"
        self._taken.add(call_id)
        return call_id
