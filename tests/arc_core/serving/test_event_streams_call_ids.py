"""Ids of tool calls in a stream."""

from datetime import UTC, datetime
from hashlib import sha256

from arc_core import (
    ApprovalRequest,
    ApprovalRequested,
    ToolCall,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    ToolResult,
)
from arc_core.serving import ToolCallIds, make_call_id


def started(call_id: str, name: str = "pay", arguments: str = "{}") -> ToolCallStarted:
    return ToolCallStarted(ToolCall(call_id, name, arguments), "run", 1)


def finished(call_id: str, name: str = "pay") -> ToolCallFinished:
    return ToolCallFinished(ToolResult(call_id, name, "done"), 1.0, "run", 2)


def asked(key: str, arguments: str = "{}") -> ApprovalRequested:
    written = sha256(arguments.encode()).hexdigest()
    request = ApprovalRequest(
        run_id="run", key=key, tool="pay", since=datetime.now(UTC), arguments_hash=written
    )
    return ApprovalRequested(request, "run", 1)


def test_a_repeated_id_and_an_empty_one_become_ids_of_their_own() -> None:
    """The result and the progress of each call have the id of that call."""
    ids = ToolCallIds()

    begun = [ids.begin(started(*each)) for each in (("c", "a"), ("c", "b"), ("", "a"))]
    reported = ids.progress(ToolCallProgress("", "half", run_id="run"))
    ended = [ids.end(finished(*each)) for each in (("c", "b"), ("c", "a"), ("", "a"))]

    assert begun == [("c", False), ("c-2", False), ("call", False)]
    assert reported == "call"
    assert ended == ["c-2", "c", "call"]


def test_a_call_keeps_the_id_with_which_a_person_was_asked() -> None:
    """It is known by its arguments, since the request does not say the vendor's id."""
    ids, five, six = ToolCallIds(), asked("approve/0", "5"), asked("approve/1", "6")

    told = [ids.ask(five), ids.ask(six), ids.ask(five)]
    begun = [ids.begin(started("c", arguments=each)) for each in ("6", "5", "7")]

    assert told == ["run/approve/0", "run/approve/1", None]
    assert begun == [("run/approve/1", True), ("run/approve/0", True), ("c", False)]
    assert make_call_id(five.request) == "run/approve/0"


def test_a_call_that_begins_again_after_a_restart_is_the_same_call() -> None:
    """A run that lives on in another process tells it a second time."""
    ids = ToolCallIds()

    first = ids.begin(started("c"))
    again = ids.begin(started("c"))

    assert (first, again) == (("c", False), ("c", True))
    assert ids.end(finished("c")) == "c"


def test_calls_cost_the_same_however_many_have_begun() -> None:
    """A vendor that gives all of its calls one id cannot hold the event loop."""
    ids, number = ToolCallIds(), 10_000

    begun = [ids.begin(started("c", f"tool_{place}")) for place in range(number)]
    ended = [ids.end(finished("c", f"tool_{place}")) for place in reversed(range(number))]

    assert [call_id for call_id, _ in begun] == ended[::-1]
    assert ended[0] == f"c-{number}"
