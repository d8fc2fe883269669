"""A recording as a line of JSON, so that a file of many is read one after the other."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from arc_core.command import AgentCommand
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
