"""The benchmark of assembly runs."""

import subprocess
import sys

import pytest

from benchmarks.assembly import CONTESTANTS
from tests.architecture.source import ROOT


@pytest.mark.slow
def test_every_contestant_is_measured() -> None:
    """At the smallest size, the table has a line for each."""
    command = [sys.executable, "-m", "benchmarks.assembly", "--small"]

    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    assert all(contestant.name in process.stdout for contestant in CONTESTANTS)


def test_arc_assembles_what_it_is_measured_on() -> None:
    """The fast loop and Arc come to the same text and the same arguments."""
    by_name = {contestant.name: contestant for contestant in CONTESTANTS}
    lists, arc = by_name["lists joined, JSON deltas"], by_name["arc, JSON deltas"]

    text, arguments = lists.run(lists.make(200))
    message = arc.run(arc.make(200))

    assert message["content"] == text
    assert [call["function"]["arguments"] for call in message["tool_calls"]] == arguments
