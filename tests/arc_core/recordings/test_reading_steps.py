"""The steps of a recording as values."""

import pytest

from arc_core import AgentCommand, Recording
from arc_core.errors import FormError
from arc_core.recordings import StepKey, read_steps


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("enter", StepKey("", "enter")),
        ("model/12", StepKey("", "model", 12)),
        ("approve/3/2", StepKey("", "approve", 3, 2)),
        ("ask/3/1", StepKey("", "ask", 3, 1)),
        ("login/3/2", StepKey("", "login", 3, 2)),
        ("login/start/2", StepKey("", "login", -1, 2)),
        ("tool/3/login/start/1", StepKey("tool/3/", "login", -1, 1)),
        ("admit", StepKey("", "admit")),
        ("tool/7/approve/3/2", StepKey("tool/7/", "approve", 3, 2)),
        ("tool/3/note/1", StepKey("tool/3/", "note", 1)),
        ("tool/3/begun/2", StepKey("tool/3/", "begun", 2)),
        ("tool/3/tool/0", StepKey("tool/3/", "tool", 0)),
        ("below/enter/ab-1/finish", StepKey("below/enter/ab-1/", "finish")),
        ("wrapped", None),
        ("", None),
        (f"model/{'1' * 5_000}", None),
    ],
)
def test_a_key_is_taken_apart(text: str, key: StepKey | None) -> None:
    """Into the place of its run, what it is, and its number."""
    assert StepKey.parse(text) == key


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("enter", "{", "$.steps['enter']: it is not JSON"),
        ("tool/0", '{"type":"step","value":{"type":"asked"}}', "$.steps['tool/0'].value: "),
        ("leave", "{}", "$.steps['leave']: no version of Arc has a step of this name"),
    ],
)
def test_an_edited_step_is_named(name: str, text: str, said: str) -> None:
    """With the place in it."""
    command = AgentCommand(user_prompt="Hi")
    recording = Recording(run_id="r", command=command, layout="arc-2", steps={name: text})

    with pytest.raises(FormError) as raised:
        list(read_steps(recording))

    assert said in str(raised.value)
