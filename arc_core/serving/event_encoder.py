"""Encodes the events of a run for one reader, for protocols in which a frame depends on others."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

from arc_core.events import (
    AgentEvent,
    AgentHandedOff,
    AgentStarted,
    ApprovalRequested,
    ReasoningDelta,
    RunFinished,
    TextDelta,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    TurnRestarted,
)
from arc_core.runs.run import RunHandle
from arc_core.serving.positions import NumberedReading, Position

__all__ = ["EventEncoder"]


class EventEncoder(ABC):
    """Turns the events of a run into frames, all of them in their order.

    A run is read from its beginning, since each frame depends on those before it; a reader that
    resumes gets those after its position only.

    Args:
        run_id: Of the run.

    Attributes:
        position: Of the last event before the one that is encoded.
    """

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self.position = Position()
        self._methods: Mapping[type, Callable[[Any], str]] = {
            TextDelta: self._encode_piece,
            ReasoningDelta: self._encode_piece,
            AgentStarted: self._encode_agent,
            AgentHandedOff: self._encode_handoff,
            ApprovalRequested: self._encode_approval,
            ToolCallStarted: self._encode_call,
            ToolCallProgress: self._encode_progress,
            ToolCallFinished: self._encode_result,
            TurnRestarted: self._encode_restart,
            RunFinished: self._encode_end,
        }

    async def stream(self, run: RunHandle, *, after: Position) -> AsyncGenerator[bytes]:
        """Return server-sent events, some for each event of the run.

        Args:
            run: With the id of this encoder.
            after: The last event that the reader has got before.
        """
        is_resumed = after > Position()
        yield self.open(is_resumed=is_resumed).encode()
        async with aclosing(NumberedReading(run, Position()).read()) as events:
            async for position, event in events:
                opening = ""
                if is_resumed:
                    is_end = isinstance(event, RunFinished) and event.run_id == run.run_id
                    if position <= after and not is_end:
                        self.encode(event, position)
                        continue
                    is_resumed, opening = False, self.reopen()
                yield (opening + self.encode(event, position)).encode()

    def encode(self, event: AgentEvent, position: Position) -> str:
        """Return the frames of an event; may be empty."""
        frames = self._methods[type(event)](event)
        self.position = position
        return frames

    @abstractmethod
    def open(self, *, is_resumed: bool) -> str:
        """Return the first frames."""

    @abstractmethod
    def reopen(self) -> str:
        """Return the frames before the first event that a reader that resumes has not got yet."""

    @abstractmethod
    def _encode_piece(self, event: TextDelta | ReasoningDelta) -> str: ...

    @abstractmethod
    def _encode_agent(self, event: AgentStarted) -> str: ...

    @abstractmethod
    def _encode_handoff(self, event: AgentHandedOff) -> str: ...

    @abstractmethod
    def _encode_approval(self, event: ApprovalRequested) -> str: ...

    @abstractmethod
    def _encode_call(self, event: ToolCallStarted) -> str: ...

    @abstractmethod
    def _encode_progress(self, event: ToolCallProgress) -> str: ...

    @abstractmethod
    def _encode_result(self, event: ToolCallFinished) -> str: ...

    @abstractmethod
    def _encode_restart(self, event: TurnRestarted) -> str: ...

    @abstractmethod
    def _encode_end(self, event: RunFinished) -> str: ...
