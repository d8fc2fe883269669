"""What durable runs hold, measured with few runs."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def rows_of(*options: str) -> list[list[str]]:
    """What the command prints, by its columns."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.durable", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [line.split(" | ") for line in done.stdout.splitlines() if " | " in line]


def test_a_killed_run_pays_once() -> None:
    """The engine goes on where it was; a tool that may be called once is not called again."""
    head, *rows = rows_of("matrix", "--database", "sqlite", "--points", "model2", "pay")

    done = {row[0]: dict(zip(head[1:-2], row[1:-2], strict=True)) for row in rows}
    assert done["model2"] == {**dict.fromkeys(done["model2"], "1"), "model2": "2"}
    assert done["pay"]["pay"] == "1"
    assert [row[-2] for row in rows] == ["'r1: find look pay '", "'r1: find look '"]
