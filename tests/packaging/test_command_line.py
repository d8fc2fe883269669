"""The command answers at once."""

import json
import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence

import pytest

from tests.packaging.test_imports import VENDORS

pytestmark = pytest.mark.timeout(300)

MOST = 2.5
"""How many times the time of importing pydantic the help may take."""

HELP = "import sys; sys.argv[1:] = ['--help']; from arc_autoconfig.cli.main import main; main()"
IMPORTED = f"""
import atexit, json, sys
atexit.register(lambda: print(json.dumps([n for n in {VENDORS!r} if n in sys.modules]),
                              file=sys.stderr))
{HELP}
"""


def seconds(code: str) -> float:
    """CPU time of a fresh process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_turns(codes: Sequence[str], rounds: int) -> list[float]:
    """The median of each, measured in turns so that a busy machine slows all of them."""
    times = [[seconds(code) for code in codes] for _ in range(rounds)]
    return [statistics.median(each) for each in zip(*times, strict=True)]


@pytest.mark.timing
def test_the_help_is_about_as_fast_as_one_library() -> None:
    """It imports what it shows, and none of what commands import when they run."""
    pydantic, arc = in_turns(["import pydantic", HELP], rounds=7)

    assert arc <= MOST * pydantic


def test_the_help_imports_no_vendor() -> None:
    """Neither SDK is there when it has been printed."""
    process = subprocess.run(
        [sys.executable, "-c", IMPORTED], check=True, capture_output=True, text=True
    )

    assert "Run agents" in process.stdout
    assert json.loads(process.stderr.splitlines()[-1]) == []
