"""A login that comes after days, when no process is left that has asked for it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx2
import pytest

from arc_core.testing.vendor_server import VendorServer
from tests.arc_plugins.credentials.keeping.kept import (
    AuthorizationServer,
    in_database,
    make_key,
    services_at,
)
from tests.arc_plugins.journals.sql.databases import execute, runs_at
from tests.arc_plugins.journals.sql.processes import WorkerProcess
from tests.arc_plugins.surfaces.logins.served_logins import cookie_of

pytestmark = pytest.mark.slow

_DAYS = "interval '2 days'"
_MOMENTS = {
    "arc_runs": ("created_at", "not_before"),
    "arc_run_steps": ("at",),
    "arc_approvals": ("since", "until"),
}


@contextmanager
def worker(log: Path, name: str, settings: dict[str, Any]) -> Iterator[WorkerProcess]:
    """A process that works, and serves logins."""
    options = json.dumps({"log": str(log), "name": name, **settings})
    command = [sys.executable, "-m", "tests.arc_plugins.surfaces.logins.worker_program"]
    popen = subprocess.Popen(
        command, env={**os.environ, "TEST_WORKER": options}, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    process = WorkerProcess(popen)
    try:
        yield process
    finally:
        process.close()


def age(url: str) -> None:
    """Make all that is kept two days older."""
    for table, columns in _MOMENTS.items():
        for column in columns:
            then = f"({column}::timestamptz - {_DAYS}) AT TIME ZONE 'UTC'"
            text = f'to_char({then}, \'YYYY-MM-DD"T"HH24:MI:SS.US"Z"\')'
            execute(url, f"UPDATE {table} SET {column} = {text} WHERE {column} IS NOT NULL")


async def log_in(address: str, link: str, service: AuthorizationServer) -> int:
    """Log in by the link of the page, at another process than the one that wrote it."""
    async with httpx2.AsyncClient(timeout=60) as client:
        begun = await client.post(f"{address}{urlsplit(link).path}")
        answer = urlencode(service.log_in(begun.headers["location"]))
        callback = f"{address}/oauth/callback?{answer}"
        return (await client.get(callback, headers=cookie_of(begun))).status_code


async def settings_at(url: str, service: str) -> dict[str, Any]:
    """The settings of both workers; the tables are made."""
    key = make_key()
    await in_database(url, services_at(service), key=key)
    github = {
        "authorize_url": f"{service}/authorize",
        "token_url": f"{service}/token",
        "client_id": "arc",
        "scopes": ["read"],
    }
    return {
        "durable": {"enabled": True, "url": url, "work": True},
        "credentials": {"backend": "sql", "url": url, "key": key},
        "services": {"github": github},
    }


def wait_and_kill(log: Path, settings: dict[str, Any]) -> str:
    """Begin a run that waits, and kill both workers; the link of its login."""
    with worker(log, "one", settings) as one:
        one.wait_for("serves")
        one.tell("submit")
        link = one.wait_for("waits")[1].split()[1]
        with worker(log, "two", settings) as two:
            two.wait_for("serves")
            two.kill()
        one.kill()
    return link


async def test_a_run_waits_for_days_without_a_process(postgres: str, tmp_path: Path) -> None:
    """Both workers are killed; after the login the run goes on at the second, nothing repeated."""
    service, log = AuthorizationServer(), tmp_path / "log"
    async with VendorServer(service.answer) as vendor:
        with runs_at(postgres) as url:
            settings = await settings_at(url, vendor.url)
            link = wait_and_kill(log, settings)
            age(url)
            with worker(log, "two", settings) as two:
                address = two.wait_for("serves")[1].split()[1]
                status = await log_in(address, link, service)
                two.tell("finish")
                finished = two.wait_for("finished")[1]

    assert status == 200
    assert finished == "finished Done."
    by = [
        ("model/1", "one"),
        ("look", "one"),
        ("model/2", "one"),
        ("act", "two"),
        ("model/3", "two"),
    ]
    assert [tuple(line.split()) for line in log.read_text().splitlines()] == by
