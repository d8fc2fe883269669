"""The benchmark of the wiring works."""

import subprocess
import sys

import pytest

from benchmarks.wiring import COUNTS
from tests.architecture.source import ROOT


@pytest.mark.timing
@pytest.mark.slow
@pytest.mark.timeout(120)
def test_every_number_of_plugins_and_services_is_measured() -> None:
    """Each row has its times, per component and as a multiple of the first."""
    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.wiring", "--rounds", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert process.returncode == 0, process.stderr
    rows = [line.split() for line in process.stdout.splitlines()[1:]]
    assert [(int(row[0]), int(row[1])) for row in rows] == list(COUNTS)
    assert rows[0][5] == "1.00"
