"""What serving costs and holds, measured small."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def rows_of(*options: str) -> list[list[str]]:
    """What the command prints, by its columns."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.serving", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return [line.split(" | ") for line in done.stdout.splitlines() if " | " in line]


@pytest.mark.timing
def test_all_streams_complete() -> None:
    """Their texts are checked by the reader; the costs say little at this size."""
    head, *rows = rows_of("load", "--streams", "10", "--rounds", "1")

    assert [len(row) for row in rows] == [len(head)] * 2


def test_connections_that_leave_leave_nothing() -> None:
    """In the middle of a stream or of a request: tasks and files are those of the beginning."""
    head, first, *rows = rows_of("leaving", "--connections", "100", "--rounds", "1")
    tasks, files = head.index("tasks"), head.index("files")

    assert [(row[tasks], row[files]) for row in rows] == [(first[tasks], first[files])] * 2
    assert all(float(row[-1]) < 1 for row in rows)
