"""Malformed input finds nothing."""

import os
import subprocess
import sys

import pytest

from benchmarks.fuzzing.__main__ import TARGETS
from tests.architecture.source import ROOT
from tests.wire.recorded import ABSENT
from tests.wire.recorded import ROOT as RECORDED


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_no_input_finds_a_fault(target: str) -> None:
    """The samples, which are well formed, and what can be made of them within a few seconds."""
    if target == "streams" and not RECORDED.is_dir():
        pytest.skip(ABSENT)
    environment = {**os.environ, "ARC_RECORDED_STREAMS": str(RECORDED)}
    command = [sys.executable, "-m", "benchmarks.fuzzing", target, "--seconds", "3", "--plain"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout
    assert f"\n{target} | " in done.stdout
