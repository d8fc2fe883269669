"""The position of a reader of a run: the `id:` of server-sent events.

An event of the run has its number, as `7`. One of a run below it, which has numbers of its own, has
its place behind the last event of the run, as `7.2`: the second such event after the event 7.
"""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from arc_core.events import AgentEvent
from arc_core.runs.run import RunHandle
from arc_core.serving.problems import Problem

__all__ = ["NumberedReading", "Position", "read_position"]

_POSITION = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,15}))?")


@dataclass(frozen=True, slots=True, order=True)
class Position:
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


class NumberedReading:
    """The events of a run after a position, each with its own.

    Args:
        run: The run.
        after: Where the reader is.
    """

    def __init__(self, run: RunHandle, after: Position) -> None:
        self._run, self._after = run, after

    @property
    def run_id(self) -> str:
        """The id of the run that is read; events of runs below it have others."""
        return self._run.run_id

    async def read(self) -> AsyncGenerator[tuple[Position, AgentEvent]]:
        """The events, in their order."""
        position, skipped = Position(self._after.seq), self._after.below
        async with aclosing(self._run.events(after=self._after.seq)) as events:
            async for event in events:
                if event.run_id == self.run_id:
                    position, skipped = Position(event.seq), 0
                else:
                    position = Position(position.seq, position.below + 1)
                if not skipped or position.below > skipped:
                    yield position, event
