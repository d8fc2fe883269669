"""No test hangs, in whatever part of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

HANGS_AFTER_FAILURE = """\
import threading, pytest

@pytest.fixture
def hanging():
    yield
    threading.Event().wait()

def test_it(hanging):
    assert False
"""
HANGS_AFTER_LIMIT = """\
import threading

def test_it():
    try:
        threading.Event().wait()
    finally:
        threading.Event().wait()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "printed"),
    [(HANGS_AFTER_FAILURE, "1 failed, 1 error"), (HANGS_AFTER_LIMIT, "Timeout (0:00:03)!")],
    ids=["failure", "limit"],
)
def test_what_hangs_is_ended(module: str, printed: str, tmp_path: Path) -> None:
    """Of itself, pytest-timeout raises once, and not in what follows a failure."""
    (tmp_path / "test_it.py").write_text(module)
    plugins = ["-p", "tests.conftest", "-p", "no:cacheprovider"]
    options = ["-c", "pyproject.toml", *plugins, "--timeout=1", "--override-ini"]
    arguments = [*options, "faulthandler_timeout=3", str(tmp_path)]

    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert printed in done.stdout + done.stderr
    assert done.returncode != 0
