"""Measurements in processes of their own, kept to a core, with the fake vendor on another one."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["ENVIRONMENT", "ROOT", "measure", "vendor"]

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "PYTHONPATH": str(ROOT),
    "OPENAI_API_KEY": "sk-bench",
    "ANTHROPIC_API_KEY": "sk-bench",
    "GEMINI_API_KEY": "sk-bench",
    "NO_PROXY": "127.0.0.1",
}


@contextmanager
def vendor() -> Iterator[str]:
    """The address of a fake vendor in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.vendor_process"]
    with subprocess.Popen(
        _on_core(1, command), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
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
    """Return one figure of a contestant, or of Arc alone.

    Raises:
        SystemExit: The process has failed.
    """
    size = "SMALL" if small else "FULL"
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.worker", name, work, size, url]
    began_s = _cpu_s_of_children()
    process = subprocess.run(
        _on_core(0, command), cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    if process.returncode != 0:
        raise SystemExit(f"{name} failed at {work}:\n{process.stderr[-2000:]}")
    if work == "first_answer":
        return 1e3 * (_cpu_s_of_children() - began_s)
    return float(process.stdout.splitlines()[-1])


def _cpu_s_of_children() -> float:
    """The CPU seconds of the processes that have ended; the vendor has not."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
