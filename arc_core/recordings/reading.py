"""Recordings as lines of JSON, so that a file of many is read one after the other, and their steps.

A step is a value with what its key says.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from arc_core.command import AgentCommand
from arc_core.engine.journal.recorder import START
from arc_core.engine.journal.records import Record
from arc_core.engine.journal.step_forms import STEP_FORMS
from arc_core.errors import FormError
from arc_core.forms import from_json, to_json
from arc_core.forms.json_text import dump, load, name_place, name_place_within
from arc_core.runs.journal import LAYOUTS, Recording

T = TypeVar("T")

VERSION = 1
"""The version of the line, in `v`; that of what the steps hold is the layout."""

_TYPE = "recording"
_KEYS = {"v", "type", "run_id", "layout", "digest_key", "command", "steps", "parts"}
_AGAIN = "export the run again, with arc runs export"


def write_recording(recording: Recording) -> str:
    """Return a recording as one line, without its end."""
    return dump({
        "v": VERSION,
        "type": _TYPE,
        "run_id": recording.run_id,
        "layout": recording.layout,
        "digest_key": recording.digest_key.hex(),
        "command": json.loads(to_json(recording.command)),
        "steps": {key: json.loads(text) for key, text in recording.steps.items()},
        "parts": {digest: json.loads(text) for digest, text in recording.parts.items()},
    })  # fmt: skip


def read_recording(line: str) -> Recording:
    """Return the recording of a line; `read_steps` reads what its steps hold.

    Raises:
        FormError: It is cut off, edited to something else, or of a layout or a version that this
            version of Arc does not know.
    """
    with name_place():
        found = load(line)
    if type(found) is not dict or found.get("type") != _TYPE:
        raise FormError("it is not a recording of a run", place="$", remedy=_AGAIN)
    _check_version(found)
    if missing := _KEYS - found.keys():
        raise FormError(f"it has no key {min(missing)!r}", place="$", remedy=_AGAIN)
    run_id = _take(found, "run_id", str)
    with name_place_within("$.command"):
        command = from_json(dump(found["command"]), AgentCommand)
    return Recording(
        run_id=run_id,
        command=command,
        layout=_take(found, "layout", str),
        steps=_dump_each(found, "steps"),
        parts=_dump_each(found, "parts"),
        digest_key=_read_key(_take(found, "digest_key", str)),
    )


def read_recordings(lines: Iterable[str], *, name: str) -> Iterator[Recording]:
    """Yield the recordings of a file, one line in memory at a time; empty lines are left out.

    Raises:
        FormError: As `read_recording`; names the file and the line.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        with name_place_within(f"{name}, line {number}, $"):
            recording = read_recording(line)
        yield recording


def _check_version(found: Mapping[str, Any]) -> None:
    version, layout = found.get("v"), found.get("layout")
    if version != VERSION:
        problem = f"its version is {version!r}, and {VERSION} is known"
    elif layout not in LAYOUTS:
        problem = f"its layout is {layout!r}, and {', '.join(LAYOUTS)} are known"
    else:
        return
    place = "$.v" if version != VERSION else "$.layout"
    raise FormError(problem, place=place, remedy="read it with the version of Arc that wrote it")


def _take(found: Mapping[str, Any], key: str, cls: type[T]) -> T:
    value = found[key]
    if not isinstance(value, cls):
        kind = "a text" if cls is str else "an object"
        raise FormError(f"it is not {kind}", place=f"$.{key}", remedy=_AGAIN)
    return value


def _dump_each(found: Mapping[str, Any], key: str) -> dict[str, str]:
    return {name: dump(value) for name, value in _take(found, key, dict).items()}


def _read_key(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        problem = "it is not made of hexadecimal figures"
        raise FormError(problem, place="$.digest_key", remedy=_AGAIN) from None


ASKING_KINDS = frozenset({"approve", "ask", "login"})
"""The kinds of steps in which a person is asked about a tool call, whose number they have."""

_MAX_KEY_CHARS = 1_000
"""Of a key, which has few levels, and numbers of few figures."""


@dataclass(frozen=True, slots=True)
class StepKey:
    """The key of a step, taken apart.

    Attributes:
        place: Of a run that another one has started, as `tool/3/`; empty for the run itself. That
            of `begun`, `asked` and `note` is the call which they belong to.
        kind: What `STEP_FORMS` calls it.
        number: Among those of its kind in its run; 0 if there is only one, and -1 of what asks a
            person about no call.
        time: Of what asks a person about the call of this number: which question it is, from 1.
    """

    place: str
    kind: str
    number: int = 0
    time: int = 1

    @classmethod
    def parse(cls, text: str) -> "StepKey | None":
        """Return the key of a text; None if no version of Arc writes such a one."""
        if len(text) > _MAX_KEY_CHARS:
            return None
        *rest, last = text.split("/")
        number, time = 0, 1
        if rest[-2:-1] and rest[-2] in ASKING_KINDS and last.isdecimal():
            if rest[-1] == START:
                return cls(_join(rest[:-2]), rest[-2], -1, int(last))
            if rest[-1].isdecimal():
                last, time = rest.pop(), int(last)
        if rest and last.isdecimal():
            last, number = rest.pop(), int(last)
        if last not in STEP_FORMS:
            return None
        return cls(_join(rest), last, number, time)


def _join(places: Iterable[str]) -> str:
    return "".join(f"{each}/" for each in places)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a run.

    Attributes:
        name: Its key, as it stands in the record.
        key: The same, taken apart.
        record: What it gave, and when.
    """

    name: str
    key: StepKey
    record: Record[Any]

    @property
    def value(self) -> Any:
        """The value that it gave: an `EntryStep`, a `ModelStep` and so on, or a `StopStep`."""
        return self.record.value


def read_steps(recording: Recording) -> Iterator[Step]:
    """Yield the steps of a recording in the order of their ends.

    Raises:
        FormError: A step is not one that Arc has written, or was edited; names it.
    """
    for name, text in recording.steps.items():
        key = StepKey.parse(name)
        if key is None:
            raise FormError(
                "no version of Arc has a step of this name",
                place=f"$.steps[{name!r}]",
                remedy="export the run again",
            )
        with name_place_within(f"$.steps[{name!r}]"):
            record = STEP_FORMS[key.kind].read(text)
        yield Step(name, key, record)
