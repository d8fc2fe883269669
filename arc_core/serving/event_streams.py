"""The events of a run for one reader: where it is, and frames in which one depends on others.

A position is the `id:` of server-sent events. An event of the run has its number, as `7`. One of a
run below it, which has numbers of its own, has its place behind the last event of the run, as
`7.2`: the second such event after the event 7.
"""

import re
from abc import ABC, abstractmethod
from collections import OrderedDict, defaultdict, deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from hashlib import sha256
from typing import Any, NamedTuple

from arc_core.events import (
    AgentEvent,
    ApprovalRequested,
    RunFinished,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
)
from arc_core.messages import ToolCall
from arc_core.requests import Request
from arc_core.runs.run import Run
from arc_core.serving.problems import Problem

_Key = tuple[str, ...]

_POSITION = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,15}))?")


class Position(NamedTuple):  # one for each event: a dataclass takes twice as long
    """The last event that a reader has.

    Attributes:
        seq: Of the run; 0 has none.
        below: How many events of runs below it came after that.
    """

    seq: int = 0
    below: int = 0

    def __str__(self) -> str:
        return f"{self.seq}.{self.below}" if self.below else f"{self.seq}"


def read_position(text: str | None, *, name: str = "Last-Event-ID") -> Position:
    """Read a position; None and an empty text are the beginning.

    Args:
        text: As `7` or `7.2`.
        name: Of the header or parameter that says it.

    Raises:
        Problem: It is not a position (400).
    """
    if not text:
        return Position()
    found = _POSITION.fullmatch(text.strip())
    if found is None:
        message = f"{name} is not the id of an event of this run; send one that was received."
        raise Problem(400, "invalid_position", message, param=name)
    return Position(int(found[1]), int(found[2] or 0))


async def number_events(
    run: Run[Any], *, after: Position
) -> AsyncGenerator[tuple[Position, AgentEvent]]:
    """The events of a run after a position, also those of runs below it, each with its own."""
    run_id, position, skipped = run.id, Position(after.seq), after.below
    async with aclosing(run.events(after=after.seq)) as events:
        async for event in events:
            if event.run_id == run_id:
                position, skipped = Position(event.seq), 0
            else:
                position = Position(position.seq, position.below + 1)
            if not skipped or position.below > skipped:
                yield position, event


class EventEncoder(ABC):
    """Turns the events of a run into frames, all of them in their order.

    A run is read from its beginning, since each frame depends on those before it; a reader that
    resumes gets those after its position only.

    Args:
        run_id: Of the run.
        encoders: For each class of events what encodes one.

    Attributes:
        position: Of the last event before the one that is encoded.
    """

    def __init__(self, run_id: str, encoders: Mapping[type, Callable[[Any], str]]) -> None:
        self._run_id, self._encoders = run_id, encoders
        self.position = Position()

    async def stream(self, run: Run[Any], *, after: Position) -> AsyncGenerator[bytes]:
        """Return server-sent events, some for each event of the run.

        Args:
            run: With the id of this encoder.
            after: The last event that the reader has got before.
        """
        is_resumed = after > Position()
        yield self.open(is_resumed=is_resumed).encode()
        async with aclosing(number_events(run, after=Position())) as events:
            async for position, event in events:
                opening = ""
                if is_resumed:
                    is_end = isinstance(event, RunFinished) and event.run_id == run.id
                    if position <= after and not is_end:
                        self.encode(event, position)
                        continue
                    is_resumed, opening = False, self.reopen()
                yield (opening + self.encode(event, position)).encode()

    def encode(self, event: AgentEvent, position: Position) -> str:
        """Return the frames of an event; may be empty."""
        frames = self._encoders[type(event)](event)
        self.position = position
        return frames

    @abstractmethod
    def open(self, *, is_resumed: bool) -> str:
        """Return the first frames."""

    @abstractmethod
    def reopen(self) -> str:
        """Return the frames before the first event that a reader that resumes has not got yet."""


def make_call_id(request: Request) -> str:
    """The id of a call that waits for a person."""
    return f"{request.run_id}/{request.key}"


class ToolCallIds:
    """Gives each call of a run, and of the runs below it, an id of its own.

    Vendors leave the ids of calls out, or repeat them; protocols need one for each. A call that a
    person is asked about is told before the model's id of it is known, and keeps the id it got.

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
