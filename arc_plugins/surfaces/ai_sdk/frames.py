"""The events of a run as a UI message stream."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from arc_core import RunFinished
from arc_core.runs.run import RunHandle
from arc_core.serving import NumberedReading, Position
from arc_plugins.surfaces.ai_sdk.events import AiSdkEventEncoder

__all__ = ["stream_frames"]

_DONE = "data: [DONE]\n\n"


async def stream_frames(run: RunHandle, *, after: Position) -> AsyncGenerator[bytes]:
    """Server-sent events, some for each event of the run.

    Args:
        run: Is read from its beginning, since what is told next depends on what was told.
        after: The last event that the client was told before, of the message that goes on.
    """
    encoder, is_told_before = AiSdkEventEncoder(run.run_id), after > Position()
    yield encoder.open().encode()
    async with aclosing(NumberedReading(run, Position()).read()) as events:
        async for position, event in events:
            is_end = isinstance(event, RunFinished) and event.run_id == run.run_id
            if is_told_before:
                if position <= after and not is_end:
                    encoder.tell(event, position)
                    continue
                is_told_before = False
                encoder.reopen()
            frame = encoder.tell(event, position)
            yield (frame + _DONE if is_end else frame).encode()
