"""The events of a run for one reader: where it is, and frames in which one depends on others.

A position is the `id:` of server-sent events. An event of the run has its number, as `7`. One of a
run below it, which has numbers of its own, has its place behind the last event of the run, as
`7.2`: the second such event after the event 7.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any, NamedTuple

from arc_core.events import AgentEvent, RunFinished
from arc_core.runs.run import Run
from arc_core.serving.problems import Problem

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
