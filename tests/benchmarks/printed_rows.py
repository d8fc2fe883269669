"""The rows that a benchmark prints."""

import subprocess
import sys

from tests.architecture.source import ROOT

__all__ = ["rows_of"]


def rows_of(benchmark: str, *options: str) -> list[list[str]]:
    """What a command prints, by its columns."""
    command = [sys.executable, "-W", "ignore", "-m", f"benchmarks.{benchmark}", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [line.split(" | ") for line in done.stdout.splitlines() if " | " in line]
