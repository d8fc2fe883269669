"""The benchmark of conversations works, at a small size."""

import os
import subprocess
import sys

import pytest

from tests.architecture.source import ROOT

pytest.importorskip("sqlalchemy", reason="needs the extra sql")


@pytest.mark.slow
def test_every_store_is_measured() -> None:
    """Loads and appends of each, with the ratio of the longest session to that of 100 turns."""
    command = [sys.executable, "-m", "benchmarks.conversations", "--rounds", "1", "--times", "1"]
    environment = {**os.environ}
    if url := os.environ.get("ARC_TEST_POSTGRES_URL"):
        environment["ARC_BENCH_POSTGRES_URL"] = url

    process = subprocess.run(
        [*command, "--turns", "100", "200"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert process.returncode == 0, process.stderr
    rows = [line.split()[:2] for line in process.stdout.splitlines()[1:]]
    stores = ["memory", "SQLite", *(["PostgreSQL"] if url else [])]
    assert rows == [[store, work] for store in stores for work in ("load", "append")]
