"""The benchmark of budgets works, at a small size."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.arc_plugins.redis_server import redis_url
from tests.architecture.source import ROOT

pytest.importorskip("redis", reason="needs the extra redis")
pytest.importorskip("openai", reason="needs the extra openai")


@pytest.mark.slow
def test_runs_of_killed_processes_overspend_nothing(tmp_path: Path) -> None:
    """Of 60 runs in two processes, one of them killed; no run is refused for a slow Redis."""
    command = [sys.executable, "-m", "benchmarks.budgets", "--runs", "60", "--processes", "2"]
    with redis_url(tmp_path) as url:
        process = subprocess.run(
            [*command, "--kills", "2", "--cap", "6000", "--redis-url", url],
            cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    assert process.returncode == 0, process.stdout + process.stderr
    outcomes, _, *rest = process.stdout.splitlines()
    assert "'process killed'" in outcomes
    assert "UNAVAILABLE" not in outcomes
    assert rest[1:] == [
        "overspend by what was billed: 0",
        "overspend by what was counted: 0",
        "reserved after 8 s: 0",
    ]
