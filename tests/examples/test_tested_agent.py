"""The workflow of the example runs as it is, offline, and finds what breaks the agent."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

EXAMPLE = Path(__file__).parents[2] / "examples" / "tested_agent"
WORKFLOW = EXAMPLE / ".github" / "workflows" / "agent.yml"

pytestmark = pytest.mark.slow


def read_job() -> dict[str, Any]:
    """Return the job of the workflow."""
    workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    job: dict[str, Any] = workflow["jobs"]["offline"]
    return job


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example, as a checkout has it."""
    shutil.copytree(EXAMPLE, tmp_path / "agent", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "agent"


def run_steps(folder: Path) -> dict[str, subprocess.CompletedProcess[str]]:
    """Run the commands of the job, as a build server does, without keys and without an index.

    Returns:
        By their first two words.
    """
    job = read_job()
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ARC_") and not name.endswith("_API_KEY")
    }
    path = os.pathsep.join((str(Path(sys.executable).parent), kept["PATH"]))
    offline = {"PATH": path, "PIP_NO_INDEX": "1", "HOME": str(folder.parent)}
    commands = [str(step["run"]) for step in job["steps"] if "run" in step]
    return {
        " ".join(command.split()[:2]): subprocess.run(
            ["bash", "-e", "-c", command],
            cwd=folder,
            env={**kept, **offline, **job["env"]},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        for command in commands
    }


def test_the_agent_passes(folder: Path) -> None:
    """Every command ends with 0, and the file that is put up has the verdict about each case."""
    done = run_steps(folder)

    assert {name: process.returncode for name, process in done.items()} == {
        "pip install": 0,
        "arc replay": 0,
        "arc eval": 0,
    }, [process.stderr for process in done.values()]
    assert done["arc replay"].stdout == "2 runs: 2 same\n"
    suite = ET.parse(folder / "eval.xml").getroot()
    assert [each.get("name") for each in suite] == ["on its way", "not known"]
    assert suite.get("failures") == suite.get("errors") == "0"


def test_the_report_is_put_up_whatever_has_failed() -> None:
    """It is most needed then."""
    [upload] = [step for step in read_job()["steps"] if "upload-artifact" in step.get("uses", "")]
    [evaluate] = [step for step in read_job()["steps"] if "arc eval" in step.get("run", "")]

    assert upload["if"] == "always()"
    assert f"--junit {upload['with']['path']}" in evaluate["run"]


def test_a_changed_prompt_fails_the_build_by_its_name(folder: Path) -> None:
    """The replay has the diff; the cases, to which the offline model still answers, pass."""
    settings = folder / "arc.toml"
    settings.write_text(settings.read_text("utf-8").replace("before you say", "and say"), "utf-8")

    done = run_steps(folder)

    assert done["arc replay"].returncode == 1
    assert "turn 1: system prompt `support`: its text has changed" in done["arc replay"].stdout
    assert done["arc eval"].returncode == 0


def test_a_tool_that_finds_nothing_any_more_fails_the_build(folder: Path) -> None:
    """A replay calls no tool, so that the cases find it."""
    program = folder / "shop.py"
    program.write_text(program.read_text("utf-8").replace('7: "on its way", ', ""), "utf-8")

    done = run_steps(folder)

    assert done["arc replay"].returncode == 0
    assert done["arc eval"].returncode == 1
    suite = ET.parse(folder / "eval.xml").getroot()
    assert suite.get("failures") == "1"
