"""Recordings of runs outside of their store: lines of a file, masked, with digests of its own."""

from arc_core.interfaces.serving.served_records import Timeline, TimelineStep
from arc_core.recordings.export import RecordingExporter
from arc_core.recordings.masking import RecordingMasks
from arc_core.recordings.reading import (
    Step,
    StepKey,
    read_recording,
    read_recordings,
    read_steps,
    write_recording,
)
from arc_core.recordings.timeline import MaskedRecord, MaskedRecords, format_step, make_timeline

__all__ = [
    "MaskedRecord",
    "MaskedRecords",
    "RecordingExporter",
    "RecordingMasks",
    "Step",
    "StepKey",
    "Timeline",
    "TimelineStep",
    "format_step",
    "make_timeline",
    "read_recording",
    "read_recordings",
    "read_steps",
    "write_recording",
]
