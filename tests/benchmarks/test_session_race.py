"""No stranger reads a session by being quick."""

import os
import subprocess
import sys

import pytest

from tests.architecture.source import ROOT

pytest.importorskip("sqlalchemy", reason="needs the extra sql")


@pytest.mark.slow
def test_nothing_leaks_in_any_store() -> None:
    """The race ends with 0 leaks of 50 attempts for both managers, and says so."""
    environment = {**os.environ}
    if url := os.environ.get("ARC_TEST_POSTGRES_URL"):
        environment["ARC_BENCH_POSTGRES_URL"] = url

    process = subprocess.run(
        [sys.executable, "-m", "benchmarks.session_race", "--attempts", "50"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert process.returncode == 0, process.stdout + process.stderr
    rows = [line.split() for line in process.stdout.splitlines()]
    stores = ["memory", "SQLite", *(["PostgreSQL"] if url else [])]
    managers = ("window", "summarizing")
    assert rows == [[each, name, "0", "of", "50"] for each in stores for name in managers]
