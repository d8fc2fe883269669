"""The list of all benchmarks knows each module that can be run."""

import subprocess
import sys

from benchmarks.alone import ALONE
from benchmarks.scripts import SCRIPTS
from benchmarks.workloads import WORKLOADS
from tests.architecture.source import ROOT

PARTS = {"worker", "vendor_process"}
"""Processes that other benchmarks start."""


def find_programs() -> set[str]:
    """The modules and packages of the benchmarks that have a command of their own."""
    folder = ROOT / "benchmarks"
    modules = {path.stem for path in folder.glob("*.py") if "__main__" in path.read_text("utf-8")}
    packages = {path.parent.name for path in folder.glob("*/__main__.py")}
    return (modules | packages) - PARTS - {"__main__"}


def test_every_program_is_listed() -> None:
    """A benchmark that the list does not name is not found by those who look for it."""
    assert {script.name.partition(".")[0] for script in SCRIPTS} == find_programs()


def test_names_are_those_of_one_benchmark() -> None:
    """So that `--work` and `--scripts` choose one."""
    names = [*WORKLOADS, *ALONE, *(script.name for script in SCRIPTS)]

    assert sorted(names) == sorted(set(names))


def test_the_list_has_a_row_for_each() -> None:
    """Its name, what it measures, the unit and the command."""
    command = [sys.executable, "-m", "benchmarks", "--list"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    rows = [line.split(" | ") for line in done.stdout.splitlines()]

    assert [len(row) for row in rows] == [4] * (len(WORKLOADS) + len(ALONE) + len(SCRIPTS))
