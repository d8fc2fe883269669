"""Recordings of runs, as lines of a file that is replayed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from arc_core.errors import FormError
from arc_core.recordings import (
    format_step,
    make_timeline,
    read_recording,
    read_recordings,
    write_recording,
)
from benchmarks.fuzzing.target import FaultError, Target, check_text
from benchmarks.recorded_shop import KINDS, Work, make_parts, open_shop, record


@asynccontextmanager
async def open_target() -> AsyncIterator[Target]:
    """Replays of a shop, in which nothing may be done."""
    recordings = await record(KINDS, make_parts(Work()))
    work = Work()
    app = open_shop(make_parts(work))
    app.build()

    async def attempt(kind: str, data: bytes) -> bool:
        try:
            text = data.decode(errors="surrogatepass")
        except UnicodeDecodeError:
            return False
        if not text.strip():
            return False
        try:
            recording = next(read_recordings([f"{text} ".replace("\n", " ")], name="runs.jsonl"))
            make_timeline(recording)
            for name in recording.steps:
                format_step(recording, name)
            async for _ in app.replay([recording]):
                pass
        except FormError as error:
            check_text(str(error))
            return False
        if work.done:
            raise FaultError(f"a replay has done something: {work.done}")
        if read_recording(write_recording(recording)) != recording:
            raise FaultError("a recording that was read is written as something else")
        return True

    samples = [("line", write_recording(each).encode()) for each in recordings]
    yield Target(samples=samples, attempt=attempt)
