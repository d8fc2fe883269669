"""The recorded vendor streams, responses and errors, read where they lie."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(
    os.environ.get("ARC_RECORDED_STREAMS") or Path(__file__).parents[3] / "shared" / "streams"
)
ABSENT = f"no recorded streams in {ROOT}; set ARC_RECORDED_STREAMS to their folder"


@dataclass(frozen=True)
class Recording:
    """A recorded body, and what the index says about it."""

    file: str
    facts: Mapping[str, Any]

    @property
    def body(self) -> bytes:
        """The bytes of a stream or response."""
        return (ROOT / self.file).read_bytes()

    @property
    def is_chat(self) -> bool:
        """Whether it speaks OpenAI's API; else it speaks Anthropic's."""
        return bool(self.facts["api"] == "chat")

    def __str__(self) -> str:
        return self.file


def _entries(index: str) -> Iterator[Mapping[str, Any]]:
    path = ROOT / index
    if path.exists():
        yield from json.loads(path.read_text(encoding="utf-8"))


def parameters_of(recordings: Sequence[Recording]) -> list[Any]:
    """Recordings, as parameters of a test, which is skipped if there are none."""
    if recordings:
        return [pytest.param(recording, id=str(recording)) for recording in recordings]
    return [pytest.param(None, marks=pytest.mark.skip(reason=ABSENT), id="absent")]


STREAMS = [Recording(entry["file"], entry) for entry in _entries("index.json")]
RESPONSES = [Recording(entry["file"], entry) for entry in _entries("nonstream/index.json")]
ERRORS = [Recording(entry["file"], entry) for entry in _entries("errors/index.json")]

RESPONSE_STREAMS = [Recording(entry["file"], entry) for entry in _entries("responses/index.json")]

GEMINI = [
    Recording(entry["file"], entry)
    for name in ("gemini", "vertex")
    for entry in _entries(f"{name}/index.json")
    if entry["api"] == "gemini"
]

EVERY_STREAM = parameters_of(STREAMS)
EVERY_RESPONSE_STREAM = parameters_of(RESPONSE_STREAMS)
EVERY_RESPONSE = parameters_of(RESPONSES)
EVERY_ERROR = parameters_of(ERRORS)


def every_stream(predicate: Callable[[Recording], bool]) -> list[Any]:
    """The streams of one kind, as parameters of a test."""
    return parameters_of([recording for recording in STREAMS if predicate(recording)])


def recorded(file: str, among: Iterable[Recording] = STREAMS) -> Recording:
    """One recording by the end of its name; skips the test if there is none."""
    for recording in among:
        if recording.file.endswith(file):
            return recording
    pytest.skip(ABSENT)
