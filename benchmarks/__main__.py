"""All benchmarks by one command: `python -m benchmarks`.

Contestants are run in turns, each measurement in a process of its own, against a fake vendor on
loopback. Figures are medians of the rounds; only their ratios within one run mean anything.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.contestants import NAMES
from benchmarks.workloads import WORKLOADS

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(ROOT),
    "OPENAI_API_KEY": "sk-bench",
    "ANTHROPIC_API_KEY": "sk-bench",
    "GEMINI_API_KEY": "sk-bench",
    "NO_PROXY": "127.0.0.1",
}
Figures = dict[str, list[float]]


def options() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each (5)")
    parser.add_argument("--small", action="store_true", help="a minimum of work, to see it run")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="|".join(NAMES))
    parser.add_argument("--work", nargs="*", default=[], metavar="WORK", help="|".join(WORKLOADS))
    return parser.parse_args()


@contextmanager
def vendor() -> Iterator[str]:
    """The address of a fake vendor in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.vendor_process"]
    with subprocess.Popen(
        _on_core(1, command),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.stdin.close()


def _on_core(core: int, command: list[str]) -> list[str]:
    """The command, kept to a core if the system can do that and has more than one."""
    pinned = sys.platform == "linux" and (os.cpu_count() or 1) > 1
    return ["taskset", "-c", str(core), *command] if pinned else command


def measure(name: str, work: str, *, small: bool, url: str) -> float:
    """One figure."""
    size = "SMALL" if small else "FULL"
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.worker", name, work, size, url]
    began = time.perf_counter()
    process = subprocess.run(
        _on_core(0, command), cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    if process.returncode != 0:
        raise SystemExit(f"{name} failed at {work}:\n{process.stderr[-2000:]}")
    return 1e3 * (time.perf_counter() - began) if work == "first_answer" else float(process.stdout)


def report(work: str, figures: Figures) -> None:
    """The table of one workload: medians, and ratios to the vendor's SDK and its transport."""
    workload = WORKLOADS[work]
    medians = {name: statistics.median(values) for name, values in figures.items()}
    print(f"\n{workload.title}, {workload.unit}")
    for name, median in medians.items():
        api = "anthropic" if "anthropic" in name else "openai"  # Gemini is measured by OpenAI's
        ratios = [
            f"{median / medians[other]:5.2f} x {other}"
            for other in (f"{api}_sdk", f"{api}_transport", f"arc_{api}")
            if other in medians
            and other != name
            and medians[other]
            and (other.startswith(api) or name.startswith("arc"))
        ]
        print(f"  {name:20} {median:9.2f}   {'   '.join(ratios)}")


def main() -> None:
    """Measure and report."""
    asked = options()
    with vendor() as url:
        for work in asked.work or WORKLOADS:
            figures: Figures = {name: [] for name in asked.only or NAMES}
            for _ in range(asked.rounds):
                for name, values in figures.items():
                    values.append(measure(name, work, small=asked.small, url=url))
            report(work, figures)


if __name__ == "__main__":
    main()
