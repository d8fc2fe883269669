"""Writes the dumps of the layout of today, as `python -m` with the name of this module.

Called once for each layout, before it changes. Needs a PostgreSQL in ARC_TEST_POSTGRES_URL and
`pg_dump`. The process that has the run `running` is stopped, one that works on nothing decides and
submits what is queued last, and then the first one is killed.
"""

import asyncio
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import tempfile
import time
from contextlib import closing
from pathlib import Path

import psycopg
from sqlalchemy import make_url

from arc_autoconfig import Application
from arc_core import AgentCommand, Approve, Deny, RunState, RunStore
from arc_core.testing.conformance.run_journal.rules import end_of, until
from arc_plugins.journals.sql.tables import LAYOUT
from tests.arc_plugins.journals.sql.layouts.shop import open_shop

__all__: list[str] = []

_FOLDER = Path(__file__).parent
_DAYS = 100_000
_ENDED = {
    "finished-plain": "hello",
    "finished-parallel": "parallel",
    "finished-delegate": "delegate",
    "failed": "fail",
}
_ASKING = {
    "finished-paid": "pay",
    "waiting": "pay",
    "waiting-below": "delegate and pay",
    "denied": "pay",
    "decided": "pay",
    "cancelled": "pay",
}
_QUEUED = {"queued-carried": "parallel", "queued-delegate": "delegate"}


def _command(run_id: str, prompt: str) -> AgentCommand:
    session_id = f"s-{run_id}" if run_id in _ASKING else None
    return AgentCommand(user_prompt=prompt, user_id="ann", session_id=session_id, agent="clerk")


async def _wait_for(store: RunStore, run_id: str, state: RunState) -> None:
    async def is_there() -> bool:
        return (await store.find(run_id)).state is state

    await until(is_there)


async def _work(url: str, log: Path) -> None:
    """Bring runs to where they are to be, and dig until the process is killed."""
    async with open_shop(url, log=log, digs=True, keep_days=_DAYS, max_running=1) as app:
        store = app.component(RunStore)
        for run_id, prompt in _ENDED.items():
            await app.submit(_command(run_id, prompt), run_id=run_id)
            await end_of(store, run_id)
        for run_id, prompt in _ASKING.items():
            await app.submit(_command(run_id, prompt), run_id=run_id)
            await _wait_for(store, run_id, RunState.WAITING)
        await _decide(app, "finished-paid", Approve())
        await _decide(app, "denied", Deny("no"))
        await app.cancel("cancelled")
        for run_id in ("finished-paid", "denied", "cancelled"):
            await end_of(store, run_id)
        await app.submit(_command("running", "dig"), run_id="running")

        async def digs() -> bool:
            return "dig running" in log.read_text("utf-8")  # noqa: ASYNC240 -- a line

        await until(digs)
        for run_id, prompt in _QUEUED.items():
            await app.submit(_command(run_id, prompt), run_id=run_id)
        await asyncio.sleep(2)  # until DBOS has their tickets
        log.with_suffix(".ready").touch()
        await asyncio.Event().wait()


async def _decide(app: Application, run_id: str, answer: Approve | Deny) -> None:
    [request] = (await app.component(RunStore).find(run_id)).requests
    await app.decide(run_id, request.key, answer, by="carol")


async def _leave_to_others(url: str) -> None:
    """Decide and submit where nothing works on it."""
    async with open_shop(url, work=False, keep_days=_DAYS) as app:
        await _decide(app, "decided", Approve())
        await app.submit(_command("queued-new", "pay"), run_id="queued-new")


def _run_worker(url: str, log: str) -> None:
    asyncio.run(_work(url, Path(log)))  # noqa: TID251 -- a process of its own


def _fill(url: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        worker = multiprocessing.get_context("spawn").Process(
            target=_run_worker, args=(url, str(log))
        )
        worker.start()
        while not log.with_suffix(".ready").exists():
            assert worker.is_alive(), "the process has ended by itself"
            time.sleep(0.1)
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGSTOP)  # so that it carries nothing any more
        asyncio.run(_leave_to_others(url))  # noqa: TID251 -- a program
        worker.kill()
        worker.join()


def _dump_sqlite(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "runs.db"
        _fill(f"sqlite:///{file}")
        with closing(sqlite3.connect(file)) as connection:
            lines = "\n".join(connection.iterdump())
        target.write_text(f"PRAGMA foreign_keys=OFF;\n{lines}\n", "utf-8")


def _dump_postgres(target: Path) -> None:
    name, server = "arc_layout", make_url(os.environ["ARC_TEST_POSTGRES_URL"]).set(query={})
    url = server.set(database=name).render_as_string(hide_password=False)
    with psycopg.connect(server.render_as_string(hide_password=False), autocommit=True) as at:
        at.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        at.execute(f"CREATE DATABASE {name}".encode())
        _fill(url)
        options = ["--inserts", "--no-owner", "--no-privileges", "--schema", "arc*"]
        options += ["--schema", "public"]
        dumped = subprocess.run(["pg_dump", *options, url], check=True, capture_output=True)
        lines = dumped.stdout.decode().splitlines()
        kept = (line for line in lines if not line.startswith(("\\", "CREATE SCHEMA public")))
        target.write_text("\n".join(kept) + "\n", "utf-8")
        at.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


if __name__ == "__main__":
    stem = LAYOUT.replace("-", "_")
    _dump_sqlite(_FOLDER / f"{stem}.sqlite.sql")
    _dump_postgres(_FOLDER / f"{stem}.postgres.sql")
