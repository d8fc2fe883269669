"""The benchmarks work: at a small size, every contestant and every kind of work gives a figure."""

import re
import subprocess
import sys

import pytest

from benchmarks.alone import ALONE
from benchmarks.contestants import NAMES
from benchmarks.workloads import WORKLOADS
from tests.architecture.source import ROOT

pytestmark = pytest.mark.timeout(300)


def figures(*arguments: str) -> list[tuple[str, float]]:
    """What the command prints: contestants, each with a figure."""
    rows = re.findall(r"^  (\w+) +([\d.]+)", printed(*arguments), re.MULTILINE)
    return [(name, float(figure)) for name, figure in rows]


def printed(*arguments: str) -> str:
    """What one round at a small size prints."""
    command = [sys.executable, "-m", "benchmarks", "--small", "--rounds", "1", *arguments]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.mark.slow
def test_every_contestant_is_measured() -> None:
    """Tools and a stream, checked against the answer that must come out."""
    assert [name for name, _ in figures("--work", "tool_stream")] == list(NAMES)


@pytest.mark.timing
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_kind_of_work_is_measured() -> None:
    """With Arc, as its users run it."""
    measured = figures("--work", *WORKLOADS, "--only", "arc_openai")

    assert [name for name, _ in measured] == ["arc_openai"] * len(WORKLOADS)


@pytest.mark.timing
@pytest.mark.slow
def test_every_figure_of_arc_alone_is_measured() -> None:
    """Each stands beside the most that it may be."""
    lines = printed("--only", "arc_alone").splitlines()

    assert [line.partition("  ")[0] for line in lines] == [each.title for each in ALONE.values()]
    assert all(", at most " in line for line in lines)
