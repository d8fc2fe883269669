"""`arc runs show --steps` and `--step`."""

import json
from pathlib import Path

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from tests.arc_autoconfig.cli.invoking import invoke

pytestmark = pytest.mark.slow

MAIL = "ann@example.com"


@pytest.fixture
def run_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a run that is kept, and has called a tool."""
    monkeypatch.setenv("ARC_DURABLE__ENABLED", "true")
    monkeypatch.setenv("ARC_DURABLE__URL", f"sqlite:///{tmp_path / 'runs.db'}")
    invoke("run", f"I am {MAIL}. What is 12 * 12?")
    return str(json.loads(invoke("runs", "list", "--json").stdout)[0]["run_id"])


def test_each_step_is_a_line(run_id: str) -> None:
    """With its turn, what it is about and how it ended, and the sum at the end."""
    lines = invoke("runs", "show", run_id, "--steps").stdout.splitlines()
    cells = [line.split() for line in lines if line.split()]

    assert [each[0] for each in cells[2:]] == [
        *("enter", "model/1", "tool/0", "model/2", "finish", "together")
    ]
    [tool] = [each for each in cells if each[0] == "tool/0"]
    assert (tool[1], tool[2], tool[-1]) == ("1", "calculate", "success")


def test_texts_are_masked_as_in_an_export(run_id: str) -> None:
    """In the form for programs, and in a step as a whole."""
    steps = json.loads(invoke("runs", "show", run_id, "--steps", "--json").stdout)
    whole = invoke("runs", "show", run_id, "--step", "enter").stdout

    assert steps["prompt"] == "I am [email]. What is 12 * 12?"
    assert [each["name"] for each in steps["steps"]][:2] == ["enter", "model/1"]
    assert json.loads(whole)["value"]["prompt"] == "I am [email]. What is 12 * 12?"
    assert MAIL not in json.dumps(steps) + whole


def test_a_step_that_is_not_there_is_said(run_id: str) -> None:
    """With those that are; and both options at once are wrong usage."""
    missing = invoke("runs", "show", run_id, "--step", "model/9")
    both = invoke("runs", "show", run_id, "--step", "enter", "--steps")

    assert missing.exit_code == 1
    assert "no step model/9; it has: enter, model/1, tool/0" in missing.stderr
    assert both.exit_code == 2
