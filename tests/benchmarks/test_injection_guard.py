"""The benchmark of the injection guard works, at a small size."""

import subprocess
import sys

from tests.architecture.source import ROOT


def test_it_prints_judgements_and_times() -> None:
    """Precision and recall of both parts, and times for ordinary and for hostile prompts."""
    command = [sys.executable, "-m", "benchmarks.injection_guard", "--small"]

    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    firsts = {line[:24].strip() for line in process.stdout.splitlines()}
    assert {"tuning all", "held_out all", "held_out ko", "tuning override"} <= firsts
    assert {"english", "korean", "brackets", "tag characters"} <= firsts
