"""Ids of tool calls in the stream of a run.

Vendors leave the ids of calls out, or repeat them; protocols need one for each. A call that a
person is asked about is told before the model's id of it is known, and keeps the id it got then.
"""

from collections import OrderedDict, defaultdict, deque
from hashlib import sha256

from arc_core.events import ApprovalRequested, ToolCallFinished, ToolCallProgress, ToolCallStarted
from arc_core.messages import ToolCall
from arc_core.requests import Request

_Key = tuple[str, ...]


def make_call_id(request: Request) -> str:
    """The id of a call that waits for a person."""
    return f"{request.run_id}/{request.key}"


class ToolCallIds:
    """Gives each call of a run, and of the runs below it, an id of its own.

    All events that have to do with calls are shown to it in their order, so that a reader that
    begins again gets the same ids.
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._asked: defaultdict[tuple[str, str, str], deque[str]] = defaultdict(deque)
        # Those that have begun: each call, the calls of an id, and of an id and a name.
        self._known: dict[tuple[str, ToolCall], str] = {}
        self._of_id: defaultdict[_Key, OrderedDict[str, ToolCall]] = defaultdict(OrderedDict)
        self._of_name: defaultdict[_Key, deque[str]] = defaultdict(deque)

    def ask(self, event: ApprovalRequested) -> str | None:
        """The id of a call that a person is asked about; None if that was told before."""
        request, call_id = event.request, make_call_id(event.request)
        if call_id in self._taken:
            return None
        self._taken.add(call_id)
        key = event.run_id, request.tool, request.arguments_hash
        self._asked[key].append(call_id)
        return call_id

    def begin(self, event: ToolCallStarted) -> tuple[str, bool]:
        """The id of a call that begins, and whether it was told before."""
        call = event.call
        again = self._known.get((event.run_id, call)) if call.id else None
        if again is not None:  # in an earlier life of the run
            return again, True
        asked = self._asked_about(event.run_id, call)
        call_id = asked or self._make(call.id)
        self._known[event.run_id, call] = call_id
        self._of_id[event.run_id, call.id][call_id] = call
        self._of_name[event.run_id, call.id, call.name].append(call_id)
        return call_id, asked is not None

    def progress(self, event: ToolCallProgress) -> str:
        """The id of a call that reports."""
        return next(iter(self._of_id[event.run_id, event.call_id]), event.call_id)

    def end(self, event: ToolCallFinished) -> str:
        """The id of a call that has ended."""
        result = event.result
        begun = self._of_name[event.run_id, result.call_id, result.name]
        if not begun:
            return result.call_id
        call_id = begun.popleft()
        call = self._of_id[event.run_id, result.call_id].pop(call_id)
        self._known.pop((event.run_id, call), None)
        return call_id

    def _asked_about(self, run_id: str, call: ToolCall) -> str | None:
        if not self._asked:
            return None
        written = sha256(call.arguments.encode("utf-8", "surrogatepass")).hexdigest()
        asked = self._asked.get((run_id, call.name, written))
        return asked.popleft() if asked else None

    def _make(self, told: str) -> str:
        call_id = name = told or "call"
        while call_id in self._taken:
            number = self._numbers[name] = self._numbers.get(name, 1) + 1
            call_id = f"{name}-{number}"
        self._taken.add(call_id)
        return call_id
