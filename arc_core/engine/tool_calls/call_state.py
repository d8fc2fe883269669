"""One tool call of a turn on its way, what hooks and tools are told of it, and its record."""

import asyncio
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arc_core.engine.answers.schema_checks import peek_arguments
from arc_core.engine.journal.recorder import NEW_CALL, EarlierCall, Settled
from arc_core.engine.journal.records import HiddenPart, ToolStep
from arc_core.engine.run_limits import add_spent
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.events import AgentEvent, ToolCallProgress
from arc_core.interfaces.hook import ToolCallContext
from arc_core.interfaces.tools.tool import Tool
from arc_core.messages import ToolCall, ToolResult
from arc_core.runs.journal import Place, RunSuspended, join_suspensions
from arc_core.text.masking import mask_text
from arc_core.tools.use_tool import USE_TOOL, UseTool

_MAX_CHARS = 500
_MASKED_AHEAD_CHARS = 1000


class ToolProgress:
    """Reports for one call, until that has ended.

    A reader who does not keep up misses reports, since a tool must not wait for one and run into
    its time-out. A copy, deep or pickled, is None: it may outlive the run.

    Args:
        offer: Tells the reader of the run; False if there is no room.
    """

    __slots__ = ("_call_id", "_has_ended", "_offer")

    def __init__(self, offer: Callable[[AgentEvent], bool], call_id: str) -> None:
        self._offer, self._call_id = offer, call_id
        self._has_ended = False

    async def __call__(self, message: str, fraction: float | None) -> None:
        """Hand over a report, if there is room for it; secrets are masked, and 500 characters kept.

        Raises:
            TypeError: The message is not a text, or the fraction not a number.
        """
        report = ToolCallProgress(self._call_id, _mask(message), _bound(fraction))
        if self._has_ended or self._offer(report):
            return
        await asyncio.sleep(0)  # a reader who waits for events gets a chance to take some
        if not self._has_ended:
            self._offer(report)

    def end(self) -> None:
        """Refuse what comes later: the call has its result."""
        self._has_ended = True

    def __reduce__(self) -> tuple[object, ...]:
        return type(None), ()


def _mask(message: object) -> str:
    if not isinstance(message, str):
        raise TypeError(f"progress() takes a text, not {type(message).__name__}")
    text = message[: _MAX_CHARS + _MASKED_AHEAD_CHARS].encode(errors="replace").decode()
    text = mask_text(text)
    return text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS - 1]}…"


def _bound(fraction: object) -> float | None:
    if fraction is None:
        return None
    if isinstance(fraction, bool) or not isinstance(fraction, int | float):
        raise TypeError(f"fraction is a number from 0 to 1, not {type(fraction).__name__}")
    return None if math.isnan(fraction) else float(min(1, max(0, fraction)))


_SETTLED = Settled()


@dataclass(slots=True)
class CallState:
    """One call on its way.

    Attributes:
        shown: As everyone else may see it.
        index: Its place among all calls of the run.
        nearest: If there is none, the names that may have been meant.
        may_ask: Whether a person may have to be asked about it.
        found: Whether its tool is on offer; decides whether the name counts as used.
        speaks: Whether the result has words of the tool, and not of the engine alone.
        hidden: What of the result the model is not shown; None if it is shown whole.
        ended: Whether its hooks and the caller have been told of the result.
        passed_hooks: Whether no hook with `fail_on_error` failed after it.
        earlier: What earlier lives of the run have recorded of it.
        suspended: Why it is not made in this life of the run, if it is not.
        stopped: Why it ends the run in the place of having a result, if it does.
        has_begun: Whether its tool has said that its effect begins.
        notes: The texts that its tool has remembered; None until it has asked for them.
    """

    call: ToolCall
    shown: ToolCall
    index: int
    tool: Tool | None
    allowed: bool
    nearest: Sequence[str] = ()
    may_ask: bool = False
    found: bool = False
    speaks: bool = False
    duration_ms: float = 0.0
    result: ToolResult | None = None
    hidden: HiddenPart | None = None
    ended: bool = False
    passed_hooks: bool = True
    settled: Settled = _SETTLED
    place: Place | None = None
    earlier: EarlierCall = NEW_CALL
    suspended: RunSuspended | None = None
    stopped: RunStoppedError | None = None
    questions: int = 0
    logins: int = 0
    has_begun: bool = False
    notes: list[str] | None = None

    @property
    def attempt(self) -> int:
        """1, and one more each time that it is called again, since a person has answered."""
        is_interrupted = self.earlier.times_begun > 0 and self.settled.decision is None
        return self.earlier.last_begun if is_interrupted else self.earlier.attempts + 1

    @property
    def arguments(self) -> str:
        """The arguments of the call as JSON, as a person may have changed them."""
        changed = self.settled.arguments
        return self.call.arguments if changed is None else changed

    @property
    def shown_arguments(self) -> str:
        """The same as hooks see them."""
        changed = self.settled.arguments
        return self.shown.arguments if changed is None else changed


def hook_context(
    run: ActiveRun, call: CallState, *, arguments: Mapping[str, Any]
) -> ToolCallContext:
    """Return the context of a call for hooks and policies."""
    return ToolCallContext(
        agent_context=run.hook_context,
        tool_name=call.shown.name,
        arguments=arguments,
        call_index=call.index,
        call_id=call.call.id,
        decision=call.settled.decision,
    )


def end_turn(calls: Sequence[CallState]) -> tuple[ToolResult, ...]:
    """Return the results of calls that have all ended, or leave the run if one of them does.

    Raises:
        RunStoppedError: Of the first call that stops the run, or a hook after one has failed it.
        RunSuspended: Calls wait; it has the requests of all of them.
        asyncio.CancelledError: A tool was cancelled, which task groups ignore.
    """
    results, suspended, has_passed = list[ToolResult](), list[RunSuspended](), True
    for call in calls:
        if call.stopped is not None:
            raise call.stopped
        if call.suspended is not None:
            suspended.append(call.suspended)
        if call.ended and call.result is not None:
            results.append(call.result)
        has_passed = has_passed and call.passed_hooks
    if suspended:
        raise join_suspensions(suspended)
    if len(results) < len(calls):
        raise asyncio.CancelledError
    if not has_passed:
        raise RunStoppedError(AgentErrorCode.HOOK_REJECTED)
    return tuple(results)


def pack_call(run: ActiveRun, call: CallState, _: None) -> ToolStep:
    """Return the record of a call that has ended."""
    assert call.result is not None
    used: dict[str, Any] = {}
    if run.has_runs_below and (below := run.below.runs.pop(f"tool/{call.index}", None)):
        usages = [each.token_usage for each in below if each.token_usage is not None]
        costs = [each.cost for each in below if each.cost is not None]
        used = {
            "usage": sum(usages[1:], usages[0]) if usages else None,
            "cost": sum(costs[1:], costs[0]) if costs else None,
            "is_cost_known": all(each.is_cost_known for each in below),
            "model_calls": sum(each.model_calls_made for each in below),
            "tool_calls": sum(each.tool_calls_of_tree for each in below),
            "estimated_tokens": sum(each.estimated_tokens for each in below),
        }
    return ToolStep(
        result=call.result,
        duration_ms=call.duration_ms,
        found=call.found,
        passed_hooks=call.passed_hooks,
        repeatable=run.repeatable,
        hands_over_to=run.hands_over_to,
        hidden=call.hidden,
        **used,
    )


async def restore_call(run: ActiveRun, call: CallState, called: ToolStep) -> None:
    """Restore a call that an earlier life has made."""
    call.result, call.duration_ms, call.found = called.result, called.duration_ms, called.found
    call.passed_hooks, call.ended, call.hidden = called.passed_hooks, True, called.hidden
    run.repeatable = run.repeatable and called.repeatable
    if called.hands_over_to is not None:
        run.hands_over_to = called.hands_over_to
    for _ in range(called.model_calls):
        run.count_model_call()
    for _ in range(called.tool_calls):
        run.count_tool_call()
    add_spent(run, called)


_MAX_NAME_CHARS = 64


def take_named_call(state: CallState, search: UseTool) -> None:
    """Make of a call what a model means by it which may search for tools.

    It becomes that call before anything else looks at it, so that all that binds calls binds it,
    under that name. Only the message of the model, which its vendor gets again, keeps it as it was.
    A call of `use_tool` that names no tool stands for itself, and does not fit the parameters. One
    of any other name is that of a tool which the model has found, and calls as if it were offered.
    """
    meant = _read_call(state.call)
    if meant is None:
        state.tool = search
        return
    shown = meant if state.shown == state.call else _read_call(state.shown) or state.shown
    tool = search.tools.get(meant.name)
    if tool is None:
        state.nearest = search.find_nearest(meant.name)
    else:
        shown = replace(shown, name=tool.name)
    state.call, state.shown, state.tool = meant, shown, tool


def _read_call(call: ToolCall) -> ToolCall | None:
    """Return the call that one of `use_tool` describes; None if it names no tool.

    Arguments that a model has written as a text are taken for what the text says.
    """
    if call.name != USE_TOOL:
        return replace(call, name=_shorten(call.name))
    name = peek_arguments(call.arguments).get("name")
    if not isinstance(name, str):
        return None
    arguments = _get_members(call.arguments).get("arguments", "")
    if arguments.startswith('"'):
        arguments = json.loads(arguments)
    return ToolCall(call.id, _shorten(name), "" if arguments == "null" else arguments)


def _shorten(name: str) -> str:
    """Return a name as others may see it: none is longer, and all can be encoded."""
    text = name.encode(errors="replace").decode()
    return text if len(text) <= _MAX_NAME_CHARS else f"{text[: _MAX_NAME_CHARS - 1]}…"


def _get_members(text: str) -> dict[str, str]:
    """Return the JSON of each value of a JSON object as it is written there.

    What is written anew may be another text, and may be nested too deeply for it.
    """
    members: dict[str, str] = {}
    decoder, at = json.JSONDecoder(), text.index("{") + 1
    while (at := _skip_space(text, at)) < len(text) and text[at] != "}":
        key, at = decoder.raw_decode(text, at)
        begin = _skip_space(text, _skip_space(text, at) + 1)
        _, at = decoder.raw_decode(text, begin)
        members[key] = text[begin:at]
        at = _skip_space(text, at)
        at += text[at] == ","
    return members


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\n\r":
        at += 1
    return at
