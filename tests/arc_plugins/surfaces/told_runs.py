"""Runs whose events are written down in a test."""

import json
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from arc_core import AgentEvent, AgentResult
from arc_core.runs.run import RunHandle

__all__ = ["ToldRun", "chunks_in"]


class ToldRun(RunHandle):
    """Tells what it is given.

    Args:
        events: Those of the run have the id `run`.
    """

    def __init__(self, *events: AgentEvent) -> None:
        self._events = events

    @property
    def id(self) -> str:
        return "run"

    async def events(self, *, after: int | None = None) -> AsyncGenerator[AgentEvent]:
        """All of them."""
        assert not after
        for event in self._events:
            yield event

    async def result(self) -> AgentResult[Any]:
        """Nothing asks for it."""
        raise NotImplementedError


def chunks_in(frames: Sequence[bytes]) -> list[Any]:
    """What the server-sent events say, without the mark of their end."""
    data = b"".join(frames).decode().split("\n\n")
    told = [each.removeprefix("data: ") for each in data if each.startswith("data: ")]
    return [json.loads(each) for each in told if each != "[DONE]"]
