"""The records of runs as they may be shown: masked as exports are."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from hashlib import sha256

from arc_core.interfaces.serving.served_records import ServedRecord, ServedRecords, Timeline
from arc_core.recordings.export import RecordingExporter
from arc_core.recordings.lines import read_recording
from arc_core.recordings.timeline import format_step, make_timeline
from arc_core.runs.callers import Caller
from arc_core.runs.journal import Recording
from arc_core.runs.runs import Runs, UnmaskedRecord

_VERSION_DIGITS = 32


class MaskedRecords(ServedRecords):
    """Reads records, and has them masked when they are looked at."""

    def __init__(
        self, runs: Runs, make_exporter: Callable[[], Awaitable[RecordingExporter]]
    ) -> None:
        self._runs, self._make_exporter = runs, make_exporter

    async def find(self, run_id: str, *, caller: Caller | None = None) -> "MaskedRecord":
        """Return the record of a run; without a caller, of any."""
        runs = self._runs if caller is None else self._runs.for_caller(caller)
        return MaskedRecord(await runs.record(run_id), self._make_exporter)


class MaskedRecord(ServedRecord):
    """The record of one run.

    Attributes:
        version: A text that changes with each step.
        summary: Where the run is, without its result.
    """

    def __init__(
        self, found: UnmaskedRecord, make_exporter: Callable[[], Awaitable[RecordingExporter]]
    ) -> None:
        self._found, self._make_exporter = found, make_exporter
        self.version, self.summary = _make_version(found), replace(found.summary, result=None)

    async def timeline(self) -> Timeline:
        """Return the run as a timeline."""
        return make_timeline(await self._mask(), self._found.history)

    async def step(self, name: str) -> str | None:
        """Return a step whole, as JSON that people read; None if the run has no such step."""
        return format_step(await self._mask(), name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all steps, in the order of their ends."""
        return tuple(self._found.recording.steps)

    async def _mask(self) -> Recording:
        exporter = await self._make_exporter()
        return read_recording(await exporter.export(self._found.recording))


def _make_version(found: UnmaskedRecord) -> str:
    summary, history = found.summary, found.history
    known = (
        summary.state.value,
        [each.key for each in summary.requests],
        None if history is None else (history.attempts, history.deaths),
        [*found.recording.steps],
    )
    return sha256(json.dumps(known).encode()).hexdigest()[:_VERSION_DIGITS]
