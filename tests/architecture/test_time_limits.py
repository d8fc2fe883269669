"""No test hangs, in whatever part of it."""

import subprocess
import sys
from pathlib import Path

from tests.architecture.source import ROOT

_HANGING = """import threading, pytest

@pytest.fixture
def hanging():
    yield
    threading.Event().wait()

def test_it(hanging):
    assert False
"""


def test_the_end_of_a_failed_test_is_limited(tmp_path: Path) -> None:
    """Of itself, pytest-timeout would wait for it for ever."""
    (tmp_path / "test_it.py").write_text(_HANGING)
    options = ["-p", "tests.conftest", "-p", "no:cacheprovider", "--timeout", "1"]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path / "test_it.py")]

    done = subprocess.run(
        command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=60
    )

    assert "1 failed, 1 error" in done.stdout
