"""Recordings as lines of a file."""

import json
from typing import Any

import pytest

from arc_core import AgentCommand, Recording
from arc_core.errors import FormError
from arc_core.recordings import read_recording, read_recordings, write_recording

RECORDING = Recording(
    run_id="r",
    command=AgentCommand(user_prompt="Where is it?", metadata={"a": [1, None]}),
    layout="arc-2",
    steps={"enter": '{"type":"step"}', "model/1": '{"text":"\\ud800"}'},
    parts={"ab": '"You are helpful."'},
    digest_key=b"key",
)


def changed(**values: Any) -> str:
    """A line with other values; None takes a key away."""
    found = {**json.loads(write_recording(RECORDING)), **values}
    return json.dumps({key: value for key, value in found.items() if value is not None})


def test_a_line_gives_back_what_was_written() -> None:
    """Steps in their order; on one line."""
    line = write_recording(RECORDING)

    assert "\n" not in line
    found = read_recording(line)
    assert found == RECORDING
    assert [*found.steps] == ["enter", "model/1"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (write_recording(RECORDING)[:-9], "it is not JSON, or is cut off"),
        ("[]", "$: it is not a recording of a run"),
        ('{"type": "agent_result"}', "$: it is not a recording of a run"),
        (changed(v=2), "$.v: its version is 2, and 1 is known"),
        (changed(layout="arc-9"), "$.layout: its layout is 'arc-9', and arc-1, arc-2 are known"),
        (changed(steps=None), "$: it has no key 'steps'; export the run again, with"),
        (changed(steps=[]), "$.steps: it is not an object"),
        (changed(run_id=7), "$.run_id: it is not a text"),
        (changed(digest_key="xy"), "$.digest_key: it is not made of hexadecimal figures"),
        (changed(command={"v": 1, "type": "agent_command"}), "$.command: "),
    ],
)
def test_a_line_that_is_something_else_is_refused(line: str, said: str) -> None:
    """The error names the place, and no text of the run."""
    with pytest.raises(FormError) as raised:
        read_recording(line)

    assert said in str(raised.value)
    assert "Where is it" not in str(raised.value)


def test_an_error_in_a_file_names_the_line() -> None:
    """Recordings before it have been read; empty lines are none."""
    lines = iter([write_recording(RECORDING), "\n", "{}"])
    found = read_recordings(lines, name="runs.jsonl")

    assert next(found) == RECORDING
    with pytest.raises(FormError, match=r"runs.jsonl, line 3, \$: it is not a recording"):
        next(found)


def test_a_file_is_read_a_line_at_a_time() -> None:
    """However long the lines are, those behind one are not read with it."""
    taken = []

    def lines() -> Any:
        for number in range(3):
            taken.append(number)
            yield write_recording(RECORDING)

    next(read_recordings(lines(), name="runs.jsonl"))

    assert taken == [0]
