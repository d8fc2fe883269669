"""The events of a run as those of AG-UI, server-sent."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from ag_ui.core import RunAgentInput

from arc_core import RunFinished
from arc_core.runs.run import RunHandle
from arc_core.serving import NumberedReading, Position
from arc_plugins.surfaces.ag_ui.events import AgUiEventEncoder

__all__ = ["stream_frames"]


async def stream_frames(
    run: RunHandle, asked: RunAgentInput, *, after: Position
) -> AsyncGenerator[bytes]:
    """Server-sent events, some for each event of the run.

    Args:
        run: Is read from its beginning, since what is told next depends on what was told.
        asked: What the client has asked.
        after: The last event that it was told before, in another run of the protocol.
    """
    encoder = AgUiEventEncoder(run.run_id, thread_id=asked.thread_id, told_run_id=asked.run_id)
    is_told_before = after > Position()
    yield (encoder.open() + ("" if is_told_before else encoder.clear(asked.messages))).encode()
    async with aclosing(NumberedReading(run, Position()).read()) as events:
        async for position, event in events:
            opening = ""
            if is_told_before:
                is_end = isinstance(event, RunFinished) and event.run_id == run.run_id
                if position <= after and not is_end:
                    encoder.tell(event, position)
                    continue
                is_told_before = False
                opening = encoder.clear(asked.messages) + encoder.reopen()
            yield (opening + encoder.tell(event, position)).encode()
