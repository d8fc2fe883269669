"""The benchmark of the wiring works."""

import subprocess
import sys

import pytest

from benchmarks.wiring import COUNTS
from tests.architecture.source import ROOT


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_every_number_of_plugins_is_measured() -> None:
    """Each row has its time, per plugin and as a multiple of the least."""
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.wiring", "--rounds", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert process.returncode == 0, process.stderr
    rows = [line.split() for line in process.stdout.splitlines()[1:]]
    assert [int(row[0]) for row in rows] == list(COUNTS)
    assert rows[0][3] == "1.00"
