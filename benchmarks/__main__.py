"""All benchmarks by one command: `python -m benchmarks`.

Contestants are measured in turns, each time in a process of its own, against a fake vendor on
loopback; then Arc alone, if no contestant has the like. Figures are medians of the rounds; only
their ratios within one run mean anything. `--list` names everything that can be measured, also the
scripts that have a command of their own, which `--scripts` runs. `--report docs/performance.md`
writes the tables into that page.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.alone import ALONE
from benchmarks.contestants import NAMES
from benchmarks.processes import ENVIRONMENT, ROOT, measure, vendor
from benchmarks.report import Figures, Report, show_alone, show_workload
from benchmarks.scripts import SCRIPTS
from benchmarks.workloads import WORKLOADS


def options() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each (3)")
    parser.add_argument("--small", action="store_true", help="a minimum of work, to see it run")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="|".join((*NAMES, "arc_alone")))
    parser.add_argument("--work", nargs="*", metavar="WORK", help="as `--list` names it")
    parser.add_argument("--report", type=Path, metavar="PAGE", help="write the tables into a page")
    parser.add_argument("--list", action="store_true", help="name everything, and do nothing")
    parser.add_argument("--scripts", nargs="*", metavar="SCRIPT", help="run scripts: all, or these")
    return parser.parse_args()


def list_all() -> None:
    """Print a row for everything that can be measured."""
    own = "python -m benchmarks --work"
    rows = [(name, each.title, each.unit, f"{own} {name}") for name, each in WORKLOADS.items()]
    rows += [(name, each.title, each.unit, f"{own} {name}") for name, each in ALONE.items()]
    rows += [(each.name, each.measures, each.unit, each.command) for each in SCRIPTS]
    for row in rows:
        print(" | ".join(row))


def run_scripts(names: Iterable[str]) -> None:
    """Run the scripts of these names, or all that need nothing more than a machine."""
    asked = set(names)
    for script in SCRIPTS:
        if script.name in asked if asked else not script.needs:
            print(f"\n== {script.name}: {script.measures}, {script.unit}", flush=True)
            command = [sys.executable, "-W", "ignore", "-m", *script.command.split()[2:]]
            subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, check=True)


def measure_in_turns(work: str, names: Iterable[str], asked: argparse.Namespace) -> Figures:
    """Return the figures of each contestant, measured in turns."""
    figures: Figures = {name: [] for name in names}
    with vendor() as url:
        for name in figures if work == "first_answer" else ():
            measure(name, work, small=asked.small, url=url)  # compiles what is imported
        for _ in range(asked.rounds):
            for name, values in figures.items():
                values.append(measure(name, work, small=asked.small, url=url))
    return figures


def measure_all(asked: argparse.Namespace) -> Iterator[tuple[Report, str]]:
    """Yield the report and the text of each workload, once it has been measured."""
    report = Report(rounds=asked.rounds)
    names = [name for name in NAMES if asked.only is None or name in asked.only]
    for work in WORKLOADS if names else ():
        if asked.work is None or work in asked.work:
            report.workloads[work] = measure_in_turns(work, names, asked)
            yield report, show_workload(work, report.workloads[work])
    for work in ALONE if asked.only is None or "arc_alone" in asked.only else ():
        if asked.work is None or work in asked.work:
            report.alone[work] = measure_in_turns(work, ["arc_alone"], asked)["arc_alone"]
            yield report, show_alone(work, report.alone[work])


def main() -> None:
    """Measure and report, or do what else is asked."""
    asked = options()
    if asked.list:
        list_all()
    elif asked.scripts is not None:
        run_scripts(asked.scripts)
    else:
        for report, text in measure_all(asked):
            print(text, flush=True)
            if asked.report:  # each time: who ends a run early has what it has measured
                report.write(asked.report)


if __name__ == "__main__":
    main()
