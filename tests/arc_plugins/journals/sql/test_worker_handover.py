"""SIGTERM to a real `arc worker` on PostgreSQL: another one goes on, and no run is told to end."""

import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core import AgentCommand
from arc_core.runs.store import RunStore
from arc_core.testing.conformance.run_journal.rules import NotingBody, end_of, finish, taking_runs
from tests.arc_autoconfig.cli.invoking import arc_process
from tests.arc_plugins.journals.sql import digging
from tests.arc_plugins.journals.sql.databases import journals_at
from tests.arc_plugins.journals.sql.processes import WorkerProcess
from tests.architecture.source import ROOT

pytestmark = pytest.mark.slow

_LETS_GO = "lets go of its runs"


async def test_sigterm_lets_a_step_end_and_takes_no_new_run(postgres_database: str) -> None:
    """What is submitted meanwhile, and the rest of the run, are another worker's; exit code 0."""
    async with _terminating(postgres_database, handover_timeout_s=60) as (journals, first, second):
        first.wait_for(_LETS_GO)
        await _submit(journals, "two", "Please dig 2 (depth)")
        second.wait_for("ends two True")
        first.signal(signal.SIGUSR1)
        code = first.wait()
        end = await end_of(journals, "one")

    assert code == 0
    assert _of_runs(first) == ["starts one", "digs one", _LETS_GO, "leaves one"]
    assert _of_runs(second)[-3:] == ["resumes one", "ends one True", _LETS_GO]
    assert "digs one" not in second.said
    assert "dug 1 m" in str(end.content)


async def test_sigterm_leaves_a_step_that_does_not_end_in_time(postgres_database: str) -> None:
    """After `durable.handover_timeout_s` the worker ends well; only that step is done again."""
    async with _terminating(postgres_database, handover_timeout_s=0.5) as (journals, first, second):
        code = first.wait()
        second.wait_for("digs one")
        second.signal(signal.SIGUSR1)
        end = await end_of(journals, "one")

    assert code == 0
    assert _of_runs(first) == ["starts one", "digs one", _LETS_GO, "leaves one"]
    assert _of_runs(second) == ["resumes one", "digs one", "ends one True", _LETS_GO]
    assert "dug 1 m" in str(end.content)


@contextmanager
def _worker(url: str, **durable: object) -> Iterator[WorkerProcess]:
    settings = {
        "durable.enabled": "true",
        "durable.url": url,
        "llm.provider": "offline",
        "plugins.load": f"{digging.__name__}:dig,{digging.__name__}:Watch",
        **{f"durable.{name}": value for name, value in durable.items()},
    }
    options = [each for name, value in settings.items() for each in ("--set", f"{name}={value}")]
    popen = subprocess.Popen(
        arc_process("worker", *options), text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    worker = WorkerProcess(popen)
    try:
        worker.wait_for("works on default")
        yield worker
    finally:
        worker.signal(signal.SIGTERM)
        worker.close()


@asynccontextmanager
async def _terminating(
    url: str, *, handover_timeout_s: float
) -> AsyncIterator[tuple[RunStore, WorkerProcess, WorkerProcess]]:
    """A worker that is told to end while it digs, another one, and who submits."""
    async with taking_runs(journals_at(url, work=False), NotingBody(finish)) as journals:
        with _worker(url, handover_timeout_s=handover_timeout_s) as first:
            await _submit(journals, "one", "Please dig 1 (depth)")
            first.wait_for("digs one")
            with _worker(url) as second:
                first.signal(signal.SIGTERM)
                yield journals, first, second


async def _submit(journals: RunStore, run_id: str, prompt: str) -> None:
    await journals.submit(AgentCommand(user_prompt=prompt), run_id=run_id)


def _of_runs(worker: WorkerProcess) -> list[str]:
    """What it has said of runs, without its log."""
    verbs = ("starts ", "resumes ", "digs ", "leaves ", "ends ", _LETS_GO)
    return [line for line in worker.said if line.startswith(verbs)]
