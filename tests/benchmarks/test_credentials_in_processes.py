"""The benchmark of credentials works, at a small size."""

import subprocess
import sys

import pytest

from tests.architecture.source import ROOT

pytest.importorskip("cryptography", reason="needs the extra credentials")


@pytest.mark.slow
def test_no_token_is_used_for_another_owner() -> None:
    """Nor renewed twice, and a revoked one is used once more at most."""
    command = [sys.executable, "-m", "benchmarks.credentials_in_processes", "--users", "20"]
    process = subprocess.run(
        [*command, "--calls", "400", "--runs", "20", "--processes", "2"],
        cwd=ROOT, capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip

    assert process.returncode == 0, process.stderr
    calls, *rest = process.stdout.splitlines()
    assert calls.startswith("calls: 400 in ")
    assert calls.endswith(" s, 20 of them by runs")
    assert rest == [
        "renewed for 50 at once: 1",
        "calls after the token was revoked, for each credential: 1",
        "uses for another owner: 0",
    ]
